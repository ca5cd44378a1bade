"""How the Gemini client is opened, and what it says when Gemini refuses."""

from __future__ import annotations

import asyncio
import itertools
import json
import sys

import pytest

from clients import ClientContext, open_client
from clients.errors import MissingKeyError, MissingPackageError, SpecError, StreamError
from clients.gemini import GeminiClient
from clients.reader import Pace
from clients.retry import RetryPolicy
from tests.clients.case import KEY
from tests.clients.gemini_case import GeminiCase, chunk
from tests.clients.reading import REQUEST, pieces_of
from tests.clients.wire_server import SAFETY_SECONDS, Answer, WireServer

CASE = GeminiCase()
STOPS = Answer([chunk({"text": "Clear."}, finish="STOP")])


@pytest.fixture(autouse=True)
def no_ambient_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GEMINI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def test_without_a_key_the_variables_are_named() -> None:
    with pytest.raises(MissingKeyError, match="GEMINI_API_KEY or GOOGLE_API_KEY"):
        open_client("gemini:gemini-2.5-flash-lite")


async def test_where_the_key_comes_from(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOOGLE_API_KEY", "first")
    async with WireServer(STOPS) as server:

        async def use(key: str | None = None) -> None:
            spec = f"gemini:m,base_url={server.url}"
            async with open_client(spec, ClientContext(api_key=key)) as client:
                await pieces_of(client.stream(REQUEST, 0))

        await use()
        monkeypatch.setenv("GEMINI_API_KEY", "second")
        await use()
        await use("third")
        keys = [exchange.headers["x-goog-api-key"] for exchange in server.exchanges]
    assert keys == ["first", "second", "third"]


async def test_the_settings_of_vertex_in_the_environment_do_not_matter(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GOOGLE_GENAI_USE_VERTEXAI", "true")
    async with WireServer(STOPS) as server:
        monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", server.url)
        async with open_client("gemini:m", ClientContext(api_key=KEY)) as client:
            await pieces_of(client.stream(REQUEST, 0))
        assert client.name == f"gemini:m,base_url={server.url}"
        assert server.exchanges[0].path == "/v1/models/m:streamGenerateContent?alt=sse"


def test_the_name_opens_the_client_again_and_holds_no_secret() -> None:
    context = ClientContext(api_key=KEY)
    assert open_client("gemini:gemini-2.5-flash", context).name == "gemini:gemini-2.5-flash"
    client = open_client("gemini:m,base_url=http://me:hunter2@localhost:8000?key=hunter3", context)
    assert client.name == "gemini:m,base_url=http://localhost:8000"
    assert open_client(client.name, context).name == client.name
    assert "hunter" not in repr(client)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("gemini", "found no model"),
        ("gemini:m,base_url=localhost", "expected one such as http"),
        ("gemini:m,detail=tiny", "expected low or medium or high"),
        ("gemini:m,thinking=much", "as its thinking; expected a whole number of at least -1"),
        ("gemini:m,thinking=-2", "whole number of at least -1"),
        ("gemini:m,api_key=sk-123", "does not know the option 'api_key'"),
    ],
)
def test_specs_that_cannot_be_used(spec: str, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        open_client(spec, ClientContext(api_key=KEY))


def test_options_reach_the_client() -> None:
    spec = "gemini:m,max_concurrency=3,timeout=7,first_timeout=9,retries=0"
    client = open_client(spec, ClientContext(api_key=KEY))
    assert isinstance(client, GeminiClient)
    assert client.max_concurrency == 3
    assert (client.pace.timeouts.silence, client.pace.timeouts.first) == (7, 9)
    assert client.pace.retry.attempts == 1


def test_without_the_sdk_the_install_line_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "google.genai", None)
    with pytest.raises(MissingPackageError, match=r"pip install 'sdr-decode\[gemini\]'"):
        open_client("gemini:m", ClientContext(api_key=KEY))


async def test_the_wait_that_google_names_in_the_body_is_honoured() -> None:
    waits = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    detail = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "17s"}
    body = {"error": {"code": 429, "message": "quota", "details": [detail]}}
    refusal = Answer(
        [json.dumps(body).encode()], status=429, headers={"content-type": "application/json"}
    )
    async with WireServer([refusal, STOPS]) as server:
        pace = Pace(sleep=sleep, jitter=lambda: 0.5)
        async with GeminiClient("m", base_url=server.url, api_key=KEY, pace=pace) as client:
            await pieces_of(client.stream(REQUEST, 0))
    assert waits == [pytest.approx(17 * 1.05)]


async def test_retries_that_the_caller_configured_are_off() -> None:
    from google import genai

    async with WireServer(CASE.refusal(500, "broken")) as server:
        options = genai.types.HttpOptions(
            base_url=server.url, retry_options=genai.types.HttpRetryOptions(attempts=5)
        )
        sdk = genai.Client(api_key=KEY, http_options=options)
        pace = Pace(retry=RetryPolicy(attempts=1))
        async with GeminiClient("m", sdk=sdk, pace=pace) as client:
            with pytest.raises(StreamError, match="500"):
                await pieces_of(client.stream(REQUEST, 0))
        assert len(server.exchanges) == 1
        await sdk.aio.aclose()


@pytest.mark.parametrize("owned", [True, False])
async def test_a_chunk_that_ends_the_report_in_error_closes_the_connection(owned: bool) -> None:
    from google import genai

    steps = itertools.chain(
        [chunk({"text": "No "}), chunk(finish="OTHER")], itertools.repeat(chunk())
    )
    async with WireServer(Answer(steps)) as server:
        options = genai.types.HttpOptions(base_url=server.url)
        sdk = None if owned else genai.Client(api_key=KEY, http_options=options)
        client = GeminiClient("m", sdk=sdk, base_url=server.url, api_key=KEY)
        with pytest.raises(StreamError, match="OTHER"):
            await pieces_of(client.stream(REQUEST, 0))
        await asyncio.wait_for(server.exchanges[0].disconnected.wait(), SAFETY_SECONDS)
        await client.aclose()
        if sdk is not None:
            await sdk.aio.aclose()
