from __future__ import annotations

import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from clients import Finish, Piece, Usage
from clients.errors import StreamError
from clients.pricing import Dollars, Prices
from clients.pricing.facts import load_facts
from sdr_decode import SDRDecoder
from sdr_decode.avoided import estimate_avoided
from sdr_decode.counts import NOTHING, UNKNOWN, Count, total
from sdr_decode.errors import DecodeError
from sdr_decode.ledger import LedgerRow
from sdr_decode.money import Tariff, money, tariff_of
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


async def test_what_arrives_after_the_decision_is_overshoot(index: Path) -> None:
    """The pruned stream sends two more pieces before it notices the cancel."""

    class Slow(ScriptedStream):
        async def cancel(self) -> None:
            if self.cancels == 0:
                late.extend(self._steps[:2])
            await super().cancel()

    late: list[Any] = []

    class Client(ScriptedClient):
        def stream(self, request: Any, candidate: int) -> ScriptedStream:
            self.streams[candidate] = Slow(self.scripts[candidate])
            return self.streams[candidate]

    client = Client(words(CLEAR), [*words(ODD), *words(" and more" * 20)], lockstep=True)
    result = await SDRDecoder(client, index, encoder=FakeEncoder()).agenerate(k=2)
    row = result.ledger.rows[1]
    assert row.state == "pruned"
    assert len(late) == 2
    assert row.overshoot.value is not None
    assert row.generated.value == (row.observed.value or 0) + row.overshoot.value


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


@pytest.mark.parametrize(
    ("observed", "finished", "estimate"),
    [
        (10, [30, 20], Count(15, "estimated")),  # 20 and 10 beyond
        (25, [30, 20], Count(5, "estimated")),  # only the longer one tells
        (40, [30, 20], Count(25, "estimated")),  # none was longer: their mean
        (10, [], UNKNOWN),
    ],
)
def test_avoided_tokens_are_the_mean_residual_life(
    observed: int, finished: list[int], estimate: Count
) -> None:
    assert estimate_avoided(Count(observed, "counted"), finished) == estimate


def test_a_sum_is_as_good_as_its_worst_part() -> None:
    counts = [Count(1, "reported"), Count(2, "estimated")]
    assert total(counts) == Count(3, "estimated")
    assert total([*counts, UNKNOWN]) == UNKNOWN
    assert total([]) == NOTHING
    with pytest.raises(ValueError, match="cannot be unknown"):
        Count(0, "unknown")


def row(prompt: int | None, generated: int, avoided: int, state: str = "pruned") -> LedgerRow:
    told = UNKNOWN if prompt is None else Count(prompt, "reported")
    written = Count(generated, "counted")
    return LedgerRow(
        0, state, told, NOTHING, NOTHING, written, NOTHING, written, Count(avoided, "estimated")
    )


PRICES = Prices(Decimal(2), Decimal(10), Decimal(1), None, "a list", datetime.date(2026, 1, 1))


def test_dollars_are_a_range_where_nobody_knows_what_a_stopped_stream_costs() -> None:
    rows = [row(1_000_000, 100_000, 0, "finished"), row(1_000_000, 40_000, 60_000)]
    told = money(rows, Tariff(PRICES, None))
    assert told.cost == Dollars(Decimal("5.4"), Decimal("6.0"))  # 2 + 1 + 2 + 0.4, and 0.6 more
    assert told.full == Dollars(Decimal("6.0"), Decimal("6.0"))
    assert (told.source, told.date) == ("a list", "2026-01-01")


def test_a_provider_that_bills_in_full_saves_nothing_by_pruning() -> None:
    billing = load_facts().cancellation_of("google", "gemini-2.5-flash-lite")
    told = money([row(1_000_000, 40_000, 60_000)], Tariff(PRICES, billing))
    assert told.cost == told.full == Dollars(Decimal("3.0"), Decimal("3.0"))


def test_a_prompt_that_was_never_sent_costs_nothing() -> None:
    rows = [row(1_000_000, 100_000, 0, "finished"), row(0, 0, 100_000, "not launched")]
    told = money(rows, Tariff(PRICES, None))
    assert told.cost == Dollars(Decimal("3.0"), Decimal("3.0"))
    assert told.full == Dollars(Decimal("6.0"), Decimal("6.0"))


def test_unknown_tokens_and_unknown_prices_make_unknown_dollars() -> None:
    assert money([row(None, 10, 0)], Tariff(PRICES, None)).cost == Dollars(None, None)
    told = money([row(10, 10, 0)], Tariff(why="no price is known for it"))
    assert told.cost == Dollars(None, None)
    assert told.why == "no price is known for it"


def test_clients_without_a_bill_say_so() -> None:
    tariff = tariff_of("demo", datetime.date(2026, 11, 30))
    assert tariff.prices is None
    assert tariff.why


def test_a_hosted_model_has_dated_prices() -> None:
    tariff = tariff_of("openai:gpt-4o-mini", datetime.date(2026, 11, 30))
    assert tariff.prices is not None
    assert tariff.prices.output > tariff.prices.input > 0


async def test_pieces_of_unknown_size_are_estimates(index: Path) -> None:
    pieces = [Piece(word, tokens=None) for word in words(CLEAR)]
    rows = (await ledger(ScriptedClient(pieces), index, k=1)).rows
    assert rows[0].generated == Count(len(pieces), "estimated")
