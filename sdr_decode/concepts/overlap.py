"""How much two sets of concepts have in common."""

from __future__ import annotations

from collections.abc import Set as AbstractSet


def set_f1(ours: AbstractSet[str], theirs: AbstractSet[str]) -> float:
    """Harmonic mean of precision and recall over two sets, in [0, 1], higher is better: the
    coefficient of Dice (1945, doi:10.2307/1932409).

    Two empty sets are equal (1); an empty one has nothing of the other (0).
    """
    if not ours or not theirs:
        return float(not ours and not theirs)
    return 2.0 * len(ours & theirs) / (len(ours) + len(theirs))
