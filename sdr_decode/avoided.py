"""How many tokens a stopped live stream would still have written."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean

from sdr_decode.counts import UNKNOWN, Count

_FAR = 5.0
"""In units of the scale; beyond it the tail's expansion is exact to a thousandth."""


def estimate_avoided(written: Count, finished: Sequence[int], stopped: Sequence[int]) -> Count:
    """The tokens that a candidate stopped after ``written`` tokens would still have written.

    ``finished`` are the lengths of the finished candidates of the same decode, ``stopped`` those of
    the others when they stopped, this one's among them. The first to finish are the short ones, so
    their mean alone is too small, and says nothing of a candidate that is longer already. Therefore
    lengths are taken to follow a Rayleigh distribution, whose scale is fitted to the finished and
    to the stopped lengths (as right-censored: scale² = sum of all squares / number finished), and
    the estimate is the mean residual life beyond ``written``. Where nothing was stopped, a
    candidate that was never launched is as long as the mean. Unknown while nothing has finished.
    It depends on this decode alone, so that a decode gives the same result every time.

    Its error was measured on 296 recorded studies, K = 8, per study in % of what was truly avoided
    (``benchmarks.avoided_error``). With ``margin:0.01``: mean +14%, mean absolute 37%; over all
    studies +8%. With ``margin:0.02``: +10%, 35% and +4%. There the mean of the finished: -35%, 46%
    and -29%; the mean residual life of the longer ones: -22%, 39% and -23%. On eight other
    candidates of each study, over all: +11%, -25% and -18%.
    """
    if written.value is None or not finished:
        return UNKNOWN
    if not stopped:
        return Count(round(fmean(finished)), "estimated")
    squares = sum(length * length for length in (*finished, *stopped))
    scale = math.sqrt(squares / len(finished))
    return Count(round(_mean_residual_life(written.value, scale)), "estimated")


def _mean_residual_life(age: float, scale: float) -> float:
    """Of a Rayleigh distribution with the survival function exp(-(x / scale)²)."""
    if scale == 0.0:
        return 0.0
    reached = age / scale
    if reached > _FAR:
        return scale / (2 * reached) * (1 - 1 / (2 * reached**2))
    return scale * math.sqrt(math.pi) / 2 * math.erfc(reached) * math.exp(reached**2)
