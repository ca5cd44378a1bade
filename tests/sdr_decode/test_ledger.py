from __future__ import annotations

import asyncio
import datetime
import json
import math
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats

from clients import Finish, Piece, Usage
from clients.errors import StreamError
from clients.pricing import Dollars, Prices
from clients.pricing.facts import load_facts
from sdr_decode import SDRDecoder
from sdr_decode.avoided import estimate_avoided
from sdr_decode.counts import NOTHING, UNKNOWN, Count, total
from sdr_decode.errors import DecodeError
from sdr_decode.ledger import NEVER_LAUNCHED, LedgerRow
from sdr_decode.money import priced
from sdr_decode.tariff import Tariff, tariff_of
from tests.fake_encoder import FakeEncoder
from tests.scripted_client import ScriptedClient, ScriptedStream, words

CLEAR = "Findings: The lungs are clear. Heart size is normal.\nImpression: No acute disease."
ODD = "Findings: Purple elephants. They sing loudly to all.\nImpression: Nonsense beyond words."


async def test_a_finished_candidate_is_billed_with_its_hidden_reasoning(index: Path) -> None:
    usage = Usage(prompt_tokens=900, cached_tokens=100, output_tokens=60, reasoning_tokens=40)
    client = ScriptedClient([*words(CLEAR), usage, Finish("stop")])
    row = (await ledger(client, index, k=1)).rows[0]
    assert row.generated == Count(60, "reported")
    assert row.observed == Count(20, "reported")
    assert row.cached == Count(100, "reported")
    assert row.avoided == row.overshoot == NOTHING


async def test_a_row_is_written_for_a_candidate_whose_stream_died(index: Path) -> None:
    client = ScriptedClient(words(CLEAR), ["Findings:", " The", StreamError("gone")])
    row = (await ledger(client, index, k=2)).rows[1]
    assert (row.state, row.observed) == ("invalid", Count(2, "counted"))


async def test_what_was_spent_is_told_when_nothing_came_of_it(index: Path) -> None:
    client = ScriptedClient(["...", StreamError("gone")], [StreamError("gone")])
    with pytest.raises(DecodeError) as error:
        await ledger(client, index, k=2)
    assert error.value.ledger is not None
    assert error.value.ledger.observed == Count(1, "counted")


async def ledger(client: ScriptedClient, index: Path, k: int) -> Any:
    decoder = SDRDecoder(client, index, encoder=FakeEncoder(), prune="none")
    return (await decoder.agenerate(k=k)).ledger


LENGTHS = st.lists(st.integers(0, 400), min_size=1, max_size=16)


@given(finished=LENGTHS, stopped=LENGTHS)
def test_avoided_tokens_are_the_residual_life_of_a_censored_rayleigh_fit(
    finished: list[int], stopped: list[int]
) -> None:
    scale = math.sqrt(sum(n * n for n in finished + stopped) / len(finished))
    for written in stopped:
        estimate = estimate_avoided(Count(written, "counted"), finished, stopped)
        assert estimate.provenance == "estimated"
        # scipy's scale is the field's other convention: smaller by the root of two.
        longer = stats.rayleigh(scale=max(scale, 1e-9) / math.sqrt(2))
        mean, _ = integrate.quad(longer.sf, written, written + 12 * scale)
        assert estimate.value == pytest.approx(mean / longer.sf(written), abs=0.51, rel=1e-3)


@pytest.mark.parametrize(
    ("written", "finished", "stopped", "estimate"),
    [
        (10, [], [10], UNKNOWN),
        (0, [0], [0], Count(0, "estimated")),
        (100_000, [1] * 5_000, [100_000], Count(10, "estimated")),  # far out in the tail
        (0, [40, 20], [], Count(30, "estimated")),  # nothing stopped: the plain mean
    ],
)
def test_avoided_tokens_at_the_edges(
    written: int, finished: list[int], stopped: list[int], estimate: Count
) -> None:
    assert estimate_avoided(Count(written, "counted"), finished, stopped) == estimate


@given(finished=LENGTHS, stopped=LENGTHS, order=st.randoms())
def test_the_estimate_depends_on_no_order(
    finished: list[int], stopped: list[int], order: Random
) -> None:
    before = estimate_avoided(Count(stopped[0], "counted"), finished, stopped)
    mixed = order.sample(stopped, len(stopped))
    assert estimate_avoided(Count(stopped[0], "counted"), finished[::-1], mixed) == before


def test_a_sum_is_as_good_as_its_worst_part() -> None:
    counts = [Count(1, "reported"), Count(2, "estimated")]
    assert total(counts) == Count(3, "estimated")
    assert total([*counts, UNKNOWN]) == UNKNOWN
    assert total([]) == NOTHING
    with pytest.raises(ValueError, match="cannot be unknown"):
        Count(0, "unknown")


def row(
    prompt: int | None, generated: int, avoided: int, state: str = "pruned", cached: int | None = 0
) -> LedgerRow:
    asked, hit = (UNKNOWN if n is None else Count(n, "reported") for n in (prompt, cached))
    written = Count(generated, "counted")
    return LedgerRow(
        *(0, state, asked, NOTHING, hit, written, NOTHING, written),
        Count(avoided, "estimated"),
    )


PRICES = Prices(Decimal(2), Decimal(10), Decimal(1), None, "a list", datetime.date(2026, 1, 1))


def dollars(low: str, high: str | None = None) -> Dollars:
    return Dollars(Decimal(low), Decimal(high or low))


def test_dollars_are_a_range_where_nobody_knows_what_a_stopped_stream_costs() -> None:
    rows = [row(1_000_000, 100_000, 0, "finished"), row(1_000_000, 40_000, 60_000)]
    rows, told = priced(rows, Tariff(PRICES))
    assert [row.dollars for row in rows] == [dollars("3.0"), dollars("2.4", "3.0")]
    assert told.cost == told.known == dollars("5.4", "6.0")
    assert told.full == dollars("6.0")
    assert told.saved == dollars("0", "0.6")
    assert (told.source, told.date, told.stopped) == ("a list", "2026-01-01", "unknown")


def test_a_provider_that_bills_in_full_saves_nothing_by_pruning() -> None:
    billing = load_facts().cancellation_of("google", "gemini-2.5-flash-lite")
    _, told = priced([row(1_000_000, 40_000, 60_000)], Tariff(PRICES, billing))
    assert told.cost == told.full == dollars("3.0")
    assert told.saved == dollars("0")
    assert told.stopped is not None
    assert told.stopped.startswith("full (documented, ")


def test_a_prompt_that_was_never_sent_costs_nothing() -> None:
    rows = [row(1_000_000, 100_000, 0, "finished"), row(0, 0, 100_000, NEVER_LAUNCHED)]
    rows, told = priced(rows, Tariff(PRICES))
    assert rows[1].dollars == dollars("0")
    assert told.cost == dollars("3.0")
    assert told.full == dollars("5.0", "6.0")  # its prompt might have been read from the cache
    assert told.saved == dollars("2.0", "3.0")


def test_an_unknown_cache_widens_the_range_unless_the_prompt_is_too_short_for_it() -> None:
    rows = [row(1_000_000, 0, 0, "finished", cached=None), row(1_000, 0, 0, cached=None)]
    cache = load_facts().prompt_cache_of("openai", "gpt-4o-mini")
    assert cache is not None
    assert cache.minimum > 1_000
    rows, _ = priced(rows, Tariff(PRICES, None, cache))
    assert rows[0].dollars.high == Decimal(2)
    assert rows[1].dollars == dollars("0", "0.002")


def test_of_a_request_that_brought_nothing_it_is_unknown_whether_it_is_billed() -> None:
    rows, told = priced([row(1_000_000, 0, 0, "invalid")], Tariff(PRICES))
    assert rows[0].dollars == told.cost == dollars("0", "2")


def test_unknown_tokens_and_unknown_prices_make_unknown_dollars() -> None:
    rows, told = priced([row(None, 10, 0), row(1_000_000, 0, 0, "finished")], Tariff(PRICES))
    assert rows[0].dollars == told.cost == told.saved == Dollars(None, None)
    assert told.known == dollars("0", "2")
    assert told.why == "token counts of 1 of 2 candidates are unknown"
    rows, told = priced([row(10, 10, 0)], Tariff(why="no price is known for it"))
    assert rows[0].dollars == told.cost == Dollars(None, None)
    assert told.why == "no price is known for it"


@pytest.mark.parametrize("client", ["demo", "recorded:a.jsonl", "scripted", "vllm:a/model", "?:"])
def test_clients_without_a_bill_say_so(client: str) -> None:
    tariff = tariff_of(client, on=datetime.date(2026, 11, 30))
    assert tariff.prices is None
    assert tariff.why
    given_prices = tariff_of(client, prices=PRICES)
    assert (given_prices.prices, given_prices.why) == (PRICES, None)


def test_a_hosted_model_has_dated_prices() -> None:
    tariff = tariff_of("openai:gpt-4o-mini", on=datetime.date(2026, 11, 30))
    assert tariff.prices is not None
    assert tariff.prices.date == datetime.date(2026, 11, 30)
    assert tariff.prices.output > tariff.prices.input > 0
    assert tariff.cancellation is not None


def test_a_broken_price_list_loses_no_report(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ValueError("not what it was")

    monkeypatch.setattr("sdr_decode.tariff.prices_for", broken)
    tariff = tariff_of("openai:gpt-4o-mini")
    assert tariff.prices is None
    assert tariff.why is not None
    assert "not what it was" in tariff.why


async def test_given_prices_stand_in_the_result_as_strings(index: Path) -> None:
    def once() -> Any:
        usage = Usage(prompt_tokens=2_000, cached_tokens=0, output_tokens=100)
        client = ScriptedClient([*words(CLEAR), usage, Finish("stop")], words(ODD), lockstep=True)
        decoder = SDRDecoder(client, index, encoder=FakeEncoder(), prices=PRICES)
        return decoder.agenerate(k=2)

    result = await once()
    told = json.loads(result.to_json())["ledger"]
    assert told["rows"][0]["dollars"] == {"low": "0.005", "high": "0.005"}
    assert told["money"]["date"] == "2026-01-01"
    assert told["cached"] == {
        "value": None,
        "provenance": "unknown",
        "known": 0,
        "unknown_rows": 1,
    }
    assert Decimal(told["money"]["cost"]["low"]) < Decimal(told["money"]["cost"]["high"])
    assert (await once()).to_json() == result.to_json()


async def test_a_stopped_live_stream_has_written_at_least_what_arrived(index: Path) -> None:
    """Its hidden reasoning is taken to be as long as the finished sibling's."""
    usage = Usage(prompt_tokens=900, output_tokens=60, reasoning_tokens=40)
    finished = [*words(CLEAR), usage, Finish("stop")]
    client = ScriptedClient(finished, [*words(ODD), *words(" more" * 50), asyncio.Event()])
    result = await SDRDecoder(client, index, encoder=FakeEncoder()).agenerate(k=2)
    row = result.ledger.rows[1]
    assert row.state == "pruned"
    assert row.overshoot.value is not None
    arrived = (row.observed.value or 0) + row.overshoot.value
    assert row.generated == Count(arrived + 40, "estimated")
    assert row.prompt == Count(900, "estimated")
    assert row.avoided == estimate_avoided(Count(arrived, "counted"), [20], [arrived])


async def test_what_arrived_and_was_never_taken_is_overshoot(index: Path) -> None:
    class Late(ScriptedStream):
        @property
        def undelivered(self) -> tuple[Piece, ...]:
            return (Piece(" late"), Piece(" later")) if self.cancels else ()

    class Client(ScriptedClient):
        def stream(self, request: Any, candidate: int) -> ScriptedStream:
            self.streams[candidate] = Late(self.scripts[candidate])
            return self.streams[candidate]

    client = Client(words(CLEAR), words(ODD), lockstep=True)
    rows = (await SDRDecoder(client, index, encoder=FakeEncoder()).agenerate(k=2)).ledger.rows
    assert rows[1].state == "pruned"
    assert rows[1].overshoot == Count(2, "counted")
    assert rows[1].generated.value == (rows[1].observed.value or 0) + 2
    assert rows[0].overshoot == NOTHING


async def test_pieces_of_unknown_size_are_estimates(index: Path) -> None:
    pieces = [Piece(word, tokens=None) for word in words(CLEAR)]
    rows = (await ledger(ScriptedClient(pieces), index, k=1)).rows
    assert rows[0].generated == Count(len(pieces), "estimated")
