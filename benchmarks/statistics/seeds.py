"""How much a figure moves from one seed to the next."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean, stdev


def mean_and_deviation(values: Sequence[float]) -> tuple[float, float | None]:
    """The mean over seeds and the sample standard deviation (n - 1), ``None`` for one seed."""
    if not values:
        raise ValueError("no values were given; expected one a seed")
    return fmean(values), stdev(values) if len(values) > 1 else None
