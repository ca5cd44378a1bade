"""What is sent to Mistral, and what its chunks mean."""

from __future__ import annotations

import json
from base64 import b64decode

import pytest

from clients import Finish, Image, Piece, Request, Sampling, Usage
from clients.errors import StreamError
from tests.clients.case import KEY, event
from tests.clients.mistral_case import chunk, delta
from tests.clients.reading import REQUEST, received, sent

SPEC = "mistral:test-model"
DONE = b"data: [DONE]\n\n"
STOPS = [delta("stop", content="Clear."), DONE]


async def test_the_request() -> None:
    exchange = await sent(SPEC, STOPS, candidate=3)
    assert exchange.path.startswith("/v1/chat/completions")
    assert exchange.headers["authorization"] == f"Bearer {KEY}"
    body = {name: value for name, value in exchange.body.items() if value is not None}
    assert body == {
        "model": "test-model",
        "messages": [{"role": "user", "content": "Describe the study."}],
        "stream": True,
        "temperature": 1.0,
        "max_tokens": 64,
        "random_seed": 10,
    }


async def test_options_are_sent() -> None:
    spec = f"{SPEC},prompt_cache_key=ward-3,effort=high"
    body = (await sent(spec, STOPS, Request("Describe.", sampling=Sampling(top_p=0.9)))).body
    assert (body["prompt_cache_key"], body["top_p"]) == ("ward-3", 0.9)
    assert body["reasoning_effort"] == "high"
    assert body.get("random_seed") is None


async def test_images_follow_the_prompt_as_data_urls() -> None:
    images = tuple(
        Image(data, f"image/{kind}", 8, 8, "0", "DOE_JANE.png")
        for data, kind in ((b"frontal", "png"), (b"lateral", "jpeg"))
    )
    body = (await sent(SPEC, STOPS, Request("Describe.", images))).body
    text, *parts = body["messages"][0]["content"]
    assert (text["type"], text["text"]) == ("text", "Describe.")
    for part, image in zip(parts, images, strict=True):
        url = part["image_url"]
        head, _, data = (url if isinstance(url, str) else url["url"]).partition(",")
        assert head == f"data:{image.media_type};base64"
        assert b64decode(data) == image.data
    assert "JANE" not in json.dumps(body)


@pytest.mark.parametrize(
    ("word", "finish"),
    [
        ("stop", Finish("stop")),
        ("length", Finish("length")),
        ("model_length", Finish("length", "model_length")),
        ("content_filter", Finish("content_filter")),
        ("something_new", Finish("stop", "something_new")),
    ],
)
async def test_finish_words(word: str, finish: Finish) -> None:
    _, found, _ = await received(SPEC, [delta(content="Clear."), delta(word), DONE])
    assert found == finish


async def test_a_report_that_the_server_broke_off() -> None:
    with pytest.raises(StreamError, match=r"broke the report off \(error\)"):
        await received(SPEC, [delta(content="Clear."), delta("error"), DONE])


async def test_usage() -> None:
    counts = {
        "prompt_tokens": 1400,
        "completion_tokens": 90,
        "prompt_tokens_details": {"cached_tokens": 1024},
    }
    last = chunk([{"index": 0, "delta": {"content": ""}, "finish_reason": "stop"}], usage=counts)
    pieces, finish, usage = await received(SPEC, [delta(content="Clear."), last, DONE])
    assert "".join(piece.text for piece in pieces) == "Clear."
    assert finish == Finish("stop")
    assert usage == Usage(1400, None, 1024, 90, None, "reported")


async def test_thoughts_are_no_text_but_a_sign_of_life() -> None:
    thought = {"type": "thinking", "thinking": [{"type": "text", "text": "Hmm."}]}
    text = {"type": "text", "text": "No effusion."}
    pieces, _, _ = await received(
        SPEC, [delta(content=[thought]), delta(content=[text]), delta("stop"), DONE]
    )
    assert pieces == [Piece("", tokens=None), Piece("No effusion.", tokens=None)]


async def test_nothing_after_the_end_is_waited_for() -> None:
    pieces, _, _ = await received(SPEC, [*STOPS, delta(content="more")])
    assert [piece.text for piece in pieces] == ["Clear."]


@pytest.mark.parametrize(
    "body", [{"error": {"message": "gone"}}, {"object": "error", "message": "gone"}]
)
async def test_errors_in_place_of_a_chunk(body: dict[str, object]) -> None:
    with pytest.raises(StreamError, match="broke off with an error: gone"):
        await received(SPEC, [delta(content="No "), event(body)], REQUEST)


@pytest.mark.parametrize("data", [[], 1, "text", None])
async def test_chunks_of_another_shape_are_an_error(data: object) -> None:
    with pytest.raises(StreamError, match="not a chat completion chunk"):
        await received(SPEC, [event(data), *STOPS])


async def test_log_probabilities_of_the_likeliest_tokens() -> None:
    asked = Request("Rate.", sampling=Sampling(top_logprobs=5))
    body = (await sent(SPEC, STOPS, asked)).body
    assert (body["logprobs"], body["top_logprobs"]) == (True, 5)
    place = {"token": "4", "logprob": -0.5, "top_logprobs": [{"token": "4", "logprob": -0.5}]}
    choice = {"index": 0, "delta": {"content": "4"}, "logprobs": {"content": [place]}}
    pieces, _, _ = await received(SPEC, [chunk([choice | {"finish_reason": "stop"}])], asked)
    assert [piece.top_logprobs for piece in pieces] == [(("4", -0.5),)]
