"""How the client of OpenAI-compatible servers is opened."""

from __future__ import annotations

import sys

import pytest

from clients import (
    ClientContext,
    open_client,
)
from clients.errors import MissingKeyError, MissingPackageError, SpecError, StreamError
from clients.openai import OpenAIClient
from clients.reader import Pace
from clients.retry import RetryPolicy
from tests.clients.case import KEY
from tests.clients.openai.server import (
    CASE,
    REQUEST,
    STOPS,
    opened,
    pieces_of,
)
from tests.clients.wire_server import WireServer


def test_without_a_key_the_variable_is_named() -> None:
    with pytest.raises(MissingKeyError, match=r"api\.openai\.com.*variable OPENAI_API_KEY"):
        open_client("openai:gpt-4o-mini")
    with pytest.raises(MissingKeyError, match="variable MY_KEY"):
        open_client("openai:gpt-4o-mini,api_key_env=MY_KEY")


async def test_the_key_comes_from_the_environment_or_the_context(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "first")
    monkeypatch.setenv("MY_KEY", "second")
    async with WireServer(STOPS) as server:
        for options, key in (("", None), (",api_key_env=MY_KEY", None), ("", "third")):
            async with opened(server, options, key) as client:
                await pieces_of(client.stream(REQUEST, 0))
        monkeypatch.delenv("OPENAI_API_KEY")
        async with opened(server, key=None) as client:
            await pieces_of(client.stream(REQUEST, 0))
        keys = [exchange.headers["authorization"] for exchange in server.exchanges]
    assert keys == ["Bearer first", "Bearer second", "Bearer third", "Bearer none"]


async def test_the_base_url_may_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    async with WireServer(STOPS) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
        async with open_client("openai:m") as client:
            await pieces_of(client.stream(REQUEST, 0))
        assert client.name == f"openai:m,base_url={server.url}/v1"
        assert server.exchanges[0].path == "/v1/chat/completions"


def test_the_name_opens_the_client_again_and_holds_no_secret(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    assert open_client("openai:ft:gpt-4o-mini:clinic").name == "openai:ft:gpt-4o-mini:clinic"
    client = open_client("openai:m,base_url=http://me:hunter2@localhost:8000/v1?token=hunter3")
    assert client.name == "openai:m,base_url=http://localhost:8000/v1"
    assert open_client(client.name).name == client.name
    assert "hunter" not in repr(client)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("openai", "found no model"),
        ("openai:,timeout=3", "found ''"),
        ("openai:m,base_url=localhost:8000", "expected one such as http://localhost:8000/v1"),
        ("openai:m,detail=tiny", "found 'tiny' as its detail; expected auto or low or high"),
        ("openai:m,logprobs=yes", "expected true or false"),
        ("openai:m,max_concurrency=0", "whole number of at least 1"),
        ("openai:m,timeout=-1", "as its timeout"),
        ("openai:m,api_key=sk-123", "does not know the option 'api_key'"),
        ("openai:m,api_key_env=sk_live_123", "expected a name in capitals"),
    ],
)
def test_specs_that_cannot_be_used(spec: str, message: str) -> None:
    with pytest.raises(SpecError, match=message) as caught:
        open_client(spec, ClientContext(api_key=KEY))
    assert "123" not in str(caught.value)


def test_options_reach_the_client() -> None:
    client = open_client(
        "openai:m,max_concurrency=3,timeout=7,first_timeout=9,retries=0", ClientContext(api_key=KEY)
    )
    assert isinstance(client, OpenAIClient)
    assert client.max_concurrency == 3
    assert (client.pace.timeouts.silence, client.pace.timeouts.first) == (7, 9)
    assert client.pace.retry.attempts == 1


def test_without_the_sdk_the_install_line_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(MissingPackageError, match=r"pip install 'sdr-decode\[openai\]'"):
        open_client("openai:m", ClientContext(api_key=KEY))


async def test_an_sdk_that_the_caller_configured() -> None:
    from openai import AsyncOpenAI

    script = [CASE.refusal(500, "broken"), STOPS]
    async with WireServer(script) as server:
        sdk = AsyncOpenAI(base_url=f"{server.url}/v1", api_key=KEY, default_headers={"x-ward": "3"})
        pace = Pace(retry=RetryPolicy(attempts=1))
        async with OpenAIClient("m", sdk=sdk, pace=pace) as client:
            with pytest.raises(StreamError, match="500"):
                await pieces_of(client.stream(REQUEST, 0))
            assert len(server.exchanges) == 1  # the SDK's own retries are off
            assert len(await pieces_of(client.stream(REQUEST, 0))) == 1
        assert server.exchanges[1].headers["x-ward"] == "3"
        assert not sdk.is_closed()
        assert sdk.max_retries == 2
        await sdk.close()


async def test_azure() -> None:
    from openai import AsyncAzureOpenAI

    async with WireServer(STOPS) as server:
        sdk = AsyncAzureOpenAI(azure_endpoint=server.url, api_version="2024-10-21", api_key=KEY)
        async with OpenAIClient("ward-gpt", sdk=sdk) as client:
            assert len(await pieces_of(client.stream(REQUEST, 0))) == 1
        exchange = server.exchanges[0]
        await sdk.close()
    assert exchange.path.startswith("/openai/deployments/ward-gpt/chat/completions?api-version=")
    assert exchange.headers["api-key"] == KEY
    assert KEY not in repr(client) + client.name
