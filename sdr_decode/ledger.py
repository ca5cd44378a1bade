"""What a decode spent and what it saved, each number with its provenance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sdr_decode.counts import UNKNOWN, Count, total

NEVER_LAUNCHED = "not launched"
"""The state of a candidate whose prompt was never sent."""


@dataclass(frozen=True, slots=True)
class LedgerRow:
    """One candidate, in tokens.

    ``prompt`` is what its request sent, as the provider reported it. ``observed`` is the output
    that arrived here. ``avoided`` is the output that was never generated because the candidate
    was pruned or not launched: 0 for one that ended by itself.
    """

    candidate: int
    state: str
    prompt: Count
    observed: Count
    avoided: Count


@dataclass(frozen=True, slots=True)
class Ledger:
    """All candidates of a decode. ``asked`` is K, ``launched`` how many prompts were sent."""

    asked: int
    launched: int
    rows: tuple[LedgerRow, ...]

    @property
    def prompt(self) -> Count:
        return total(row.prompt for row in self.rows)

    @property
    def observed(self) -> Count:
        return total(row.observed for row in self.rows)

    @property
    def avoided(self) -> Count:
        return total(row.avoided for row in self.rows)

    @property
    def saved(self) -> float | None:
        """The share of full best-of-N's output tokens that was not generated, in [0, 1]."""
        observed, avoided = self.observed.value, self.avoided.value
        if observed is None or avoided is None or observed + avoided == 0:
            return None
        return avoided / (observed + avoided)


def estimate_avoided(observed: Count, finished: Sequence[Count]) -> Count:
    """What a pruned live stream would still have written, from its finished siblings' mean length.

    Unknown while no sibling has finished.
    """
    lengths = [count.value for count in finished if count.value is not None]
    if not lengths or observed.value is None:
        return UNKNOWN
    return Count(max(0, round(sum(lengths) / len(lengths)) - observed.value), "estimated")
