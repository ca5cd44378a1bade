"""What the streams of one client share, and what is left when they are gone."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable

import pytest

from clients import CandidateStream, Finish
from clients.errors import (
    ClientClosedError,
    StreamError,
)
from tests.clients.case import ClientCase
from tests.clients.contract.answers import (
    DESCRIPTORS,
    REPORT,
    REQUEST,
    complete,
    endless,
    open_descriptors,
    read,
)
from tests.clients.contract.clock import Clock
from tests.clients.wire_server import SAFETY_SECONDS, Answer, Exchange, Fault, WireServer


async def test_the_limit_holds_over_all_streams(case: ClientCase, clock: Clock) -> None:
    async with (
        WireServer(lambda _: complete(case)) as server,
        case.open(server.url, clock.pace(), max_concurrency=3) as client,
    ):
        streams = [client.stream(REQUEST, candidate) for candidate in range(12)]
        assert await asyncio.gather(*map(read, streams)) == [REPORT] * 12
        assert server.most_open_requests == 3


async def test_a_cancelled_wait_for_a_place_gives_way(case: ClientCase, clock: Clock) -> None:
    script = [endless(case), complete(case)]
    async with (
        WireServer(script) as server,
        case.open(server.url, clock.pace(), max_concurrency=1) as client,
    ):
        running, waiting, last = (client.stream(REQUEST, candidate) for candidate in range(3))
        async with asyncio.timeout(SAFETY_SECONDS):
            await anext(running)
            reads = [asyncio.ensure_future(read(stream)) for stream in (waiting, last)]
            await asyncio.sleep(0)
            await waiting.cancel()
            await running.cancel()
            assert await asyncio.gather(*reads) == ["", REPORT]
        assert len(server.exchanges) == 2


@pytest.mark.parametrize("turns", range(1, 9))
async def test_connections_long_idle_are_closed_whoever_is_cancelled(
    case: ClientCase, clock: Clock, monkeypatch: pytest.MonkeyPatch, turns: int
) -> None:
    """A pool closes what has been idle for long in the task of the next request."""
    if "wrapped" in case.name or "over" in case.name:
        pytest.skip("the pool is the caller's")
    async with WireServer(lambda _: complete(case)) as server:
        async with case.open(server.url, clock.pace()) as client:
            streams = [client.stream(REQUEST, candidate) for candidate in range(8)]
            assert await asyncio.gather(*map(read, streams)) == [REPORT] * 8
            later = time.monotonic() + 86_400
            monkeypatch.setattr("httpcore2._async.http11.time", Later(later))
            stream = client.stream(REQUEST, 8)
            waiting = asyncio.ensure_future(read(stream))
            for _ in range(turns):
                await asyncio.sleep(0)
            await stream.cancel()
            await waiting
        await server.all_disconnected()


class Later:
    """The time module at another moment."""

    def __init__(self, moment: float) -> None:
        self.monotonic = lambda: moment


@pytest.mark.skipif(not DESCRIPTORS.is_dir(), reason="needs Linux's /proc")
async def test_nothing_leaks(case: ClientCase, clock: Clock) -> None:
    def script(exchange: Exchange) -> Answer:
        kinds: Iterable[Answer] = (
            complete(case),
            endless(case),
            Answer([case.text("No "), Fault.RESET]),
            Answer([case.text("No "), case.malformed()]),
            case.refusal(400, "no"),
        )
        return list(kinds)[len(server.exchanges) % 5]

    async def use(stream: CandidateStream) -> None:
        async with asyncio.timeout(SAFETY_SECONDS):
            try:
                for _ in range(9):
                    await anext(stream, None)
            except StreamError:
                pass
            finally:
                await stream.cancel()

    async def decode() -> None:
        async with case.open(server.url, clock.pace()) as client:
            for _ in range(5):
                streams = [client.stream(REQUEST, candidate) for candidate in range(40)]
                await asyncio.gather(*map(use, streams))

    async with WireServer(script) as server:
        async with case.open(server.url, clock.pace()) as client:
            await use(client.stream(REQUEST, 0))
        await server.all_disconnected()
        descriptors, tasks = open_descriptors(), asyncio.all_tasks()
        await decode()
        await server.all_disconnected()
        assert len(server.exchanges) == 201
        assert open_descriptors() == descriptors
        assert asyncio.all_tasks() == tasks


async def test_closing_the_client_stops_its_streams(case: ClientCase, clock: Clock) -> None:
    async with WireServer(endless(case)) as server:
        client = case.open(server.url, clock.pace())
        stream = client.stream(REQUEST, 0)
        async with asyncio.timeout(SAFETY_SECONDS):
            await anext(stream)
            await client.aclose()
            await client.aclose()
            await server.exchanges[0].disconnected.wait()
        assert stream.finish == Finish("cancelled")


async def test_a_closed_client_says_so(case: ClientCase, clock: Clock) -> None:
    async with WireServer(complete(case)) as server:
        client = case.open(server.url, clock.pace())
        await client.aclose()
        with pytest.raises(ClientClosedError, match="is closed; open a new one"):
            await client.check(REQUEST, 1)
        with pytest.raises(ClientClosedError, match="is closed; open a new one"):
            await read(client.stream(REQUEST, 0))
        assert server.exchanges == []


def test_a_client_of_another_loop_says_so(case: ClientCase, clock: Clock) -> None:
    async def use() -> None:
        async with WireServer(complete(case)) as server:
            opened.append(case.open(server.url, clock.pace()))
            assert await read(opened[0].stream(REQUEST, 0)) == REPORT

    async def use_again() -> None:
        with pytest.raises(ClientClosedError, match="another event loop"):
            await opened[0].check(REQUEST, 1)
        with pytest.raises(ClientClosedError, match="another event loop"):
            await read(opened[0].stream(REQUEST, 0))
        await opened[0].aclose()

    opened: list = []
    asyncio.run(use())
    asyncio.run(use_again())
