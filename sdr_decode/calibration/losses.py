"""What a policy loses in one study against full best-of-N with the same selector, in [0, 1]."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

from sdr_decode.distances import TOLERANCE

if TYPE_CHECKING:  # it imports the policies, of which one reads calibrations
    from sdr_decode.replay import Outcome

Loss = Literal["winner", "distance", "quality"]


def winner_loss(pruned: Outcome, full: Outcome) -> float:
    """1 where another candidate won, or none where one should have."""
    return float(pruned.winner != full.winner)


def distance_loss(pruned: Outcome, full: Outcome) -> float:
    """How far the winner lies above full best-of-N's, both as full best-of-N judged them.

    1 where full best-of-N did not judge the winner at all, an unfinished report say. NaN for a
    selector that does not minimise a distance in [0, 1].
    """
    if full.choice is None:
        return 0.0
    values = full.choice.values
    if not values or any(not -TOLERANCE <= value <= 1 + TOLERANCE for value in values.values()):
        return math.nan
    value = None if pruned.winner is None else values.get(pruned.winner)
    if value is None:
        return 1.0
    return min(1.0, max(0.0, value - values[full.choice.winner]))


def quality_loss(pruned: Outcome, full: Outcome, quality: tuple[float, ...] | None) -> float:
    """How much lower ``quality`` (of each candidate, in [0, 1]) is than full best-of-N's; 0 where
    it is higher, and NaN without a reference."""
    if quality is None:
        return math.nan

    def of(outcome: Outcome) -> float:
        return 0.0 if outcome.winner is None else quality[outcome.winner]

    return max(0.0, of(full) - of(pruned))
