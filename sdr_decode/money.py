"""What a decode cost, in dollars, as a range: a provider may or may not bill a stopped stream."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING

from clients.pricing.bill import BilledTokens, Dollars, bill
from sdr_decode.tariff import Tariff

if TYPE_CHECKING:
    from sdr_decode.ledger import LedgerRow

UNKNOWN_DOLLARS = Dollars(None, None)
NO_DOLLARS = Dollars(Decimal(0), Decimal(0))


@dataclass(frozen=True, slots=True)
class Money:
    """US dollars, from low to high. A bound is ``None`` where it is unknown; ``why`` then says why.

    ``cost`` is of this decode, low if stopped streams are billed no further, high if in full.
    ``full`` is of full best-of-N with the same candidates, each with a prompt of its own. ``saved``
    is the difference, low if stopped streams are billed in full. ``known`` is the cost of the rows
    whose cost is known: below ``cost`` nothing, and a lower bound where ``cost`` is unknown.
    ``source`` and ``date`` are those of the prices, ``stopped`` says what is known of how a stopped
    stream is billed.
    """

    cost: Dollars = UNKNOWN_DOLLARS
    full: Dollars = UNKNOWN_DOLLARS
    saved: Dollars = UNKNOWN_DOLLARS
    known: Dollars = NO_DOLLARS
    why: str | None = None
    source: str | None = None
    date: str | None = None
    stopped: str | None = None


def priced(rows: Sequence[LedgerRow], tariff: Tariff) -> tuple[list[LedgerRow], Money]:
    """The rows with their dollars, and the money of all of them."""
    if tariff.prices is None:
        return list(rows), Money(why=tariff.why)
    prompt = next((row.prompt.value for row in rows if row.launched), None)
    rows = [replace(row, dollars=_cost(row, tariff)) for row in rows]
    full = [_full(row, prompt, tariff) for row in rows]
    unknown = sum(None in row.dollars for row in rows)
    date = tariff.prices.date
    return rows, Money(
        cost=_total(row.dollars for row in rows),
        full=_total(full),
        saved=_total(_saved(row.dollars, whole) for row, whole in zip(rows, full, strict=True)),
        known=_total(row.dollars for row in rows if None not in row.dollars),
        why=f"token counts of {unknown} of {len(rows)} candidates are unknown" if unknown else None,
        source=tariff.prices.source,
        date=None if date is None else date.isoformat(),
        stopped=tariff.stopped,
    )


def _cost(row: LedgerRow, tariff: Tariff) -> Dollars:
    if not row.launched:
        return NO_DOLLARS
    prompt, output = row.prompt.value, row.generated.value
    cached = tariff.cached(prompt, row.cached.value)
    cost = bill(
        BilledTokens(prompt, output, cached, cut=row.avoided.value),
        tariff.prices,
        tariff.cancellation,
    )
    # Of a request that brought nothing it is not known whether it is billed at all.
    return cost if output != 0 else Dollars(Decimal(0), cost.high)


def _full(row: LedgerRow, prompt: int | None, tariff: Tariff) -> Dollars:
    generated, avoided = row.generated.value, row.avoided.value
    output = None if generated is None or avoided is None else generated + avoided
    asked, cached = (
        (row.prompt.value, row.cached.value) if row.prompt.value != 0 else (prompt, None)
    )
    whole = BilledTokens(asked, output, tariff.cached(asked, cached))
    return bill(whole, tariff.prices, tariff.cancellation)


def _saved(cost: Dollars, full: Dollars) -> Dollars:
    """Bound from bound, since both know as little of what the prompt cache gave."""
    if cost.low is None or cost.high is None or full.low is None or full.high is None:
        return UNKNOWN_DOLLARS
    least, most = sorted((full.low - cost.low, full.high - cost.high))
    return Dollars(least, most)


def _total(dollars: Iterable[Dollars]) -> Dollars:
    low: Decimal | None = Decimal(0)
    high: Decimal | None = Decimal(0)
    for each in dollars:
        low = None if low is None or each.low is None else low + each.low
        high = None if high is None or each.high is None else high + each.high
    return Dollars(low, high)
