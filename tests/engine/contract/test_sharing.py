"""What the streams of one client share, and what is left when they are gone."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from clients import CandidateStream, Client, Finish
from clients.errors import ClientClosedError, StreamError
from tests.clients.contract.answers import DESCRIPTORS, open_descriptors, read
from tests.clients.contract.test_local import (  # noqa: F401 - promises of clients without a wire
    test_a_closed_client_says_so,
    test_cancel_before_the_start,
    test_cancel_in_mid_stream_again_and_from_many_tasks,
    test_cancel_while_it_starts,
    test_nothing_is_finished_before_it_began,
)
from tests.clients.wire_server import SAFETY_SECONDS
from tests.engine.contract import IN_PROCESS
from tests.engine.contract.case import REQUEST, EngineCase, brief, tokens_of
from tests.engine.contract.faulty_engine import ending, raising, untouched

pytestmark = IN_PROCESS


@pytest.fixture
def opened(case: EngineCase) -> Callable[[], Client]:
    return lambda: case.open()[1]


async def test_the_limit_holds_over_all_streams(case: EngineCase) -> None:
    engine, client = case.open(max_concurrency=3)
    async with client:
        streams = [client.stream(brief(), candidate) for candidate in range(12)]
        assert await asyncio.gather(*map(tokens_of, streams)) == [6] * 12
    assert len(engine.asked) == 12
    assert engine.most_open == 3


async def test_a_cancelled_wait_for_a_place_gives_way(case: EngineCase) -> None:
    engine, client = case.open(max_concurrency=1)
    async with client:
        running, waiting = (client.stream(REQUEST, candidate) for candidate in range(2))
        last = client.stream(brief(), 2)
        async with asyncio.timeout(SAFETY_SECONDS):
            await anext(running)
            reads = [asyncio.ensure_future(tokens_of(stream)) for stream in (waiting, last)]
            await asyncio.sleep(0)
            await waiting.cancel()
            await running.cancel()
            assert await asyncio.gather(*reads) == [0, 6]
    assert len(engine.asked) == 2


@pytest.mark.skipif(not DESCRIPTORS.is_dir(), reason="needs Linux's /proc")
async def test_nothing_leaks(case: EngineCase) -> None:
    async def use(stream: CandidateStream) -> None:
        async with asyncio.timeout(SAFETY_SECONDS):
            try:
                for _ in range(5):
                    await anext(stream, None)
            except StreamError:
                pass
            finally:
                await stream.cancel()

    async def decode(streams: int) -> None:
        wrong = (ending(1), raising(ValueError("no"), after=2), raising(ValueError("no")))
        engine, client = case.open(*(untouched, untouched, *wrong) * streams)
        async with client:
            for first in range(0, streams, 25):
                await asyncio.gather(
                    *(
                        use(client.stream((REQUEST, brief(3))[n % 2], n))
                        for n in range(first, first + 25)
                    )
                )
        assert len(engine.asked) == streams
        assert engine.unfinished == engine.open == 0

    await decode(25)
    descriptors, tasks = open_descriptors(), asyncio.all_tasks()
    await decode(200)
    assert open_descriptors() == descriptors
    assert asyncio.all_tasks() == tasks


async def test_closing_the_client_returns_when_its_requests_are_aborted(case: EngineCase) -> None:
    engine, client = case.open()
    streams = [client.stream(REQUEST, candidate) for candidate in range(4)]
    async with asyncio.timeout(SAFETY_SECONDS):
        await asyncio.gather(*map(anext, streams))
        await asyncio.gather(client.aclose(), client.aclose())
        await client.aclose()
    assert engine.unfinished == 0
    assert {stream.finish for stream in streams} == {Finish("cancelled")}


async def test_a_client_of_another_loop_says_so_and_can_be_closed_there(case: EngineCase) -> None:
    engine, client = case.open()
    await client.check(brief(), 1)

    async def use() -> None:
        with pytest.raises(ClientClosedError, match="another event loop"):
            await client.check(brief(), 1)
        with pytest.raises(ClientClosedError, match="another event loop"):
            await read(client.stream(brief(), 0))
        await client.aclose()

    await asyncio.to_thread(asyncio.run, use())
    assert engine.asked == []
    with pytest.raises(ClientClosedError, match="is closed"):
        await client.check(brief(), 1)
