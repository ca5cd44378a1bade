"""All candidates from one request: what can be stopped, and what the account says."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clients import Client, Finish, Piece, Request, Usage
from clients.base import CandidateStream, SharedRequest
from clients.errors import SpecError, StreamError
from clients.reader import Pace
from clients.recorded import RecordedClient
from clients.recorder import Recorder
from clients.recording import read_recording
from sdr_decode import SDRDecoder
from sdr_decode.counts import NOTHING, UNKNOWN, Count
from sdr_decode.events import CandidateFinished, CandidatePruned, Event, TokenDelta
from sdr_decode.result import Result
from sdr_decode.shared_usage import shares_of, usages_of
from sdr_decode.streams import Arrival, Ended, Streams, Timeouts
from tests.clients.case import event
from tests.clients.cases import OpenAICase
from tests.clients.virtual_clock import run_on_virtual_clock
from tests.clients.wire_server import SAFETY_SECONDS, Answer, WireServer
from tests.fake_encoder import FakeEncoder
from tests.scripted_client import ScriptedClient, words

CLEAR = "Findings: The lungs are clear. Heart size is normal.\nImpression: No acute disease."
ODD = "Findings: Purple elephants. They sing.\nImpression: Nonsense beyond words."
LONG_ODD = ODD + " And so on and on and on and on and on and on."
PROMPT = Usage(prompt_tokens=900, image_tokens=800, cached_tokens=100)


def decoder(client: Client, index: Path, **options: Any) -> SDRDecoder:
    options = {"select": "corpus", "launch": "shared", **options}
    return SDRDecoder(client, index, encoder=FakeEncoder(), **options)


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
        async for step in events:
            if isinstance(step, CandidatePruned):
                assert step.candidate == 1
                pruned = True
                gate.set()
            elif isinstance(step, CandidateFinished):
                assert step.candidate == 0
                assert client.streams[1].cancels == 0
            elif isinstance(step, Result):
                result = step
    assert pruned
    assert client.streams[1].cancels >= 1
    assert client.streams[1].finish == Finish("cancelled")
    # Nothing that it wrote is told as text once it was pruned, but all of it is counted.
    assert result.ledger.rows[1].generated.value == len(words(ODD))


async def test_a_pruned_candidate_says_no_more(index: Path) -> None:
    client = ScriptedClient(words(CLEAR), words(LONG_ODD), lockstep=True)
    events: list[Event] = [step async for step in decoder(client, index).stream(k=2)]
    at = next(i for i, step in enumerate(events) if isinstance(step, CandidatePruned))
    later = events[at:]
    assert not any(isinstance(step, TokenDelta) and step.candidate == 1 for step in later)


async def test_leaving_early_closes_every_stream(index: Path) -> None:
    client = ScriptedClient(["Findings:", asyncio.Event()], ["Findings:", asyncio.Event()])
    async with aclosing(decoder(client, index).stream(k=2)) as events:
        async for step in events:
            if isinstance(step, TokenDelta):
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


async def test_a_server_sees_the_connection_close_when_nothing_can_win(index: Path) -> None:
    def said(choice: int, text: str, finish: str | None = None) -> bytes:
        one = {"index": choice, "delta": {"content": text}, "finish_reason": finish}
        return event({"id": "c", "choices": [one]})

    def steps() -> Iterator[bytes]:
        yield said(1, ODD + " ")
        yield said(0, CLEAR, "stop")
        while True:
            yield said(1, "more ")

    case = OpenAICase()
    async with WireServer(Answer(steps())) as server, case.open(server.url, Pace()) as client:
        result = await decoder(client, index).agenerate(k=2)
        async with asyncio.timeout(SAFETY_SECONDS):
            await server.all_disconnected()
    assert result.winner == 0
    assert result.candidates[1].state == "pruned"
    (exchange,) = server.exchanges
    assert exchange.body["n"] == 2
    assert exchange.disconnected.is_set()
    # Closed before its end, the request told no counts.
    assert result.ledger.rows[0].prompt == UNKNOWN
    assert result.ledger.rows[1].avoided.provenance == "estimated"


async def test_a_shared_request_is_recorded_candidate_by_candidate(
    index: Path, tmp_path: Path
) -> None:
    path = tmp_path / "shared.jsonl"
    client = ScriptedClient(words(CLEAR), words(ODD), lockstep=True)
    client.whole = Usage(prompt_tokens=900)
    async with Recorder(client, path) as recorder:
        result = await decoder(recorder, index, prune="none").agenerate(k=2, study="A")
    assert result.ledger.rows[0].prompt == Count(900, "reported")
    (study,) = read_recording(path)
    assert ["".join(candidate.tokens or ()) for candidate in study.candidates] == [CLEAR, ODD]
    replayed = await decoder(RecordedClient(path), index, prune="none").agenerate(k=2, study="A")
    assert replayed.winner == result.winner


async def test_the_demo_shares_too(index: Path) -> None:
    async with SDRDecoder("demo", index, encoder=FakeEncoder(), launch="shared") as one:
        result = await one.agenerate(k=3, seed=1)
    async with SDRDecoder("demo", index, encoder=FakeEncoder(), prune="none") as one:
        apart = await one.agenerate(k=3, seed=1)
    assert result.candidates[result.winner].text == apart.candidates[result.winner].text
    assert result.ledger.launched == 1


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
