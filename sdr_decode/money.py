"""What a decode cost, in dollars, as a range: a provider may or may not bill a stopped stream."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clients.errors import ClientError
from clients.pricing.bill import BilledTokens, Dollars, bill
from clients.pricing.errors import PricingError
from clients.pricing.facts import load_facts
from clients.pricing.prices import Prices, prices_for
from clients.pricing.providers import provider_and_model
from sdr_decode.counts import Count

if TYPE_CHECKING:
    from clients.pricing.facts import Cancellation
    from sdr_decode.ledger import LedgerRow


@dataclass(frozen=True, slots=True)
class Tariff:
    """The prices of a client's model and what its provider does with a stopped stream.

    ``why`` says why there are no prices, if there are none.
    """

    prices: Prices | None = None
    cancellation: Cancellation | None = None
    why: str | None = None


@dataclass(frozen=True, slots=True)
class Money:
    """US dollars, from low (stopped streams are not billed further) to high (billed in full).

    ``cost`` is of this decode, ``full`` of full best-of-N with the same candidates; ``None`` is
    unknown, and ``why`` says why. ``source`` and ``date`` are those of the prices.
    """

    cost: Dollars
    full: Dollars
    why: str | None = None
    source: str | None = None
    date: str | None = None


def tariff_of(client: str, on: datetime.date | None = None) -> Tariff:
    """The tariff of a client's spec, such as ``openai:gpt-4o-mini``, on a day, today by default.
    The first call loads a table of prices, which takes a fifth of a second."""
    on = on or datetime.datetime.now(datetime.UTC).date()
    try:
        facts = load_facts()
        provider, model = provider_and_model(client, facts)
        prices = prices_for(provider, model, on)
    except PricingError:
        prices = None
    except ClientError as error:  # such as a package that is not installed
        return Tariff(why=str(error))
    if prices is None:
        return Tariff(why=f"no price is known for the client {client}")
    return Tariff(prices, facts.cancellation_of(provider, model))


def money(rows: Sequence[LedgerRow], tariff: Tariff) -> Money:
    """What the rows cost, and what they would have cost without pruning and staging."""
    if tariff.prices is None:
        return Money(Dollars(None, None), Dollars(None, None), tariff.why)
    prompt = next((row.prompt for row in rows if row.prompt.value), None)
    spent, full = [], []
    for row in rows:
        cut = row.avoided.value if row.generated.value != 0 else 0
        tokens = BilledTokens(row.prompt.value, row.generated.value, row.cached.value, cut=cut)
        spent.append(bill(tokens, tariff.prices, tariff.cancellation))
        asked = row.prompt.value or (prompt.value if prompt is not None else None)
        whole = BilledTokens(asked, _sum(row.generated, row.avoided), row.cached.value)
        full.append(bill(whole, tariff.prices, tariff.cancellation))
    unknown = None
    if any(each.low is None or each.high is None for each in spent):
        unknown = "some token counts are unknown"
    return Money(
        _total(spent),
        _total(full),
        unknown,
        tariff.prices.source,
        str(tariff.prices.date),
    )


def _sum(*counts: Count) -> int | None:
    values = [count.value for count in counts]
    return None if None in values else sum(value for value in values if value is not None)


def _total(dollars: Iterable[Dollars]) -> Dollars:
    lows, highs = zip(*dollars, strict=True)
    return Dollars(
        None if None in lows else sum(lows),
        None if None in highs else sum(highs),
    )
