"""What the chunks of OpenAI-compatible servers mean."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from clients import (
    Finish,
    Piece,
    Usage,
)
from clients.errors import StreamError
from clients.reader import ReaderStream
from tests.clients.cases import chunk, delta, event
from tests.clients.openai.server import (
    CASE,
    REQUEST,
    opened,
    pieces_of,
    received,
)
from tests.clients.wire_server import SAFETY_SECONDS, Answer, Fault, WireServer


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


def place(token: str, **likeliest: float) -> dict[str, Any]:
    listed = [{"token": each, "logprob": logprob} for each, logprob in likeliest.items()]
    return {"token": token, "logprob": -0.5, "top_logprobs": listed}


async def test_the_likeliest_tokens_are_those_in_place_of_the_first_that_is_not_blank() -> None:
    pieces, _, _ = await received(
        delta(content="", role="assistant"),
        delta(content="\n4", logprobs={"content": [place("\n", x=-9.0), place("4", a=-0.5, b=-2)]}),
        delta(content=".", logprobs={"content": [token(-0.25)]}),
        delta("stop"),
    )
    assert [piece.top_logprobs for piece in pieces] == [(("a", -0.5), ("b", -2.0)), None]


@pytest.mark.parametrize(
    "logprobs",
    [
        {}, {"content": None}, {"content": [None]}, {"content": [{"token": "4"}]},
        {"content": [{"token": None, "top_logprobs": []}]},
        {"content": [{"token": "4", "top_logprobs": [None, {"token": 4}, {"logprob": -1.0}]}]},
    ],
)  # fmt: skip
async def test_likeliest_tokens_that_are_not_told(logprobs: Any) -> None:
    pieces, _, _ = await received(delta(content="4", logprobs=logprobs), delta("stop"))
    assert [(piece.text, piece.top_logprobs) for piece in pieces] == [("4", None)]
