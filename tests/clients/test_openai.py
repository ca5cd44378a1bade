"""What only the client of OpenAI-compatible servers does. See test_contract for the rest."""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from base64 import b64decode
from typing import Any

import pytest

from clients import (
    Client,
    ClientContext,
    Finish,
    Image,
    Piece,
    Request,
    Sampling,
    Usage,
    open_client,
)
from clients.errors import MissingKeyError, MissingPackageError, SpecError, StreamError
from clients.openai import OpenAIClient
from clients.openai_server import token_limit_of
from clients.reader import Pace, ReaderStream
from clients.retry import RetryPolicy
from tests.clients.cases import KEY, OpenAICase, chunk, delta, event
from tests.clients.wire_server import SAFETY_SECONDS, Answer, Exchange, Fault, WireServer

CASE = OpenAICase()
REQUEST = Request("Describe the study.", sampling=Sampling(max_tokens=64, seed=7))
DONE = CASE.end()
STOPS = Answer([CASE.text("Clear."), CASE.finish("stop"), DONE])


@pytest.fixture(autouse=True)
def no_ambient_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def opened(server: WireServer, options: str = "", key: str | None = KEY) -> Client:
    spec = f"openai:test-model,base_url={server.url}/v1{options}"
    return open_client(spec, ClientContext(api_key=key))


async def pieces_of(stream: Any) -> list[Piece]:
    async with asyncio.timeout(SAFETY_SECONDS):
        return [piece async for piece in stream]


async def sent(options: str = "", request: Request = REQUEST, candidate: int = 0) -> dict[str, Any]:
    async with WireServer(STOPS) as server, opened(server, options) as client:
        await pieces_of(client.stream(request, candidate))
        return server.exchanges[0].body


async def received(*steps: bytes) -> tuple[list[Piece], Finish, Usage | None]:
    async with WireServer(Answer([*steps, DONE])) as server, opened(server, ",retries=0") as client:
        stream = client.stream(REQUEST, 0)
        pieces = await pieces_of(stream)
        assert stream.finish is not None
        return pieces, stream.finish, stream.usage


# What is sent


async def test_the_body_of_a_request() -> None:
    assert await sent(candidate=3) == {
        "model": "test-model",
        "messages": [{"role": "user", "content": "Describe the study."}],
        "stream": True,
        "stream_options": {"include_usage": True},
        "temperature": 1.0,
        "max_tokens": 64,
        "seed": 10,
    }


async def test_what_is_not_set_is_not_sent() -> None:
    body = await sent(request=Request("Describe the study."))
    assert not {"seed", "top_p", "logprobs", "reasoning_effort", "n"} & set(body)


async def test_options_are_sent() -> None:
    options = ",logprobs=true,effort=low,token_limit=max_completion_tokens,running_usage=true"
    body = await sent(options, Request("Describe.", sampling=Sampling(top_p=0.9)))
    assert (body["logprobs"], body["reasoning_effort"], body["top_p"]) == (True, "low", 0.9)
    assert body["max_completion_tokens"] == 512
    assert "max_tokens" not in body
    assert body["stream_options"] == {"include_usage": True, "continuous_usage_stats": True}


async def test_images_follow_the_prompt_as_data_urls() -> None:
    images = tuple(
        Image(data, f"image/{kind}", 8, 8, "0", "DOE_JANE.png")
        for data, kind in ((b"frontal", "png"), (b"lateral", "jpeg"))
    )
    body = await sent(",detail=low", Request("Describe.", images))
    text, *parts = body["messages"][0]["content"]
    assert text == {"type": "text", "text": "Describe."}
    for part, image in zip(parts, images, strict=True):
        head, _, data = part["image_url"]["url"].partition(",")
        assert head == f"data:{image.media_type};base64"
        assert b64decode(data) == image.data
        assert part["image_url"]["detail"] == "low"
    assert "JANE" not in json.dumps(body)


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://api.openai.com/v1", "max_completion_tokens"),
        ("https://eu.api.openai.com/v1", "max_completion_tokens"),
        ("https://clinic.openai.azure.com/openai/v1", "max_completion_tokens"),
        ("http://localhost:8000/v1", "max_tokens"),
        ("https://api.openai.com.example.org/v1", "max_tokens"),
    ],
)
def test_the_name_of_the_token_limit(url: str, name: str) -> None:
    assert token_limit_of(url) == name


def refusing(*fields: str, form: str = "openai") -> Any:
    """A server that knows none of the fields."""

    def script(exchange: Exchange) -> Answer:
        for field in fields:
            if field in exchange.body:
                return refusal(field, form)
        return STOPS

    return script


def refusal(field: str, form: str) -> Answer:
    body: dict[str, Any]
    if form == "openai":
        text = f"Unsupported parameter: '{field}' is not supported with this model."
        text += " Use 'max_completion_tokens' instead." if field == "max_tokens" else ""
        body = {"error": {"message": text, "param": field, "code": "unsupported_parameter"}}
        status = 400
    elif form == "value":
        text = f"Unsupported value: '{field}' does not support 1.5 with this model."
        body = {"error": {"message": text, "param": field, "code": "unsupported_value"}}
        status = 400
    else:
        body = {"detail": [{"type": "extra_forbidden", "loc": ["body", field], "msg": "Extra"}]}
        status = 422
    headers = {"content-type": "application/json"}
    return Answer([json.dumps(body).encode()], status=status, headers=headers)


@pytest.mark.parametrize("form", ["openai", "value", "extra"])
async def test_fields_that_a_model_does_not_support(
    form: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING, "clients")
    script = refusing("max_tokens", "temperature", "seed", form=form)
    async with WireServer(script) as server, opened(server) as client:
        assert len(await pieces_of(client.stream(REQUEST, 0))) == 1
        assert len(server.exchanges) == 4
        body = server.exchanges[-1].body
        assert body["max_completion_tokens"] == 64
        assert not {"max_tokens", "temperature", "seed"} & set(body)
        await pieces_of(client.stream(REQUEST, 1))
        assert len(server.exchanges) == 5  # what one candidate learnt serves the others
    assert isinstance(client, OpenAIClient)
    assert client.unsupported == ["max_tokens", "temperature", "seed"]
    assert [record.args[1] for record in caplog.records] == client.unsupported  # type: ignore[index]


async def test_a_request_without_a_token_limit_is_never_sent() -> None:
    script = refusing("max_tokens", "max_completion_tokens")
    async with WireServer(script) as server, opened(server) as client:
        with pytest.raises(StreamError, match="400: Unsupported parameter: 'max_completion_t"):
            await pieces_of(client.stream(REQUEST, 0))
        assert len(server.exchanges) == 2


async def test_a_value_that_is_too_large_is_not_left_out() -> None:
    text = "max_tokens is too large: 64. This model supports at most 32 completion tokens."
    body = {"error": {"message": text, "param": "max_tokens", "code": None}}
    answer = Answer([json.dumps(body).encode()], status=400)
    async with WireServer(answer) as server, opened(server) as client:
        with pytest.raises(StreamError, match="too large"):
            await pieces_of(client.stream(REQUEST, 0))
        assert len(server.exchanges) == 1


# What arrives


def token(logprob: float) -> dict[str, Any]:
    return {"token": "x", "logprob": logprob, "bytes": None, "top_logprobs": []}


async def test_tokens_are_unknown_unless_something_tells() -> None:
    pieces, _, _ = await received(delta(content="No "), delta("stop"))
    assert pieces == [Piece("No ", tokens=None)]


async def test_log_probabilities_count_and_add() -> None:
    pieces, _, _ = await received(
        delta(content="No ", logprobs={"content": [token(-0.25)]}),
        delta(content="effusion.", logprobs={"content": [token(-0.5), token(-1.0)]}),
        delta("stop", logprobs={"content": []}),
    )
    assert pieces == [
        Piece("No ", tokens=1, logprob=-0.25),
        Piece("effusion.", tokens=2, logprob=-1.5),
    ]


def counted(output: int, text: str | None = None) -> bytes:
    usage = {"prompt_tokens": 20, "completion_tokens": output, "total_tokens": 20 + output}
    choice = {"index": 0, "delta": {} if text is None else {"content": text}}
    return chunk([choice], usage=usage)


async def test_a_running_count_replaces() -> None:
    pieces, _, usage = await received(
        counted(0, ""), counted(1, "No "), counted(3, "effusion"), counted(4, "."), delta("stop")
    )
    assert pieces == [
        Piece("No ", tokens=1, running_tokens=1),
        Piece("effusion", tokens=2, running_tokens=3),
        Piece(".", tokens=1, running_tokens=4),
    ]
    assert usage == Usage(prompt_tokens=20, output_tokens=4)


async def test_a_running_count_is_known_after_a_cancel() -> None:
    steps = [counted(1, "No "), counted(3, "effusion"), counted(4, " is"), counted(5, " seen")]
    async with WireServer(Answer(steps, paced=True)) as server, opened(server) as client:
        stream = client.stream(REQUEST, 0)
        async with asyncio.timeout(SAFETY_SECONDS):
            first = asyncio.ensure_future(anext(stream))
            exchange = await server.request()
            exchange.allow(2)
            await first
            await anext(stream)
            await stream.cancel()
    assert stream.usage == Usage(prompt_tokens=20, output_tokens=3)


async def test_pieces_that_came_too_late_are_told() -> None:
    steps = [CASE.text("No ") + CASE.text("effusion."), CASE.text("")]
    async with WireServer(Answer(steps, paced=True)) as server, opened(server) as client:
        stream = client.stream(REQUEST, 0)
        assert isinstance(stream, ReaderStream)
        async with asyncio.timeout(SAFETY_SECONDS):
            first = asyncio.ensure_future(anext(stream))
            (await server.request()).allow()
            assert (await first).text == "No "
            await stream.cancel()
        assert [piece.text for piece in stream.undelivered] == ["effusion."]
        assert await pieces_of(stream) == []


async def test_all_details_of_usage() -> None:
    details = {
        "prompt_tokens": 1000,
        "completion_tokens": 90,
        "total_tokens": 1090,
        "prompt_tokens_details": {"cached_tokens": 512, "image_tokens": 700},
        "completion_tokens_details": {"reasoning_tokens": 64},
    }
    _, _, usage = await received(delta("stop", content="No."), chunk([], usage=details))
    assert usage == Usage(1000, 700, 512, 90, 64, "reported")


async def test_details_that_are_left_out_are_unknown() -> None:
    _, _, usage = await received(delta("stop", content="No."), chunk([], usage={"total_tokens": 9}))
    assert usage == Usage()


async def test_a_refusal_is_no_report() -> None:
    pieces, finish, _ = await received(
        delta(refusal="I cannot help "), delta(refusal="with X-rays."), delta("stop")
    )
    assert pieces == []
    assert finish == Finish("refusal", "I cannot help with X-rays.")


async def test_reasoning_is_no_text_but_a_sign_of_life() -> None:
    pieces, _, _ = await received(delta(reasoning_content="Hmm."), delta("stop", content="Clear."))
    assert [piece.text for piece in pieces] == ["", "Clear."]


async def test_a_limit_spent_on_reasoning_is_explained() -> None:
    usage = {
        "prompt_tokens": 9,
        "completion_tokens": 64,
        "completion_tokens_details": {"reasoning_tokens": 64},
    }
    _, finish, _ = await received(delta("length"), chunk([], usage=usage))
    assert finish.reason == "length"
    assert "64 output tokens were spent on hidden reasoning before any text" in str(finish.detail)


@pytest.mark.parametrize(
    ("word", "finish"),
    [
        ("eos", Finish("stop", "eos")),
        ("model_length", Finish("length", "model_length")),
        ("something_new", Finish("stop", "something_new")),
    ],
)
async def test_finish_words_of_other_servers(word: str, finish: Finish) -> None:
    _, found, _ = await received(delta(content="Clear."), delta(word))
    assert found == finish


@pytest.mark.parametrize("word", ["error", "abort"])
async def test_a_report_that_the_server_broke_off(word: str) -> None:
    with pytest.raises(StreamError, match=f"broke the report off \\({word}\\)"):
        await received(delta(content="Clear."), delta(word))


async def test_other_choices_are_left_alone() -> None:
    other = chunk([{"index": 1, "delta": {"content": "other"}, "finish_reason": "length"}])
    pieces, finish, _ = await received(other, delta("stop", content="Clear."), other)
    assert [piece.text for piece in pieces] == ["Clear."]
    assert finish == Finish("stop")


async def test_half_a_character_does_not_break_what_follows() -> None:
    lone = b'data: {"choices": [{"index": 0, "delta": {"content": "a\\ud83d"}}]}\n\n'
    pieces, _, _ = await received(lone, delta("stop"))
    assert pieces[0].text == "a\ufffd"
    pieces[0].text.encode()


@pytest.mark.parametrize(
    "data",
    [
        *([], 1, "text", None, {}, {"choices": 3}, {"choices": [3, None]}, {"usage": "much"}),
        {"choices": [{"index": 0, "delta": "text", "logprobs": {"content": 3}}]},
    ],
)
async def test_chunks_of_another_shape_bring_nothing(data: Any) -> None:
    pieces, finish, _ = await received(event(data), delta("stop", content="Clear."))
    assert [piece.text for piece in pieces] == ["Clear."]
    assert finish == Finish("stop")


async def test_text_of_another_type_is_told() -> None:
    answer = Answer([delta(content=3), Fault.STALL])
    async with WireServer(answer) as server, opened(server) as client:
        with pytest.raises(StreamError, match="text of type int; expected a string"):
            await pieces_of(client.stream(REQUEST, 0))
        await asyncio.wait_for(server.exchanges[0].disconnected.wait(), SAFETY_SECONDS)


# What fails


@pytest.mark.parametrize(
    ("status", "advice"),
    [
        (401, "set OPENAI_API_KEY to a valid key"),
        (403, "may use the model 'test-model'"),
        (404, r"check the model name 'test-model' and the base URL \(most end in /v1\)"),
        (413, "smaller or fewer images"),
        (400, "check the model, the prompt"),
    ],
)
async def test_each_refusal_says_what_to_do(status: int, advice: str) -> None:
    answer = CASE.refusal(status, "because")
    async with WireServer(answer) as server, opened(server) as client:
        with pytest.raises(
            StreamError, match=f"{server.url}/v1 answered {status}: because; .*{advice}"
        ):
            await pieces_of(client.stream(REQUEST, 0))


async def test_a_used_up_quota_is_not_tried_again() -> None:
    body = {"error": {"message": "You exceeded your quota.", "code": "insufficient_quota"}}
    answer = Answer([json.dumps(body).encode()], status=429)
    async with WireServer(answer) as server, opened(server) as client:
        with pytest.raises(StreamError, match="check the account's plan and billing"):
            await pieces_of(client.stream(REQUEST, 0))
        assert len(server.exchanges) == 1


async def test_the_server_may_forbid_another_attempt() -> None:
    answer = CASE.refusal(500, "broken", {"x-should-retry": "false"})
    async with WireServer(answer) as server, opened(server) as client:
        with pytest.raises(StreamError, match="500"):
            await pieces_of(client.stream(REQUEST, 0))
        assert len(server.exchanges) == 1


async def test_an_error_in_place_of_the_first_chunk_is_tried_again() -> None:
    async def sleep(_: float) -> None:
        pass

    script = [Answer([CASE.error("overloaded")]), STOPS]
    async with WireServer(script) as server:
        pace = Pace(sleep=sleep)
        client = OpenAIClient("m", base_url=f"{server.url}/v1", api_key=KEY, pace=pace)
        async with client:
            assert len(await pieces_of(client.stream(REQUEST, 0))) == 1
        assert len(server.exchanges) == 2


async def test_images_and_pages_are_not_repeated_in_messages() -> None:
    image = "data:image/png;base64," + "QUJD" * 200
    body = {"error": {"message": f"cannot decode '{image}' " + "x" * 1000}}
    script = [
        Answer([json.dumps(body).encode()], status=400),
        Answer([b"<html><body>Proxy login</body></html>"], status=403),
    ]
    async with WireServer(script) as server, opened(server) as client:
        with pytest.raises(StreamError) as caught:
            await pieces_of(client.stream(REQUEST, 0))
        assert "QUJD" not in str(caught.value)
        assert len(str(caught.value)) < 500
        with pytest.raises(StreamError, match="403: no reason given"):
            await pieces_of(client.stream(REQUEST, 0))


# How it is opened


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
