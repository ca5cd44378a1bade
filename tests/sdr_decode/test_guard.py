"""Clients that misbehave in every way that Python allows, each beside a healthy candidate."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from clients import CandidateStream, Client, Finish, Piece, Request, Usage
from sdr_decode import SDRDecoder
from sdr_decode.guard import told
from sdr_decode.result import Result
from tests.fake_encoder import FakeEncoder
from tests.scripted_client import ScriptedClient, ScriptedStream, words

CLEAR = "Findings: The lungs are clear. Heart size is normal.\nImpression: No acute disease."
SAFETY_SECONDS = 20.0


class Stream(CandidateStream):
    """Does what the test says at each step of the protocol."""

    def __init__(
        self,
        give: Callable[[], Any] = lambda: Piece("Odd."),
        finish: Any = None,
        cancel: Callable[[], Any] = lambda: None,
    ) -> None:
        self._give, self._stop = give, cancel
        self.finish = finish

    async def __anext__(self) -> Piece:
        return self._give()  # type: ignore[no-any-return]

    async def cancel(self) -> None:
        self._stop()


class Mixed(Client):
    """Candidate 0 is healthy, the others are as the test makes them."""

    name = "mixed"

    def __init__(self, make: Callable[[], Any], *, lockstep: bool) -> None:
        self._make = make
        self.lockstep = lockstep

    def stream(self, request: Request, candidate: int) -> CandidateStream:
        if candidate == 0:
            return ScriptedStream(words(CLEAR))
        return self._make()  # type: ignore[no-any-return]


def raising(error: BaseException) -> Callable[[], Any]:
    def give() -> Any:
        raise error

    return give


def ending(finish: Any, usage: Any = None) -> Callable[[], Stream]:
    def make() -> Stream:
        stream = Stream(raising(StopAsyncIteration()), finish)
        stream.usage = usage
        return stream

    return make


BAD: dict[str, tuple[Callable[[], Any], str]] = {
    "cancelled": (lambda: Stream(raising(asyncio.CancelledError())), "CancelledError"),
    "generator exit": (lambda: Stream(raising(GeneratorExit())), "GeneratorExit"),
    "exit": (lambda: Stream(raising(SystemExit(3))), "SystemExit"),
    "base": (lambda: Stream(raising(BaseException("odd"))), "odd"),
    "time": (lambda: Stream(raising(ValueError("boom"))), "boom"),
    "no stream": (lambda: None, "expected a CandidateStream"),
    "cannot open": (raising(ValueError("no door")), "no door"),
    "no piece": (lambda: Stream(lambda: None), "expected a Piece"),
    "bytes": (lambda: Stream(lambda: Piece(b"abc")), "expected a Piece"),  # type: ignore[arg-type]
    "negative": (lambda: Stream(lambda: Piece("x", tokens=-5)), "-5 tokens"),
    "nan": (lambda: Stream(lambda: Piece("x", tokens=float("nan"))), "nan tokens"),  # type: ignore[arg-type]
    "finish": (ending("stop"), "expected a Finish"),
    "no finish": (ending(None), "without a finish reason"),
    "stubborn": (
        lambda: Stream(raising(ValueError("boom")), cancel=raising(RuntimeError("never"))),
        "boom",
    ),
    "exits on cancel": (
        lambda: Stream(raising(ValueError("boom")), cancel=raising(asyncio.CancelledError())),
        "boom",
    ),
}


@pytest.mark.parametrize("lockstep", [False, True])
@pytest.mark.parametrize("kind", BAD)
async def test_a_stream_that_misbehaves_fails_alone_and_at_once(
    index: Path, kind: str, lockstep: bool
) -> None:
    make, said = BAD[kind]
    result = await decode(index, Mixed(make, lockstep=lockstep))
    assert result.winner == 0
    assert result.report.text == CLEAR
    for candidate in result.candidates[1:]:
        assert candidate.state == "invalid"
        assert said in (candidate.ended or "")


async def decode(index: Path, client: Client, **options: Any) -> Result:
    decoder = SDRDecoder(client, index, encoder=FakeEncoder(), prune="none", **options)
    async with asyncio.timeout(SAFETY_SECONDS), decoder:
        result = await decoder.agenerate(k=3)
    assert asyncio.all_tasks() == {asyncio.current_task()}
    return result


async def test_a_stream_that_never_waits_nor_ends_leaves_the_loop_its_turns(index: Path) -> None:
    client = Mixed(lambda: Stream(lambda: Piece("word ")), lockstep=False)
    result = await decode(index, client, max_tokens=30)
    assert result.winner == 0
    assert "did not end" in (result.candidates[1].ended or "")


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(3)])
def test_synchronous_code_never_waits_for_a_loop_that_a_stream_ended(
    index: Path, error: BaseException
) -> None:
    client = Mixed(lambda: Stream(raising(error)), lockstep=False)
    with SDRDecoder(client, index, encoder=FakeEncoder(), prune="none") as decoder:
        result = decoder.generate(k=2)
        assert result.winner == 0
        assert type(error).__name__ in (result.candidates[1].ended or "")


def test_an_exit_within_the_decode_reaches_the_caller(index: Path) -> None:
    class Quitting(FakeEncoder):
        def encode(self, texts: Any) -> Any:
            raise SystemExit(3)

    client = Mixed(lambda: ScriptedStream(words("Findings: Odd sight. And more.")), lockstep=True)
    with (
        SDRDecoder(client, index, encoder=Quitting(), prune="none") as decoder,
        pytest.raises(SystemExit),
    ):
        decoder.generate(k=2)


async def test_cancelling_stays_a_cancelling_where_a_stream_refuses_to_stop(index: Path) -> None:
    begun = asyncio.Event()

    class Waiting(Stream):
        async def __anext__(self) -> Piece:
            begun.set()
            await asyncio.Event().wait()
            raise AssertionError("nothing ever comes")

    client = Mixed(lambda: Waiting(cancel=raising(RuntimeError("never"))), lockstep=False)
    decoder = SDRDecoder(client, index, encoder=FakeEncoder(), prune="none")
    task = asyncio.create_task(decoder.agenerate(k=3))
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert task.cancelled()
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_usage_that_counts_nonsense_is_unknown(index: Path) -> None:
    usage = Usage(prompt_tokens=-5, output_tokens=9)
    result = await decode(index, Mixed(ending(Finish("stop"), usage), lockstep=False))
    assert result.ledger.rows[1].prompt.value is None


@pytest.mark.parametrize("k", [None, "3", 2.0, True])
async def test_k_is_a_whole_number(index: Path, k: Any) -> None:
    from sdr_decode.errors import DecodeError

    client = Mixed(lambda: None, lockstep=False)
    with pytest.raises(DecodeError, match="whole number"):
        await SDRDecoder(client, index, encoder=FakeEncoder()).agenerate(k=k)


def test_an_error_without_words_is_told_with_its_cause() -> None:
    error = TimeoutError()
    assert told(error) == "TimeoutError()"
    error.__cause__ = OSError("no route")
    assert told(error) == "TimeoutError(), caused by OSError('no route')"
    error.__cause__ = asyncio.CancelledError()  # so asyncio makes it of a time limit
    assert told(error) == "TimeoutError()"
    with_words = ValueError("odd")
    with_words.__cause__ = OSError("no route")
    assert told(with_words) == "ValueError('odd')"


async def test_a_time_limit_of_the_client_itself_keeps_its_words(index: Path) -> None:
    client = ScriptedClient([TimeoutError("the proxy gave up")], [*words(CLEAR), Finish("stop")])
    async with SDRDecoder(client, index, encoder=FakeEncoder(), prune="none") as decoder:
        result = await decoder.agenerate(k=2)
    ended = result.candidates[0].ended or ""
    assert "the proxy gave up" in ended
