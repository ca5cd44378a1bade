"""Whether one of two methods is right more often on the same studies."""

from __future__ import annotations

from math import comb

import numpy as np
from numpy.typing import ArrayLike


def mcnemar_exact(ours: ArrayLike, theirs: ArrayLike) -> float:
    """The two-sided exact p-value of McNemar's test (1947) for paired outcomes, both (n,) bool.

    Under the null hypothesis the studies on which only one of both is right fall to either side
    like a fair coin. 1 when they never differ.
    """
    a, b = np.asarray(ours, dtype=bool), np.asarray(theirs, dtype=bool)
    if a.shape != b.shape:
        raise ValueError(f"found outcomes of shapes {a.shape} and {b.shape}; expected equal ones")
    only_ours, only_theirs = int((a & ~b).sum()), int((b & ~a).sum())
    differing = only_ours + only_theirs
    tail: int = sum(comb(differing, count) for count in range(min(only_ours, only_theirs) + 1))
    return min(1.0, 2.0 * (tail / (1 << differing)))
