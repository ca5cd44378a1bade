"""How many tokens a stopped live stream would still have written."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from sdr_decode.counts import UNKNOWN, Count


def estimate_avoided(observed: Count, finished: Sequence[int]) -> Count:
    """The tokens that a candidate stopped after ``observed`` tokens would still have written.

    ``finished`` are the lengths of its finished siblings. The estimate is the mean of what longer
    siblings wrote beyond that point (mean residual life); the plain mean of the siblings would be
    too short, since those that finish are the short ones. Where none was longer, the mean length
    stands in. Unknown while nothing has finished.

    It is cautious: on a recording of 296 studies with K = 8 and ``margin:0.02`` it told 23% less
    than was truly avoided, with a mean absolute error of 39% a study: ``benchmarks.avoided_error``.
    """
    if observed.value is None or not finished:
        return UNKNOWN
    longer = [length - observed.value for length in finished if length > observed.value]
    return Count(round(fmean(longer) if longer else fmean(finished)), "estimated")
