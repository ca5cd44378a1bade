"""What a decode spent and what it saved, each number with its provenance."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from clients.pricing.bill import Dollars
from sdr_decode.counts import Count, known_sum, total
from sdr_decode.money import UNKNOWN_DOLLARS, Money

NEVER_LAUNCHED = "not launched"
"""The state of a candidate whose prompt was never sent."""


@dataclass(frozen=True, slots=True)
class LedgerRow:
    """One candidate, in tokens and dollars.

    ``prompt`` is what its request sent, as the provider told; ``image`` and ``cached`` are parts of
    it. ``observed`` is the text that arrived while it mattered. ``overshoot`` arrived between the
    decision to stop and the stop. ``generated`` is what the engine wrote: the provider's own count
    where it told one, hidden reasoning included, else what arrived. After a stop or a failure
    providers tell nothing more, and the engine may have written more than arrived: then it is an
    estimate, with as much hidden reasoning as the siblings'. ``avoided`` is the output that was
    never generated because the candidate was pruned or not launched: 0 for one that ended by
    itself. ``dollars`` are low if a stopped stream is billed no further, high if in full.

    Where one request asked for all candidates, the first has its prompt and the others none; what
    arrived of a pruned one until the request ended is overshoot; and ``generated`` is each one's
    share of the sum, which is all that the provider tells.
    """

    candidate: int
    state: str
    prompt: Count
    image: Count
    cached: Count
    observed: Count
    overshoot: Count
    generated: Count
    avoided: Count
    dollars: Dollars = UNKNOWN_DOLLARS

    @property
    def launched(self) -> bool:
        return self.state != NEVER_LAUNCHED


COLUMNS = ("prompt", "image", "cached", "observed", "overshoot", "generated", "avoided")


@dataclass(frozen=True, slots=True)
class Ledger:
    """All candidates of a decode. ``asked`` is K, ``launched`` how many prompts were sent.

    A sum is unknown as soon as one part of it is; ``known`` is then a lower bound, and ``unknown``
    how many rows it lacks.
    """

    asked: int
    launched: int
    rows: tuple[LedgerRow, ...]
    money: Money

    def sum(self, column: str) -> Count:
        """The sum of a column (``COLUMNS``) over all rows."""
        return total(self._counts(column))

    def known(self, column: str) -> int:
        """The sum of what is known of a column."""
        return known_sum(self._counts(column))

    def unknown(self, column: str) -> int:
        """How many rows of a column are unknown."""
        return sum(count.value is None for count in self._counts(column))

    @property
    def observed(self) -> Count:
        return self.sum("observed")

    @property
    def generated(self) -> Count:
        return self.sum("generated")

    @property
    def avoided(self) -> Count:
        return self.sum("avoided")

    @property
    def saved(self) -> float | None:
        """The share of full best-of-N's output tokens that was not generated, in [0, 1]."""
        generated, avoided = self.generated.value, self.avoided.value
        if generated is None or avoided is None or generated + avoided == 0:
            return None
        return avoided / (generated + avoided)

    def sums(self) -> dict[str, Any]:
        """All sums as plain data, each with what is known of it."""
        sums: dict[str, Any] = {
            column: asdict(self.sum(column))
            | {"known": self.known(column), "unknown_rows": self.unknown(column)}
            for column in COLUMNS
        }
        return sums | {"saved": self.saved}

    def _counts(self, column: str) -> Iterator[Count]:
        return (getattr(row, column) for row in self.rows)
