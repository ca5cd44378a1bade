"""What is sent to Gemini, and what its chunks mean."""

from __future__ import annotations

import asyncio
import json
from base64 import b64decode
from typing import Any

import pytest

from clients import Finish, Image, Piece, Request, Sampling, Usage
from clients.errors import StreamError
from tests.clients.case import KEY, event
from tests.clients.gemini_case import GeminiCase, chunk
from tests.clients.reading import REQUEST, received, sent

CASE = GeminiCase()
SPEC = "gemini:test-model"
STOPS = [chunk({"text": "Clear."}, finish="STOP")]


async def test_the_request() -> None:
    exchange = await sent(SPEC, STOPS, candidate=3)
    assert exchange.path == "/v1/models/test-model:streamGenerateContent?alt=sse"
    assert exchange.headers["x-goog-api-key"] == KEY
    assert exchange.body == {
        "contents": [{"role": "user", "parts": [{"text": "Describe the study."}]}],
        "generationConfig": {"temperature": 1.0, "maxOutputTokens": 64, "seed": 10},
    }


async def test_options_are_sent() -> None:
    spec = f"{SPEC},detail=low,thinking=0"
    request = Request("Describe.", sampling=Sampling(top_p=0.9))
    config = (await sent(spec, STOPS, request)).body["generationConfig"]
    assert config["mediaResolution"] == "MEDIA_RESOLUTION_LOW"
    assert config["thinkingConfig"] == {"thinking_budget": 0}
    assert config["topP"] == 0.9
    assert "seed" not in config


async def test_a_thinking_level_is_sent() -> None:
    body = (await sent(f"{SPEC},thinking=low", STOPS)).body
    assert body["generationConfig"]["thinkingConfig"] == {"thinking_level": "LOW"}


async def test_images_follow_the_prompt() -> None:
    images = tuple(
        Image(data, f"image/{kind}", 8, 8, "0", "DOE_JANE.png")
        for data, kind in ((b"frontal", "png"), (b"lateral", "jpeg"))
    )
    body = (await sent(SPEC, STOPS, Request("Describe.", images))).body
    text, *parts = body["contents"][0]["parts"]
    assert text == {"text": "Describe."}
    found = [part["inlineData"] for part in parts]
    assert [part["mime_type"] for part in found] == ["image/png", "image/jpeg"]
    assert [b64decode(part["data"]) for part in found] == [b"frontal", b"lateral"]
    assert "JANE" not in json.dumps(body)


def counts(output: int | None = None, thoughts: int | None = None, **more: Any) -> dict[str, Any]:
    known = {
        "promptTokenCount": 290,
        "candidatesTokenCount": output,
        "thoughtsTokenCount": thoughts,
    }
    return {name: value for name, value in (known | more).items() if value is not None}


async def test_counts_that_grow_replace_each_other() -> None:
    pieces, finish, usage = await received(
        SPEC,
        [
            chunk({"text": "No "}, usageMetadata=counts()),
            chunk({"text": "effusion"}, usageMetadata=counts(3)),
            chunk({"text": "."}, finish="STOP", usageMetadata=counts(4)),
        ],
    )
    assert pieces == [
        Piece("No ", tokens=None),
        Piece("effusion", tokens=None, running_tokens=3),
        Piece(".", tokens=None, running_tokens=4),
    ]
    assert finish == Finish("stop")
    assert usage == Usage(prompt_tokens=290, output_tokens=4)


async def test_thoughts_are_output_and_no_text() -> None:
    pieces, _, usage = await received(
        SPEC,
        [
            chunk({"text": "Hmm.", "thought": True}, usageMetadata=counts(thoughts=30)),
            chunk({"text": "Clear."}, finish="STOP", usageMetadata=counts(2, 40)),
        ],
    )
    assert pieces == [
        Piece("", tokens=None, running_tokens=30),
        Piece("Clear.", tokens=None, running_tokens=42),
    ]
    assert usage == Usage(prompt_tokens=290, output_tokens=42, reasoning_tokens=40)


async def test_image_and_cached_tokens() -> None:
    details = [
        {"modality": "TEXT", "tokenCount": 32},
        {"modality": "IMAGE", "tokenCount": 258},
    ]
    told = counts(2, cachedContentTokenCount=200, promptTokensDetails=details)
    _, _, usage = await received(SPEC, [chunk({"text": "No."}, finish="STOP", usageMetadata=told)])
    assert usage == Usage(290, 258, 200, 2, None, "reported")


async def test_parts_are_joined_and_other_candidates_left_alone() -> None:
    other = {"candidates": [{"index": 1, "content": {"parts": [{"text": "x"}]}}]}
    steps = [event(other), chunk({"text": "No "}, {"text": "effusion."}, finish="STOP")]
    pieces, _, _ = await received(SPEC, steps)
    assert [piece.text for piece in pieces] == ["No effusion."]


@pytest.mark.parametrize(
    "word", ["SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY"]
)
async def test_filters_are_told_in_the_providers_word(word: str) -> None:
    _, finish, _ = await received(SPEC, [chunk({"text": "No "}), chunk(finish=word)])
    assert finish == Finish("content_filter", word)


async def test_a_blocked_prompt() -> None:
    told = {"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}}
    pieces, finish, usage = await received(SPEC, [event(told | {"usageMetadata": counts()})])
    assert pieces == []
    assert finish == Finish("content_filter", "the prompt was blocked: PROHIBITED_CONTENT")
    assert usage == Usage(prompt_tokens=290)


async def test_a_limit_spent_on_thoughts_is_explained() -> None:
    steps = [
        event(
            {"candidates": [{"finishReason": "MAX_TOKENS"}], "usageMetadata": counts(thoughts=64)}
        )
    ]
    _, finish, _ = await received(SPEC, steps)
    assert finish.reason == "length"
    assert "64 output tokens were spent on hidden thoughts before any text" in str(finish.detail)


@pytest.mark.parametrize("word", ["OTHER", "LANGUAGE", "MALFORMED_RESPONSE", "SOMETHING_NEW"])
@pytest.mark.filterwarnings("ignore:SOMETHING_NEW")
async def test_a_report_that_the_server_broke_off(word: str) -> None:
    with pytest.raises(StreamError, match=rf"broke the report off \({word}\)"):
        await received(SPEC, [chunk({"text": "Clear."}), chunk(finish=word)])


@pytest.mark.parametrize("data", [1, {"candidates": 3}, {"candidates": [3]}, {"usageMetadata": 3}])
async def test_chunks_of_another_shape_are_an_error(data: Any) -> None:
    with pytest.raises(StreamError, match="not a Gemini chunk"):
        await received(SPEC, [event(data), *STOPS])


@pytest.mark.parametrize("data", [[], "text", None])
async def test_chunks_without_fields_bring_nothing(data: Any) -> None:
    pieces, finish, _ = await received(SPEC, [event(data), *STOPS])
    assert [piece.text for piece in pieces] == ["Clear."]
    assert finish == Finish("stop")


@pytest.mark.parametrize("thinking", [None, "low", 5])
async def test_one_client_serves_many_candidates(thinking: Any) -> None:
    spec = SPEC if thinking is None else f"{SPEC},thinking={thinking}"
    results = await asyncio.gather(*(received(spec, STOPS, REQUEST) for _ in range(4)))
    assert [[piece.text for piece in pieces] for pieces, _, _ in results] == [["Clear."]] * 4


async def test_log_probabilities_of_the_likeliest_tokens() -> None:
    asked = Request("Rate.", sampling=Sampling(top_logprobs=5))
    config = (await sent(SPEC, STOPS, asked)).body["generationConfig"]
    assert (config["responseLogprobs"], config["logprobs"]) == (True, 5)

    def token(text: str | None, logprob: float | None = -0.5) -> dict[str, Any]:
        return {"token": text, "logProbability": logprob}

    told = {
        "chosenCandidates": [token("\n"), token("4")],
        "topCandidates": [
            {"candidates": [token("\n")]},
            {"candidates": [token("4"), token("5", -2.0), token(None), token("3", None)]},
        ],
    }
    parts = {"content": {"parts": [{"text": "\n4"}]}, "finishReason": "STOP"}
    for result, expected in (
        (told, (("4", -0.5), ("5", -2.0))),
        ({}, None),
        ({"chosenCandidates": [token("4")]}, None),
        ({"chosenCandidates": [token("4")], "topCandidates": [{}]}, None),
    ):
        pieces, _, _ = await received(
            SPEC, [event({"candidates": [parts | {"logprobsResult": result}]})], asked
        )
        assert [piece.top_logprobs for piece in pieces] == [expected]
