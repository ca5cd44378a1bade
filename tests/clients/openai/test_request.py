"""What is sent to OpenAI-compatible servers."""

from __future__ import annotations

import json
import logging
from base64 import b64decode
from typing import Any

import pytest

from clients import (
    Image,
    Request,
    Sampling,
)
from clients.errors import StreamError
from clients.openai import OpenAIClient
from clients.openai_server import token_limit_of
from tests.clients.openai.server import (
    REQUEST,
    STOPS,
    opened,
    pieces_of,
    sent,
)
from tests.clients.wire_server import Answer, Exchange, WireServer


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


async def test_log_probabilities_of_the_likeliest_tokens_are_asked_for() -> None:
    body = await sent(request=Request("Rate.", sampling=Sampling(top_logprobs=20)))
    assert (body["logprobs"], body["top_logprobs"]) == (True, 20)


async def test_likeliest_tokens_are_not_asked_for_without_log_probabilities() -> None:
    request = Request("Rate.", sampling=Sampling(top_logprobs=20))
    async with WireServer(refusing("logprobs")) as server, opened(server) as client:
        await pieces_of(client.stream(request, 0))
        assert not {"logprobs", "top_logprobs"} & set(server.exchanges[-1].body)
    async with WireServer(refusing("top_logprobs")) as server, opened(server) as client:
        await pieces_of(client.stream(request, 0))
        assert server.exchanges[-1].body["logprobs"] is True
