from __future__ import annotations

import math

import pytest

from sdr_decode.calibration.losses import distance_loss, quality_loss, winner_loss
from sdr_decode.replay import Outcome
from sdr_decode.selection import Choice


def outcome(winner: int | None, values: dict[int, float] | None = None) -> Outcome:
    choice = None if winner is None else Choice(winner, "", "", values or {})
    return Outcome((), (), choice)


FULL = outcome(0, {0: 0.1, 1: 0.3, 2: 0.1})


def test_the_winner_is_the_same_or_not() -> None:
    assert winner_loss(outcome(0), FULL) == 0.0
    assert winner_loss(outcome(2), FULL) == 1.0
    assert winner_loss(outcome(None), FULL) == 1.0
    assert winner_loss(outcome(None), outcome(None)) == 0.0


def test_the_distance_is_that_of_full_best_of_n() -> None:
    # A selector that looks at siblings judges the same candidate otherwise when some are stopped.
    assert distance_loss(outcome(1, {1: 0.05}), FULL) == pytest.approx(0.2)
    assert distance_loss(outcome(2), FULL) == 0.0
    assert distance_loss(outcome(7), FULL) == 1.0  # an unfinished report
    assert distance_loss(outcome(None), FULL) == 1.0
    assert distance_loss(outcome(None), outcome(None)) == 0.0


@pytest.mark.parametrize("values", [{}, {0: -12.0, 1: -30.0}, {0: 4.0}])
def test_there_is_no_distance_where_the_selector_minimises_something_else(
    values: dict[int, float],
) -> None:
    assert math.isnan(distance_loss(outcome(0, values), outcome(0, values)))


def test_only_a_fall_of_the_quality_counts() -> None:
    assert quality_loss(outcome(1), FULL, (0.5, 0.2, 0.9)) == pytest.approx(0.3)
    assert quality_loss(outcome(2), FULL, (0.5, 0.2, 0.9)) == 0.0
    assert quality_loss(outcome(None), FULL, (0.5, 0.2, 0.9)) == 0.5
    assert math.isnan(quality_loss(outcome(1), FULL, None))
