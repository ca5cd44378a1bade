"""How a stream stops, and what its server sees of that."""

from __future__ import annotations

import asyncio

import pytest

from clients import Finish
from clients.reader import Pace
from tests.clients.case import ClientCase
from tests.clients.contract.answers import (
    DESCRIPTORS,
    REQUEST,
    complete,
    endless,
    open_descriptors,
    read,
)
from tests.clients.contract.clock import Clock
from tests.clients.wire_server import SAFETY_SECONDS, Answer, Fault, WireServer


async def test_a_cancel_closes_the_connection_without_another_chunk(
    case: ClientCase, clock: Clock
) -> None:
    sent = []
    async with (
        WireServer(lambda _: endless(case, paced=True)) as server,
        case.open(server.url, clock.pace()) as client,
    ):
        for number in range(100):
            stream = client.stream(REQUEST, number)
            async with asyncio.timeout(SAFETY_SECONDS):
                first = asyncio.ensure_future(anext(stream))
                exchange = await server.request(number)
                exchange.allow(3)
                await first
                await anext(stream)
                await anext(stream)
                await stream.cancel()
                # The server may send nothing more, so it sees the end only if that was sent.
                await exchange.disconnected.wait()
            assert stream.finish == Finish("cancelled")
            sent.append(exchange.sent)
        await server.all_disconnected()
    assert sent == [3] * 100


async def test_a_cancel_at_any_moment_of_the_beginning_closes_the_connection(
    case: ClientCase, clock: Clock
) -> None:
    answer = Answer([case.text("No "), Fault.STALL])
    async with WireServer(answer) as server, case.open(server.url, clock.pace()) as client:
        for turns in range(60):
            stream = client.stream(REQUEST, turns)
            waiting = asyncio.ensure_future(read(stream))
            async with asyncio.timeout(SAFETY_SECONDS):
                exchange = await server.request(turns)
                for _ in range(turns):
                    await asyncio.sleep(0)
                await stream.cancel()
                await waiting
                await exchange.disconnected.wait()
        await server.all_disconnected()


@pytest.mark.skipif(not DESCRIPTORS.is_dir(), reason="needs Linux's /proc")
async def test_when_cancel_returns_the_connection_is_closed(case: ClientCase, clock: Clock) -> None:
    answer = Answer([case.text("No "), Fault.STALL])
    async with WireServer(answer) as server, case.open(server.url, clock.pace()) as client:
        stream = client.stream(REQUEST, 0)
        async with asyncio.timeout(SAFETY_SECONDS):
            await anext(stream)
            before = open_descriptors()
            await stream.cancel()
            assert open_descriptors() < before


async def test_streams_cancelled_together_all_close(case: ClientCase, clock: Clock) -> None:
    async with (
        WireServer(lambda _: endless(case)) as server,
        case.open(server.url, clock.pace()) as client,
    ):
        streams = [client.stream(REQUEST, candidate) for candidate in range(32)]
        async with asyncio.timeout(SAFETY_SECONDS):
            await asyncio.gather(*(anext(stream) for stream in streams))
            await asyncio.gather(*(stream.cancel() for stream in streams))
            await asyncio.gather(*(x.disconnected.wait() for x in server.exchanges))
        assert server.open_requests == 0


async def test_a_reader_that_waits_is_released(case: ClientCase, clock: Clock) -> None:
    answer = Answer([case.text("No "), Fault.STALL])
    async with WireServer(answer) as server, case.open(server.url, clock.pace()) as client:
        stream = client.stream(REQUEST, 0)
        async with asyncio.timeout(SAFETY_SECONDS):
            await anext(stream)
            waiting = asyncio.ensure_future(read(stream))
            await asyncio.sleep(0)
            await stream.cancel()
            assert await waiting == ""
            await server.exchanges[0].disconnected.wait()


async def test_cancel_again_and_from_many_tasks(case: ClientCase, clock: Clock) -> None:
    async with WireServer(endless(case)) as server, case.open(server.url, clock.pace()) as client:
        stream = client.stream(REQUEST, 0)
        async with asyncio.timeout(SAFETY_SECONDS):
            await anext(stream)
            await asyncio.gather(*(stream.cancel() for _ in range(10)))
            await stream.cancel()
            await server.exchanges[0].disconnected.wait()
        assert stream.finish == Finish("cancelled")


async def test_cancel_before_the_start_sends_nothing(case: ClientCase, clock: Clock) -> None:
    async with WireServer(complete(case)) as server, case.open(server.url, clock.pace()) as client:
        stream = client.stream(REQUEST, 0)
        await stream.cancel()
        assert await read(stream) == ""
        assert stream.finish == Finish("cancelled")
        assert server.exchanges == []


async def test_cancel_while_the_reader_has_not_begun(case: ClientCase, clock: Clock) -> None:
    async with WireServer(complete(case)) as server, case.open(server.url, clock.pace()) as client:
        stream = client.stream(REQUEST, 0)
        waiting = asyncio.ensure_future(read(stream))
        await asyncio.sleep(0)
        await stream.cancel()
        assert await waiting == ""
        assert server.exchanges == []


async def test_cancel_after_the_end_changes_nothing(case: ClientCase, clock: Clock) -> None:
    async with WireServer(complete(case)) as server, case.open(server.url, clock.pace()) as client:
        stream = client.stream(REQUEST, 0)
        await read(stream)
        await stream.cancel()
    assert stream.finish == Finish("stop")
    assert stream.usage is not None


async def test_cancel_before_the_answer_begins(case: ClientCase, clock: Clock) -> None:
    async with (
        WireServer(Answer(silent=True)) as server,
        case.open(server.url, clock.pace()) as client,
    ):
        stream = client.stream(REQUEST, 0)
        waiting = asyncio.ensure_future(read(stream))
        exchange = await server.request()
        await stream.cancel()
        assert await waiting == ""
        await asyncio.wait_for(exchange.disconnected.wait(), SAFETY_SECONDS)


async def test_cancel_between_two_attempts(case: ClientCase, clock: Clock) -> None:
    asleep = asyncio.Event()

    async def sleep(_: float) -> None:
        asleep.set()
        await asyncio.Event().wait()

    pace = Pace(sleep=sleep)
    async with (
        WireServer(case.refusal(500, "broken")) as server,
        case.open(server.url, pace) as client,
    ):
        stream = client.stream(REQUEST, 0)
        waiting = asyncio.ensure_future(read(stream))
        await asyncio.wait_for(asleep.wait(), SAFETY_SECONDS)
        await stream.cancel()
        assert await waiting == ""
        assert len(server.exchanges) == 1


async def test_a_consumer_that_is_cancelled_closes_its_stream(
    case: ClientCase, clock: Clock
) -> None:
    answer = Answer([case.text("No "), Fault.STALL])
    async with WireServer(answer) as server, case.open(server.url, clock.pace()) as client:
        stream = client.stream(REQUEST, 0)
        async with asyncio.timeout(SAFETY_SECONDS):
            await anext(stream)
        consumer = asyncio.ensure_future(read(stream))
        await asyncio.sleep(0)
        consumer.cancel()
        await asyncio.gather(consumer, return_exceptions=True)
        assert consumer.cancelled()
        await asyncio.wait_for(server.exchanges[0].disconnected.wait(), SAFETY_SECONDS)
        await stream.cancel()
    assert stream.finish == Finish("cancelled")
