"""What arrives from a complete answer."""

from __future__ import annotations

import asyncio

import pytest

from clients import Finish, Request, Usage
from tests.clients.case import ClientCase
from tests.clients.contract.answers import (
    REPORT,
    REQUEST,
    complete,
    read,
)
from tests.clients.contract.clock import Clock
from tests.clients.wire_server import SAFETY_SECONDS, Answer, WireServer


async def test_text_finish_and_usage_arrive(case: ClientCase, clock: Clock) -> None:
    async with WireServer(complete(case)) as server, case.open(server.url, clock.pace()) as client:
        stream = client.stream(REQUEST, 0)
        assert await read(stream) == REPORT
    assert stream.finish == Finish("stop")
    assert stream.usage == Usage(prompt_tokens=20, output_tokens=8, provenance="reported")
    assert await read(stream) == ""


async def test_nothing_is_sent_before_the_first_piece_is_asked_for(
    case: ClientCase, clock: Clock
) -> None:
    async with WireServer(complete(case)) as server, case.open(server.url, clock.pace()) as client:
        await client.check(REQUEST, 8)
        asked = len(server.exchanges)  # a check may ask how long the prompt is
        streams = [client.stream(REQUEST, candidate) for candidate in range(3)]
        await read(streams[1])
        assert len(server.exchanges) == asked + 1


async def test_the_prompt_and_nothing_else_of_the_study_is_sent(
    case: ClientCase, clock: Clock
) -> None:
    request = Request("Describe the study.", study="patient-4711")
    async with WireServer(complete(case)) as server, case.open(server.url, clock.pace()) as client:
        await read(client.stream(request, 0))
        exchange = await server.request()
    assert "Describe the study." in str(exchange.body)
    assert "4711" not in str(exchange.body) + str(exchange.headers)


async def test_text_and_finish_may_share_a_chunk(case: ClientCase, clock: Clock) -> None:
    answer = Answer([case.text("No "), case.text("effusion.", "stop"), case.end()])
    async with WireServer(answer) as server, case.open(server.url, clock.pace()) as client:
        stream = client.stream(REQUEST, 0)
        assert await read(stream) == "No effusion."
    assert stream.finish == Finish("stop")


async def test_missing_usage_is_unknown(case: ClientCase, clock: Clock) -> None:
    answer = Answer([case.text("No effusion."), case.finish("stop"), case.end()])
    async with WireServer(answer) as server, case.open(server.url, clock.pace()) as client:
        stream = client.stream(REQUEST, 0)
        await read(stream)
    assert stream.usage is None


@pytest.mark.parametrize("reason", ["length", "content_filter"])
async def test_other_finish_reasons(case: ClientCase, clock: Clock, reason: str) -> None:
    answer = Answer([case.text("No "), case.finish(reason), case.end()])
    async with WireServer(answer) as server, case.open(server.url, clock.pace()) as client:
        stream = client.stream(REQUEST, 0)
        assert await read(stream) == "No "
    assert stream.finish == Finish(reason, case.detail(reason))


async def test_empty_chunks_and_keep_alive_lines_bring_nothing(
    case: ClientCase, clock: Clock
) -> None:
    nothing = [*case.empty(), case.keep_alive()]
    answer = Answer(
        [
            *(*nothing, case.text("No "), *nothing, case.text("effusion."), *nothing),
            *(case.finish("stop"), *nothing, case.end()),
        ]
    )
    async with WireServer(answer) as server, case.open(server.url, clock.pace()) as client:
        stream = client.stream(REQUEST, 0)
        async with asyncio.timeout(SAFETY_SECONDS):
            pieces = [piece.text async for piece in stream]
    assert pieces == ["No ", "effusion."]


async def test_characters_split_between_writes(case: ClientCase, clock: Clock) -> None:
    text = "Größe ≈ 1,5 cm, 肺 klar 🫁."
    whole = case.text(text) + case.finish("stop") + case.end()
    answer = Answer([whole[at : at + 1] for at in range(len(whole))])
    async with WireServer(answer) as server, case.open(server.url, clock.pace()) as client:
        assert await read(client.stream(REQUEST, 0)) == text
