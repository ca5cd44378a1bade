"""The bill: bounds in dollars, unknown kept unknown."""

from __future__ import annotations

import datetime
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clients.base import Usage
from clients.pricing import BilledTokens, Cancellation, Dollars, Prices, bill
from clients.pricing.facts import Billing, Evidence

PRICES = Prices(Decimal("0.15"), Decimal("0.60"), Decimal("0.075"))
UNKNOWN = Dollars(None, None)


def cancellation(billing: Billing, evidence: Evidence = "documented") -> Cancellation:
    return Cancellation(
        provider=("p",),
        billing=billing,
        evidence=evidence,
        source="somewhere",
        date=datetime.date(2026, 11, 30),
    )


FULL, STOPS, HEARSAY = (
    cancellation("full"),
    cancellation("stops"),
    cancellation("stops", "reported"),
)
NOBODY_KNOWS = cancellation("unknown")
counts = st.integers(0, 10**6)


@pytest.mark.parametrize(
    ("fact", "low", "high"),
    [
        (FULL, "1.2", "1.2"),
        (STOPS, "0.6", "0.6"),
        (HEARSAY, "0.6", "1.2"),
        (NOBODY_KNOWS, "0.6", "1.2"),
        (None, "0.6", "1.2"),
    ],
)
def test_what_was_cut_off(fact: Cancellation | None, low: str, high: str) -> None:
    tokens = BilledTokens(input=0, output=1_000_000, cut=1_000_000)
    assert bill(tokens, PRICES, fact) == (Decimal(low), Decimal(high))


def test_a_stream_that_ended_by_itself_has_one_price() -> None:
    usage = Usage(prompt_tokens=2_000, cached_tokens=1_000, output_tokens=100)
    low, high = bill(BilledTokens.of(usage), PRICES, NOBODY_KNOWS)
    assert low == high == (1_000 * PRICES.input + 1_000 * Decimal("0.075") + 60) / 1_000_000


def test_unknown_is_none_and_never_0() -> None:
    tokens = BilledTokens(input=10, output=10)
    assert bill(tokens, None, FULL) == UNKNOWN
    assert bill(BilledTokens(input=None, output=10), PRICES, FULL) == UNKNOWN
    assert bill(BilledTokens(input=10, output=None), PRICES, FULL) == UNKNOWN
    assert bill(BilledTokens.of(Usage()), PRICES, FULL) == UNKNOWN


def test_an_unknown_cut_has_no_high_bound_unless_billing_stops() -> None:
    tokens = BilledTokens(input=0, output=1_000_000, cut=None)
    assert bill(tokens, PRICES, HEARSAY) == (Decimal("0.6"), None)
    assert bill(tokens, PRICES, FULL) == UNKNOWN
    assert bill(tokens, PRICES, STOPS) == (Decimal("0.6"), Decimal("0.6"))


def test_an_unknown_cache_spans_from_all_cached_to_none() -> None:
    tokens = BilledTokens(input=1_000_000, output=0, cached=None)
    assert bill(tokens, PRICES, FULL) == (Decimal("0.075"), Decimal("0.15"))


def test_cached_input_without_a_price_of_its_own_is_billed_as_input() -> None:
    plain = Prices(Decimal(1), Decimal(1))
    assert bill(BilledTokens(1_000_000, 0, cached=1_000_000), plain, FULL) == (1, 1)


def test_what_is_written_to_the_cache_has_its_own_price() -> None:
    prices = Prices(Decimal(1), Decimal(0), Decimal("0.1"), Decimal("1.25"))
    tokens = BilledTokens(3_000_000, 0, cached=1_000_000, written=1_000_000)
    assert bill(tokens, prices, FULL) == (Decimal("2.35"), Decimal("2.35"))


@given(counts, counts, counts, st.none() | st.sampled_from([FULL, STOPS, HEARSAY, NOBODY_KNOWS]))
@settings(max_examples=200)
def test_low_never_exceeds_high_and_full_billing_ignores_the_cut(
    sent: int, output: int, cut: int, fact: Cancellation | None
) -> None:
    for cached in (None, 0, sent // 2, sent):
        low, high = bill(BilledTokens(sent, output, cached, cut=cut), PRICES, fact)
        assert low is not None
        assert high is not None
        assert 0 <= low <= high
        whole = bill(BilledTokens(sent, output + cut, cached), PRICES, fact)
        assert whole.high is not None
        assert high <= whole.high
        if fact is None or fact is not STOPS:
            assert high == whole.high
        if fact is FULL and cached is not None:
            assert low == high
