"""How the Mistral client is opened, and what it says when Mistral refuses."""

from __future__ import annotations

import json
import sys

import pytest

from clients import ClientContext, open_client
from clients.errors import MissingKeyError, MissingPackageError, SpecError, StreamError
from clients.mistral import MistralClient
from clients.reader import Pace
from clients.retry import RetryPolicy
from tests.clients.case import KEY
from tests.clients.mistral_case import MistralCase, delta
from tests.clients.reading import REQUEST, pieces_of
from tests.clients.wire_server import Answer, WireServer

CASE = MistralCase()
STOPS = Answer([delta("stop", content="Clear."), CASE.end()])


@pytest.fixture(autouse=True)
def no_ambient_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MISTRAL_API_KEY", raising=False)


def test_without_a_key_the_variable_is_named() -> None:
    with pytest.raises(MissingKeyError, match="variable MISTRAL_API_KEY"):
        open_client("mistral:mistral-small-latest")


async def test_where_the_key_comes_from(monkeypatch: pytest.MonkeyPatch) -> None:
    async with WireServer(STOPS) as server:

        async def use(option: str, key: str | None = None) -> None:
            spec = f"mistral:m,{option}={server.url}"
            async with open_client(spec, ClientContext(api_key=key)) as client:
                await pieces_of(client.stream(REQUEST, 0))
            assert client.name == f"mistral:m,base_url={server.url}"

        await use("base_url")
        monkeypatch.setenv("MISTRAL_API_KEY", "first")
        await use("server_url")
        await use("base_url", "second")
        keys = [exchange.headers.get("authorization") for exchange in server.exchanges]
    assert keys == [None, "Bearer first", "Bearer second"]


async def test_a_base_url_with_its_version_does_as_well() -> None:
    async with WireServer(STOPS) as server:
        async with open_client(f"mistral:m,base_url={server.url}/v1") as client:
            await pieces_of(client.stream(REQUEST, 0))
        assert server.exchanges[0].path.startswith("/v1/chat/completions")


def test_the_name_opens_the_client_again_and_holds_no_secret() -> None:
    context = ClientContext(api_key=KEY)
    assert (
        open_client("mistral:mistral-small-latest", context).name == "mistral:mistral-small-latest"
    )
    client = open_client("mistral:m,base_url=http://me:hunter2@localhost:8000?key=hunter3", context)
    assert client.name == "mistral:m,base_url=http://localhost:8000"
    assert "hunter" not in repr(client)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("mistral", "found no model"),
        ("mistral:m,base_url=localhost", "expected one such as http"),
        ("mistral:m,base_url=http://a,server_url=http://b", "which are the same; give one"),
        ("mistral:m,api_key=sk-123", "does not know the option 'api_key'"),
    ],
)
def test_specs_that_cannot_be_used(spec: str, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        open_client(spec, ClientContext(api_key=KEY))


def test_without_the_sdk_the_install_line_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mistralai.client", None)
    with pytest.raises(MissingPackageError, match=r"pip install 'sdr-decode\[mistral\]'"):
        open_client("mistral:m", ClientContext(api_key=KEY))


@pytest.mark.parametrize(
    "body",
    [
        {"message": "Unauthorized", "request_id": "1"},
        {"detail": "Unauthorized"},
        {"object": "error", "message": {"detail": [{"msg": "Unauthorized"}]}},
        "Unauthorized",
    ],
)
async def test_every_form_of_reason_is_told(body: object) -> None:
    answer = Answer(
        [json.dumps(body).encode()], status=401, headers={"content-type": "application/json"}
    )
    async with (
        WireServer(answer) as server,
        open_client(f"mistral:m,base_url={server.url}") as client,
    ):
        with pytest.raises(StreamError, match="401: Unauthorized; set MISTRAL_API_KEY"):
            await pieces_of(client.stream(REQUEST, 0))


async def test_an_sdk_that_the_caller_configured() -> None:
    import httpx2
    from mistralai.client import Mistral
    from mistralai.client.utils import BackoffStrategy, RetryConfig

    async with (
        WireServer([CASE.refusal(500, "broken"), STOPS]) as server,
        httpx2.AsyncClient(headers={"x-ward": "3"}) as transport,
    ):
        retries = RetryConfig(
            "backoff", BackoffStrategy(1, 1, 1, 1000), retry_connection_errors=True
        )
        sdk = Mistral(
            api_key=lambda: KEY, server_url=server.url, async_client=transport, retry_config=retries
        )
        pace = Pace(retry=RetryPolicy(attempts=1))
        async with MistralClient("m", sdk=sdk, pace=pace) as client:
            with pytest.raises(StreamError, match="500"):
                await pieces_of(client.stream(REQUEST, 0))
            assert len(server.exchanges) == 1  # the SDK's own retries are off
            assert len(await pieces_of(client.stream(REQUEST, 0))) == 1
        assert server.exchanges[1].headers["x-ward"] == "3"
        assert server.exchanges[1].headers["authorization"] == f"Bearer {KEY}"
        assert not transport.is_closed
