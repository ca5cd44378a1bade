"""How a stream stops, and what the engine sees of that."""

from __future__ import annotations

import asyncio
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from clients import CandidateStream, Finish, Request
from clients.reader import Pace
from tests.clients.contract.answers import read
from tests.clients.wire_server import SAFETY_SECONDS
from tests.engine.contract import IN_PROCESS
from tests.engine.contract.case import REQUEST, EngineCase, brief
from tests.engine.contract.faulty_engine import raising, stalling
from tests.engine.metrics import once_idle
from tests.engine.targets import ProcessTarget
from tests.engine.test_reports import STEPS

pytestmark = IN_PROCESS
AT_ONCE = 25
CANCELS = 100


async def test_100_of_100_cancels_at_random_moments_stop_their_requests(
    case: EngineCase, reporter: ProcessTarget
) -> None:
    moments = Random(20)

    async def use(stream: CandidateStream, pieces: int, turns: int) -> None:
        for _ in range(pieces):
            await anext(stream)
        waiting = asyncio.ensure_future(read(stream))
        for _ in range(turns):
            await asyncio.sleep(0)
        await stream.cancel()
        await waiting

    before = await once_idle(reporter.metrics)
    engine, client = case.open()
    streams = [client.stream(REQUEST, number) for number in range(CANCELS)]
    async with client:
        for first in range(0, CANCELS, AT_ONCE):
            async with asyncio.timeout(SAFETY_SECONDS):
                await asyncio.gather(
                    *(
                        use(stream, moments.randrange(12), moments.randrange(200))
                        for stream in streams[first : first + AT_ONCE]
                    )
                )
            assert engine.unfinished == 0
    after = await once_idle(reporter.metrics)

    assert [stream.finish for stream in streams] == [Finish("cancelled")] * CANCELS
    assert after.idle
    assert 0 <= after.generated - before.generated - engine.passed <= STEPS * CANCELS


async def test_a_cancel_at_any_moment_of_the_beginning_stops_the_request(
    case: EngineCase, reporter: ProcessTarget
) -> None:
    before = await once_idle(reporter.metrics)
    engine, client = case.open()
    async with client:
        for turns in range(60):
            stream = client.stream(REQUEST, turns)
            waiting = asyncio.ensure_future(read(stream))
            async with asyncio.timeout(SAFETY_SECONDS):
                await engine.arrivals.get()
                for _ in range(turns):
                    await asyncio.sleep(0)
                await stream.cancel()
                await waiting
            assert engine.unfinished == engine.open == 0
    after = await once_idle(reporter.metrics)
    assert after.generated - before.generated <= STEPS * 60


async def test_a_cancel_on_the_way_into_the_engine_stops_the_request(
    case: EngineCase, monkeypatch: pytest.MonkeyPatch
) -> None:
    core = case.engine.engine_core
    sent, send = asyncio.Event(), core.add_request_async

    async def send_and_wait(request: Any) -> None:
        await send(request)
        sent.set()
        await asyncio.Event().wait()

    monkeypatch.setattr(core, "add_request_async", send_and_wait)
    engine, client = case.open()
    async with client:
        stream = client.stream(REQUEST, 0)
        waiting = asyncio.ensure_future(read(stream))
        async with asyncio.timeout(SAFETY_SECONDS):
            await sent.wait()
            assert engine.unfinished == 1
            await stream.cancel()
            assert await waiting == ""
        assert engine.unfinished == 0


async def test_a_cancel_while_the_prompt_is_prepared_sends_nothing_or_stops_it(
    case: EngineCase,
) -> None:
    engine, client = case.open()
    async with client:
        for turns in range(0, 200, 5):
            # A prompt is measured once, so each is a new one.
            request = Request(f"Tags: normal/{turns}", sampling=REQUEST.sampling)
            stream = client.stream(request, 0)
            waiting = asyncio.ensure_future(read(stream))
            for _ in range(turns):
                await asyncio.sleep(0)
            await asyncio.wait_for(stream.cancel(), SAFETY_SECONDS)
            await waiting
            assert engine.unfinished == engine.open == 0
            assert stream.finish == Finish("cancelled")


async def test_streams_and_clients_can_end_while_a_prompt_is_prepared(case: EngineCase) -> None:
    preparing = asyncio.Event()

    async def never(*_: object, **__: object) -> None:
        preparing.set()
        await asyncio.Event().wait()

    engine, client = case.open()
    engine.renderer = SimpleNamespace(render_chat_async=never)
    streams = [client.stream(REQUEST, candidate) for candidate in range(4)]
    async with asyncio.timeout(SAFETY_SECONDS):
        reads = [asyncio.ensure_future(read(stream)) for stream in streams]
        await preparing.wait()
        await streams[0].cancel()
        assert await reads[0] == ""
        assert not reads[1].done()
        await client.aclose()
        assert await asyncio.gather(*reads) == [""] * 4
    assert {stream.finish for stream in streams} == {Finish("cancelled")}
    assert engine.asked == []


async def test_a_reader_that_waits_is_released(case: EngineCase) -> None:
    stalled = asyncio.Event()
    engine, client = case.open(stalling(after=1, at_once=stalled.set))
    async with client:
        stream = client.stream(REQUEST, 0)
        async with asyncio.timeout(SAFETY_SECONDS):
            await anext(stream)
            waiting = asyncio.ensure_future(read(stream))
            await stalled.wait()
            assert engine.unfinished == 1
            await stream.cancel()
            assert engine.unfinished == 0
            assert await waiting == ""


async def test_cancel_from_many_tasks_returns_when_the_request_is_aborted(
    case: EngineCase,
) -> None:
    engine, client = case.open()
    async with client:
        stream = client.stream(REQUEST, 0)
        async with asyncio.timeout(SAFETY_SECONDS):
            await anext(stream)
            unfinished = []

            async def cancel() -> None:
                await stream.cancel()
                unfinished.append(engine.unfinished)

            await asyncio.gather(*(cancel() for _ in range(10)))
            await cancel()
    assert unfinished == [0] * 11
    assert stream.finish == Finish("cancelled")


@pytest.mark.parametrize("begun", [False, True])
async def test_cancel_before_the_start_sends_nothing(case: EngineCase, begun: bool) -> None:
    engine, client = case.open()
    async with client:
        stream = client.stream(REQUEST, 0)
        waiting = asyncio.ensure_future(read(stream))
        if begun:
            await asyncio.sleep(0)
        await stream.cancel()
        assert await waiting == ""
        assert stream.finish == Finish("cancelled")
    assert engine.asked == []


async def test_cancel_after_the_end_changes_nothing(case: EngineCase) -> None:
    _, client = case.open()
    async with client:
        stream = client.stream(brief(), 0)
        await read(stream)
        usage = stream.usage
        await stream.cancel()
    assert stream.finish == Finish("length")
    assert stream.usage == usage
    assert usage.output_tokens == 6


async def test_cancel_between_two_attempts(case: EngineCase) -> None:
    from vllm.exceptions import QueueOverflowError

    asleep = asyncio.Event()

    async def sleep(_: float) -> None:
        asleep.set()
        await asyncio.Event().wait()

    engine, client = case.open(raising(QueueOverflowError()), pace=Pace(sleep=sleep))
    async with client:
        stream = client.stream(REQUEST, 0)
        waiting = asyncio.ensure_future(read(stream))
        await asyncio.wait_for(asleep.wait(), SAFETY_SECONDS)
        assert engine.unfinished == 0
        await stream.cancel()
        assert await waiting == ""
    assert len(engine.asked) == 1


@pytest.mark.parametrize("after", [0, 1])
async def test_a_consumer_that_is_cancelled_aborts_its_request(
    case: EngineCase, after: int
) -> None:
    stalled = asyncio.Event()
    engine, client = case.open(stalling(after, at_once=stalled.set))
    async with client:
        stream = client.stream(REQUEST, 0)
        consumer = asyncio.ensure_future(read(stream))
        await asyncio.wait_for(stalled.wait(), SAFETY_SECONDS)
        assert engine.unfinished == 1
        consumer.cancel()
        await asyncio.wait([consumer])
        assert consumer.cancelled()
        await stream.cancel()
        assert engine.unfinished == 0
    assert stream.finish == Finish("cancelled")
