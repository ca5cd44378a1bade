"""Whether two quantities put the same things in the same order."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def spearman(x: ArrayLike, y: ArrayLike) -> float | None:
    """Spearman's rank correlation in [-1, 1] of two samples (n,), ties sharing their mean rank.

    ``None`` where one of both is constant or has fewer than two values: nothing is ordered then.
    """
    a, b = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if a.shape != b.shape or a.ndim != 1:
        raise ValueError(f"found shapes {a.shape} and {b.shape}; expected two equal samples (n,)")
    ranks, others = mean_ranks(a), mean_ranks(b)
    if a.size < 2 or np.ptp(ranks) == 0 or np.ptp(others) == 0:
        return None
    return float(np.corrcoef(ranks, others)[0, 1])


def mean_ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The ranks (n,) of a sample, from 1; equal values share the mean of theirs."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    shared: NDArray[np.float64] = (ends - (counts - 1) / 2.0)[place]
    return shared
