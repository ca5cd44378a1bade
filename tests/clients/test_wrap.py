from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from clients import Client, ClientContext, open_client, wrap
from clients.errors import SpecError
from clients.gemini import GeminiClient
from clients.mistral import MistralClient
from clients.openai import OpenAIClient
from sdr_decode import SDRDecoder
from tests.clients.case import KEY
from tests.clients.cases import OpenAICase
from tests.clients.gemini_case import GeminiCase
from tests.clients.mistral_case import MistralCase
from tests.clients.reading import REQUEST, pieces_of
from tests.clients.wire_server import Answer, WireServer
from tests.fake_encoder import FakeEncoder

REPORT = "Findings: The lungs are clear. Impression: No acute disease."


def openai(url: str) -> Any:
    from openai import AsyncOpenAI

    return AsyncOpenAI(base_url=f"{url}/v1", api_key=KEY)


def azure(url: str) -> Any:
    from openai import AsyncAzureOpenAI

    return AsyncAzureOpenAI(azure_endpoint=url, api_version="2024-10-21", api_key=KEY)


def gemini(url: str) -> Any:
    from google import genai

    return genai.Client(api_key=KEY, http_options=genai.types.HttpOptions(base_url=url))


def mistral(url: str) -> Any:
    from mistralai.client import Mistral

    return Mistral(api_key=KEY, server_url=url)


async def closed(sdk: Any) -> None:
    if hasattr(sdk, "aio"):
        await sdk.aio.aclose()
    elif hasattr(sdk, "close"):
        await sdk.close()
    else:
        await sdk.__aexit__(None, None, None)


SDKS = pytest.mark.parametrize(
    ("sdk_of", "case", "kind"),
    [
        (openai, OpenAICase(), OpenAIClient),
        (azure, OpenAICase(), OpenAIClient),
        (gemini, GeminiCase(), GeminiClient),
        (mistral, MistralCase(), MistralClient),
    ],
    ids=["AsyncOpenAI", "AsyncAzureOpenAI", "genai.Client", "Mistral"],
)


@SDKS
async def test_each_sdk_streams_over_what_the_caller_configured(
    sdk_of: Any, case: Any, kind: type[Client]
) -> None:
    answer = Answer([case.text("Clear."), case.finish("stop"), case.end() or b"\n"])
    async with WireServer(answer) as server:
        sdk = sdk_of(server.url)
        client = wrap(sdk, "ward-model", max_concurrency=2)
        assert isinstance(client, kind)
        async with client:
            pieces = await pieces_of(client.stream(REQUEST, 0))
        assert [piece.text for piece in pieces] == ["Clear."]
        exchange = server.exchanges[0]
        assert KEY in str(exchange.headers)
        assert "ward-model" in str(exchange.body) + exchange.path
        assert KEY not in f"{client!r} {client.name}"
        # The caller's object is still open.
        async with wrap(sdk, "ward-model") as again:
            assert len(await pieces_of(again.stream(REQUEST, 0))) == 1
        await closed(sdk)


@SDKS
async def test_a_decoder_takes_each_sdk(
    sdk_of: Any, case: Any, kind: type[Client], index: Path
) -> None:
    answer = Answer(
        [case.text(REPORT), case.finish("stop"), case.usage(9, 12), case.end() or b"\n"]
    )
    async with WireServer(answer) as server:
        sdk = sdk_of(server.url)
        decoder = SDRDecoder(client=sdk, model="ward-model", index=index, encoder=FakeEncoder())
        async with decoder:
            result = await decoder.agenerate(k=2)
        assert result.report.text == REPORT
        assert len(server.exchanges) == 2
        assert KEY not in repr(result)
        await closed(sdk)


async def test_an_engine_of_vllm_goes_to_its_client(monkeypatch: pytest.MonkeyPatch) -> None:
    class VLLMClient:
        def __init__(self, model: str, *, engine: Any, logprobs: bool = False) -> None:
            self.given = (model, engine, logprobs)

    module = ModuleType("clients.vllm")
    module.VLLMClient = VLLMClient  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "clients.vllm", module)
    engine_class = type("AsyncLLM", (), {"__module__": "vllm.v1.engine.async_llm"})
    derived = type("WardLLM", (engine_class,), {"__module__": "ward"})
    for engine in (engine_class(), derived()):
        client: Any = wrap(engine, "models/cxr", logprobs=True)
        assert client.given == ("models/cxr", engine, True)


def named(module: str, name: str) -> Any:
    return type(name, (), {"__module__": module})()


@pytest.mark.parametrize(
    ("sdk", "message"),
    [
        (named("openai._client", "OpenAI"), "found OpenAI of openai.*expected AsyncOpenAI"),
        (named("openai.lib.azure", "AzureOpenAI"), "expected AsyncAzureOpenAI"),
        (named("google.genai.client", "AsyncClient"), r"the genai\.Client that it belongs to"),
        (named("vllm.entrypoints.llm", "LLM"), "expected AsyncLLM"),
        (named("openaix", "AsyncOpenAI"), "found AsyncOpenAI as the client; expected a spec"),
        (42, "found int as the client; expected a spec, a Client, or AsyncOpenAI"),
        (None, "found NoneType as the client"),
        (named("mistralai.client.sdk", "Mistral"), "found Mistral without a model; name it"),
    ],
)
def test_what_cannot_be_wrapped_says_what_can(sdk: Any, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        wrap(sdk, "" if "Mistral" in type(sdk).__name__ else "m")


def test_a_client_is_not_wrapped_again() -> None:
    client = open_client("openai:m", ClientContext(api_key=KEY))
    with pytest.raises(SpecError, match="OpenAIClient is a client already"):
        wrap(client, "m")


def test_a_model_beside_a_client_that_names_its_own(index: Path) -> None:
    with pytest.raises(SpecError, match="found the model 'b' beside the client openai:a"):
        SDRDecoder(client="openai:a", model="b", index=index, encoder=FakeEncoder())


def test_no_sdk_is_imported_to_find_out(monkeypatch: pytest.MonkeyPatch) -> None:
    for package in ("openai", "google.genai", "mistralai", "vllm"):
        monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(SpecError, match="found object"):
        wrap(object(), "m")
