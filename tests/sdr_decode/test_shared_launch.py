"""All candidates from one request: what can be stopped, and what the account says."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clients import Client, Finish, Piece, Request, Usage
from clients.base import CandidateStream, SharedRequest
from clients.errors import SpecError, StreamError
from sdr_decode import SDRDecoder
from sdr_decode.counts import NOTHING, UNKNOWN, Count
from sdr_decode.events import CandidateFinished, CandidatePruned, Event, TokenDelta
from sdr_decode.result import Result
from sdr_decode.shared_usage import shares_of, usages_of
from sdr_decode.streams import Arrival, Ended, Streams, Timeouts
from tests.clients.virtual_clock import run_on_virtual_clock
from tests.fake_encoder import FakeEncoder
from tests.scripted_client import ScriptedClient, words

CLEAR = "Findings: The lungs are clear. Heart size is normal.\nImpression: No acute disease."
ODD = "Findings: Purple elephants. They sing.\nImpression: Nonsense beyond words."
LONG_ODD = ODD + " And so on and on and on and on and on and on."
PROMPT = Usage(prompt_tokens=900, image_tokens=800, cached_tokens=100)


def decoder(client: Client, index: Path, **options: Any) -> SDRDecoder:
    return SDRDecoder(client, index, encoder=FakeEncoder(), launch="shared", **options)


async def test_one_request_brings_all_candidates(index: Path) -> None:
    client = ScriptedClient(words(ODD), words(CLEAR), words(ODD), lockstep=True)
    result = await decoder(client, index, prune="none").agenerate(k=3)
    assert len(client.requests) == 1
    assert result.winner == 1
    assert result.ledger.launched == 1
    assert result.ledger.asked == 3
    assert [candidate.state for candidate in result.candidates] == ["finished"] * 3


async def test_the_tokens_of_a_pruned_candidate_still_come_and_are_counted(index: Path) -> None:
    client = ScriptedClient(words(CLEAR), words(ODD), lockstep=True)
    result = await decoder(client, index).agenerate(k=2)
    assert result.candidates[1].state == "pruned"
    row = result.ledger.rows[1]
    assert row.generated == Count(len(words(ODD)), "counted")
    assert row.overshoot.value
    assert (row.observed.value or 0) + row.overshoot.value == len(words(ODD))
    assert row.avoided == NOTHING  # it had come to its end before the other one
    assert result.ledger.saved == 0.0


async def test_only_what_comes_after_the_closing_is_avoided(index: Path) -> None:
    client = ScriptedClient(words(CLEAR), words(LONG_ODD), lockstep=True)
    result = await decoder(client, index).agenerate(k=2)
    row = result.ledger.rows[1]
    assert result.candidates[1].state == "pruned"
    # One more than the other one wrote, whose end comes a step after its last piece.
    assert row.generated == Count(len(words(CLEAR)) + 1, "counted")
    assert row.avoided.provenance == "estimated"
    assert row.avoided.value


async def test_the_request_is_closed_when_no_candidate_runs_and_not_before(index: Path) -> None:
    gate = asyncio.Event()
    before, after = words(CLEAR)[:-1], words(CLEAR)[-1:]
    client = ScriptedClient([*before, gate, *after], [*words(ODD), asyncio.Event()])
    pruned = False
    async with aclosing(decoder(client, index).stream(k=2)) as events:
        async for event in events:
            if isinstance(event, CandidatePruned):
                assert event.candidate == 1
                pruned = True
                gate.set()
            elif isinstance(event, CandidateFinished):
                assert event.candidate == 0
                assert client.streams[1].cancels == 0
            elif isinstance(event, Result):
                result = event
    assert pruned
    assert client.streams[1].cancels >= 1
    assert client.streams[1].finish == Finish("cancelled")
    # Nothing that it wrote is told as text once it was pruned, but all of it is counted.
    assert result.ledger.rows[1].generated == Count(len(words(ODD)), "counted")


async def test_a_pruned_candidate_says_no_more(index: Path) -> None:
    client = ScriptedClient(words(CLEAR), words(LONG_ODD), lockstep=True)
    events: list[Event] = [event async for event in decoder(client, index).stream(k=2)]
    at = next(i for i, event in enumerate(events) if isinstance(event, CandidatePruned))
    later = events[at:]
    assert not any(isinstance(event, TokenDelta) and event.candidate == 1 for event in later)


async def test_leaving_early_closes_every_stream(index: Path) -> None:
    client = ScriptedClient(["Findings:", asyncio.Event()], ["Findings:", asyncio.Event()])
    async with aclosing(decoder(client, index).stream(k=2)) as events:
        async for event in events:
            if isinstance(event, TokenDelta):
                break
    assert all(stream.cancels >= 1 for stream in client.streams.values())


async def test_a_request_that_breaks_off_keeps_what_had_ended(index: Path) -> None:
    broken = StreamError("gone")
    client = ScriptedClient(words(CLEAR), ["Findings:", broken], ["Findings: The", broken])
    result = await decoder(client, index, prune="none").agenerate(k=3)
    assert result.winner == 0
    assert [candidate.state for candidate in result.candidates] == [
        "finished",
        "invalid",
        "invalid",
    ]


async def test_the_prompt_stands_once_and_the_output_is_dealt_out(index: Path) -> None:
    client = ScriptedClient(words(CLEAR), words(CLEAR)[:-1], lockstep=True)
    length = len(words(CLEAR))
    total = 2 * length + 9
    client.whole = Usage(900, 800, 100, output_tokens=total, reasoning_tokens=10)
    result = await decoder(client, index, prune="none").agenerate(k=2)
    first, second = result.ledger.rows
    assert (first.prompt, second.prompt) == (Count(900, "reported"), Count(0, "reported"))
    assert result.ledger.sum("prompt") == Count(900, "reported")
    assert result.ledger.sum("image") == Count(800, "reported")
    assert result.ledger.sum("cached") == Count(100, "reported")
    assert result.ledger.generated == Count(total, "estimated")
    assert first.generated.value is not None
    assert second.generated.value is not None
    assert first.generated.value > second.generated.value
    # What was read is what arrived; the rest is hidden reasoning.
    assert result.ledger.observed == Count(2 * length - 1, "counted")


async def test_counts_that_agree_with_the_sum_stay_as_they_are(index: Path) -> None:
    client = ScriptedClient(words(CLEAR), words(CLEAR), lockstep=True)
    client.whole = Usage(prompt_tokens=900, output_tokens=2 * len(words(CLEAR)))
    result = await decoder(client, index).agenerate(k=2)
    assert [row.generated for row in result.ledger.rows] == [
        Count(len(words(CLEAR)), "counted")
    ] * 2


async def test_a_prompt_that_nobody_told_is_unknown_and_not_nothing(index: Path) -> None:
    client = ScriptedClient(words(CLEAR), words(CLEAR), lockstep=True)
    result = await decoder(client, index).agenerate(k=2)
    first, second = result.ledger.rows
    assert first.prompt == UNKNOWN
    assert second.prompt.value == 0
    assert result.ledger.sum("prompt") == UNKNOWN


async def test_a_client_that_cannot_share_is_refused_before_anything_is_sent(index: Path) -> None:
    class Alone(ScriptedClient):
        can_share = False
        shared = Client.shared

    client = Alone(words(CLEAR))
    with pytest.raises(SpecError, match="use parallel, warm-first or staged:1"):
        await decoder(client, index).agenerate(k=1)
    assert client.requests == []


class Ticking(CandidateStream):
    """A piece after each of the given waits, in seconds."""

    def __init__(self, *waits: float) -> None:
        self._waits = list(waits)

    async def __anext__(self) -> Piece:
        if not self._waits or self.finish is not None:
            self.finish = self.finish or Finish("stop")
            raise StopAsyncIteration
        await asyncio.sleep(self._waits.pop(0))
        return Piece("word ")

    async def cancel(self) -> None:
        self.finish = self.finish or Finish("cancelled")


class TickingRequest(SharedRequest):
    streams = (Ticking(*[1.0] * 12), Ticking(11.0))
    usage = None


def test_a_choice_is_not_silent_while_others_of_its_request_speak() -> None:
    """A server may write one choice after the other."""

    async def ends() -> dict[int, str]:
        client, request = ScriptedClient(), Request("Describe.")
        limits = Timeouts(first=5.0, piece=5.0)
        found: dict[int, str] = {}
        async with Streams(client, request, limits, TickingRequest()) as streams:
            streams.open(0)
            streams.open(1)
            while len(found) < 2:
                for arrival in await streams.arrivals():
                    match arrival:
                        case Arrival(number, Ended(finish)):
                            found[number] = finish.reason
        return found

    assert run_on_virtual_clock(ends()) == {0: "stop", 1: "stop"}


@given(
    st.integers(0, 5000), st.lists(st.integers(0, 400), min_size=2, max_size=8), st.integers(0, 9)
)
def test_shares_sum_to_what_was_told(total: int, arrived: list[int], reasoning: int) -> None:
    counts = [Count(value, "counted") for value in arrived]
    shares = shares_of(Usage(output_tokens=total, reasoning_tokens=reasoning), counts)
    if sum(arrived) == total:
        assert shares == {}
        return
    values = [shares[number].value or 0 for number in range(len(arrived))]
    assert sum(values) == total
    for value, count in zip(values, arrived, strict=True):
        exact = total * count / sum(arrived) if any(arrived) else total / len(arrived)
        assert abs(value - exact) <= 1.0


def test_nothing_is_dealt_out_where_nothing_was_told() -> None:
    assert shares_of(None, [Count(3, "counted")]) == {}
    assert shares_of(PROMPT, [Count(3, "counted")]) == {}
    assert shares_of(Usage(output_tokens=9), [Count(3, "estimated")]) == {0: Count(9, "reported")}


def test_a_recording_of_single_requests_gives_the_prompt_of_one_of_them() -> None:
    own = {
        1: Usage(prompt_tokens=900, output_tokens=40),
        2: Usage(prompt_tokens=900, output_tokens=50),
    }
    usages = usages_of(None, own, 3)
    assert [usages[number].prompt_tokens for number in range(3)] == [900, 0, 0]
    assert [usages[number].output_tokens for number in range(3)] == [None, 40, 50]
