"""What fails, and what is tried again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

import pytest

from clients import Finish, Request, Sampling
from clients.errors import StreamError, StreamTimeoutError
from clients.reader import Timeouts
from clients.retry import RetryPolicy
from tests.clients.contract.answers import read
from tests.clients.wire_server import SAFETY_SECONDS
from tests.engine.contract import IN_PROCESS
from tests.engine.contract.case import ENDLESS, REQUEST, EngineCase, brief, tokens_of
from tests.engine.contract.faulty_engine import (
    Fault,
    ending,
    finishing,
    hollow,
    raising,
    stalling,
    untouched,
)

pytestmark = IN_PROCESS
# Longer than the engine takes for a token, and over before a test is given up.
PATIENCE = SAFETY_SECONDS / 2


def busy() -> Exception:
    from vllm.exceptions import QueueOverflowError

    return QueueOverflowError()


def failed() -> Exception:
    from vllm.v1.engine.exceptions import EngineGenerateError

    error = EngineGenerateError()
    error.__cause__ = RuntimeError("a worker lost its place")
    return error


def refused() -> Exception:
    from vllm.exceptions import VLLMValidationError

    return VLLMValidationError("this is why")


def too_much() -> Exception:
    from vllm.exceptions import GracefulHTTPError

    return GracefulHTTPError("this is why", HTTPStatus.BAD_REQUEST)


@pytest.mark.parametrize("make", [refused, too_much, lambda: ValueError("this is why")])
async def test_a_request_that_cannot_succeed_is_sent_once(
    case: EngineCase, make: Callable[[], Exception]
) -> None:
    engine, client = case.open(raising(make()))
    async with client:
        stream = client.stream(REQUEST, 0)
        with pytest.raises(StreamError, match="this is why") as caught:
            await read(stream)
        assert not caught.value.retryable
        assert stream.finish.reason == "error"
        assert await read(stream) == ""
    assert len(engine.asked) == 1


@pytest.mark.parametrize("make", [busy, failed])
async def test_what_may_pass_is_tried_again_and_the_waits_grow(
    case: EngineCase, make: Callable[[], Exception]
) -> None:
    engine, client = case.open(*[raising(make())] * 3, untouched)
    async with client:
        stream = client.stream(brief(), 0)
        assert await tokens_of(stream) == 6
    assert len(engine.asked) == len({asked.request_id for asked in engine.asked}) == 4
    assert case.clock.sleeps == [0.375, 0.75, 1.5]
    assert stream.usage.output_tokens == 6


async def test_attempts_are_bounded(case: EngineCase) -> None:
    pace = case.clock.pace(retry=RetryPolicy(attempts=3))
    engine, client = case.open(raising(busy()), pace=pace)
    async with client:
        with pytest.raises(StreamError, match=r"busy.*gave up after 3 attempts"):
            await read(client.stream(REQUEST, 0))
    assert len(engine.asked) == 3


@pytest.mark.parametrize("make", [busy, failed, refused])
async def test_an_error_in_mid_stream_is_told_and_leaves_the_others(
    case: EngineCase, make: Callable[[], Exception]
) -> None:
    error = make()
    engine, client = case.open(raising(error, after=2), untouched)
    async with client:
        streams = [client.stream(REQUEST, 0), *(client.stream(brief(), n) for n in range(1, 4))]
        first = asyncio.ensure_future(read(streams[0]))
        await asyncio.wait_for(engine.arrivals.get(), SAFETY_SECONDS)
        others = await asyncio.gather(*map(tokens_of, streams[1:]))
        with pytest.raises(StreamError, match=str(error.__cause__ or error)):
            await first
    assert others == [6] * 3
    assert [stream.finish.reason for stream in streams] == ["error"] + ["length"] * 3
    assert len(engine.asked) == 4


@pytest.mark.parametrize("word", ["abort", "error"])
async def test_a_report_that_the_engine_breaks_off_is_tried_again_before_the_first_piece_only(
    case: EngineCase, word: str
) -> None:
    engine, client = case.open(finishing(word), finishing(word, after=2))
    async with client:
        stream = client.stream(REQUEST, 0)
        async with asyncio.timeout(SAFETY_SECONDS):
            await anext(stream)
            await anext(stream)
            with pytest.raises(StreamError, match=rf"broke the report off \({word}\)"):
                await anext(stream)
    assert len(engine.asked) == 2
    assert stream.finish.reason == "error"


async def test_a_request_that_someone_else_aborts_ends_with_an_error(case: EngineCase) -> None:
    engine, client = case.open()
    async with client:
        stream = client.stream(REQUEST, 0)
        async with asyncio.timeout(SAFETY_SECONDS):
            await anext(stream)
            await engine.abort(engine.asked[0].request_id)
            with pytest.raises(StreamError, match=r"broke the report off \(abort\)"):
                await read(stream)


async def test_a_report_without_an_end_is_an_error(case: EngineCase) -> None:
    engine, client = case.open(ending(2))
    async with client:
        with pytest.raises(StreamError, match="ended before the report did"):
            await read(client.stream(REQUEST, 0))
    assert len(engine.asked) == 1


async def test_an_answer_without_any_output_is_an_error(case: EngineCase) -> None:
    pace = case.clock.pace(retry=RetryPolicy(attempts=2))
    engine, client = case.open(ending(0), pace=pace)
    async with client:
        with pytest.raises(StreamError, match="ended before the report did"):
            await read(client.stream(REQUEST, 0))
    assert len(engine.asked) == 2


@pytest.mark.parametrize("wrong", [{"temperature": -1.0}, {"top_p": 2.0}, {"max_tokens": 0}])
async def test_settings_that_the_engine_does_not_take_are_named(
    case: EngineCase, wrong: dict[str, Any]
) -> None:
    request = Request(REQUEST.prompt, sampling=Sampling(**wrong))
    engine, client = case.open()
    async with client:
        with pytest.raises(StreamError, match=f"vLLM.*{next(iter(wrong))}"):
            await read(client.stream(request, 0))
    assert engine.asked == []


async def test_a_setting_that_vllm_does_not_know_is_named(case: EngineCase) -> None:
    engine, client = case.open(more_sampling={"top_q": 1})
    async with client:
        with pytest.raises(StreamError, match=r"vLLM.*top_q"):
            await read(client.stream(REQUEST, 0))
    assert engine.asked == []


class Stall:
    """A stall during which a long time passes at once."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self._patch = patch

    def __call__(self, after: int = 0) -> Fault:
        return stalling(after, at_once=self.pass_time)

    def pass_time(self) -> None:
        loop = asyncio.get_running_loop()
        true = loop.time
        self._patch.setattr(loop, "time", lambda: true() + PATIENCE)


@pytest.fixture
def stall(monkeypatch: pytest.MonkeyPatch) -> Stall:
    return Stall(monkeypatch)


async def test_a_stall_before_the_first_piece_is_tried_again(
    case: EngineCase, stall: Stall
) -> None:
    pace = case.clock.pace(Timeouts(first=PATIENCE, silence=SAFETY_SECONDS))
    engine, client = case.open(stall(), untouched, pace=pace)
    async with client:
        assert await tokens_of(client.stream(brief(), 0)) == 6
    assert len(engine.asked) == 2


async def test_a_stall_in_mid_stream_ends_it_and_its_request(
    case: EngineCase, stall: Stall
) -> None:
    pace = case.clock.pace(Timeouts(first=SAFETY_SECONDS, silence=PATIENCE))
    engine, client = case.open(stall(after=2), pace=pace)
    async with client:
        stream = client.stream(REQUEST, 0)
        with pytest.raises(StreamTimeoutError, match=f"{PATIENCE:g} s after the last piece"):
            await read(stream)
        assert engine.unfinished == 0
    assert len(engine.asked) == 1
    assert stream.finish.reason == "error"


async def test_a_complete_report_does_not_fail_for_what_comes_after_it(
    case: EngineCase, stall: Stall
) -> None:
    async def fault(outputs: Any) -> Any:
        yield hollow(await anext(outputs), "stop")
        stall.pass_time()
        await asyncio.Event().wait()

    async def broken(outputs: Any) -> Any:
        yield hollow(await anext(outputs), "stop")
        raise failed()

    pace = case.clock.pace(Timeouts(usage=PATIENCE))
    _, client = case.open(fault, broken, pace=pace, more_sampling=ENDLESS)
    async with client:
        for _ in range(2):
            stream = client.stream(REQUEST, 0)
            assert await read(stream) == ""
            assert stream.finish == Finish("stop")
