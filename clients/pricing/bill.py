"""What tokens cost, as a low and a high bound."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple, Self

from clients.base import Usage
from clients.pricing.facts import Cancellation
from clients.pricing.prices import Prices

Tokens = int | Decimal
MILLION = Decimal(1_000_000)


class Dollars(NamedTuple):
    """US dollars. ``None`` is unknown, never 0."""

    low: Decimal | None
    high: Decimal | None

    def times(self, number: Tokens) -> Dollars:
        return Dollars(
            None if self.low is None else self.low * number,
            None if self.high is None else self.high * number,
        )


UNKNOWN_DOLLARS = Dollars(None, None)


@dataclass(frozen=True, slots=True)
class BilledTokens:
    """Tokens of one or several requests.

    ``input`` is all prompt tokens; ``cached`` and ``written`` are the parts of it that were read
    from the prompt cache and written to it. ``output`` is what was generated until the end or the
    cut, ``cut`` what cancelled streams would have gone on to write. ``None`` is unknown.
    """

    input: Tokens | None
    output: Tokens | None
    cached: Tokens | None = 0
    written: Tokens = 0
    cut: Tokens | None = 0

    @classmethod
    def of(cls, usage: Usage, cut: int | None = 0) -> Self:
        """The tokens of a reported usage and of what its cancellation cut off."""
        return cls(
            input=usage.prompt_tokens,
            output=usage.output_tokens,
            cached=usage.cached_tokens,
            cut=cut,
        )

    def billed_output(
        self, cancellation: Cancellation | None
    ) -> tuple[Tokens | None, Tokens | None]:
        """The least and the most output that can stand on the bill."""
        if self.output is None:
            return None, None
        full = None if self.cut is None else self.output + self.cut
        billing = "unknown" if cancellation is None else cancellation.billing
        if billing == "full":
            return full, full
        certain = cancellation is not None and cancellation.certain
        return self.output, self.output if certain else full


def bill(tokens: BilledTokens, prices: Prices | None, cancellation: Cancellation | None) -> Dollars:
    """The low and the high bound in dollars.

    Low: cancelled streams stop billing at the cut. High: they are billed in full. Both are the
    same where the provider itself says which, or nothing was cut. An unknown ``cached`` widens the
    range from all cached to none. A bound is ``None`` when something that it needs is unknown.
    """
    if prices is None or tokens.input is None:
        return UNKNOWN_DOLLARS
    unknown_cache = tokens.cached is None
    least = _input(tokens, tokens.input if tokens.cached is None else tokens.cached, prices)
    most = _input(tokens, 0 if tokens.cached is None else tokens.cached, prices)
    if unknown_cache and least > most:
        least, most = most, least
    low, high = tokens.billed_output(cancellation)
    return Dollars(
        None if low is None else (least + low * prices.output) / MILLION,
        None if high is None else (most + high * prices.output) / MILLION,
    )


def _input(tokens: BilledTokens, cached: Tokens, prices: Prices) -> Decimal:
    assert tokens.input is not None
    read_price = prices.input if prices.cached is None else prices.cached
    write_price = prices.input if prices.cache_write is None else prices.cache_write
    written = min(tokens.written, tokens.input - cached)
    plain = tokens.input - cached - written
    return plain * prices.input + cached * read_price + written * write_price
