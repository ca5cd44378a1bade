"""Which hypotheses may be rejected together: fixed sequences side by side."""

from __future__ import annotations

from collections.abc import Sequence


def fixed_sequences(
    p_values: Sequence[float],
    sequences: Sequence[Sequence[int]],
    level: float,
    weights: Sequence[float] | None = None,
) -> list[tuple[int, float]]:
    """The hypotheses that are rejected, each with the level that it was tested at.

    Each sequence lists hypotheses in the order in which they are tested, which must be fixed before
    the p-values are seen. It starts with a share of ``level`` (Bonferroni) in proportion to its
    weight, all equal when none are given, tests one after the other at the whole of its share, and
    stops at the first that is not rejected. A sequence that was rejected to its end passes its
    share on to those that are not, in proportion too. The chance of rejecting any true hypothesis
    is at most ``level``, however the p-values depend on each other (fixed-sequence testing, arXiv
    2110.01052; the graphical procedure of Bretz et al., Statistics in Medicine 28, 2009).
    """
    weigh = [1.0] * len(sequences) if weights is None else weights
    shares = {number: level * weight / sum(weigh) for number, weight in enumerate(weigh)}
    waiting = {number: list(sequence) for number, sequence in enumerate(sequences)}
    rejected: list[tuple[int, float]] = []
    while True:
        for number, rest in waiting.items():
            while rest and p_values[rest[0]] <= shares[number]:
                rejected.append((rest.pop(0), shares[number]))
        ended = [number for number, rest in waiting.items() if not rest]
        if not ended:
            return rejected
        for number in ended:
            del waiting[number]
        if not waiting:
            return rejected
        passed, left = sum(shares[number] for number in ended), sum(weigh[n] for n in waiting)
        for number in waiting:
            shares[number] += passed * weigh[number] / left
