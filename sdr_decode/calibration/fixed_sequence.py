"""Which hypotheses may be rejected together: fixed sequences side by side."""

from __future__ import annotations

from collections.abc import Sequence


def fixed_sequences(
    p_values: Sequence[float], sequences: Sequence[Sequence[int]], level: float
) -> list[tuple[int, float]]:
    """The hypotheses that are rejected, each with the level that it was tested at.

    Each sequence lists hypotheses in the order in which they are tested, which must be fixed before
    the p-values are seen. It starts with an equal share of ``level`` (Bonferroni), tests one after
    the other at the whole of its share, and stops at the first that is not rejected. A sequence
    that was rejected to its end passes its share on, in equal parts, to those that are not. The
    chance of rejecting any true hypothesis is at most ``level``, however the p-values depend on
    each other (arXiv 2110.01052, section 3.2; the graphical procedure of Bretz et al., Statistics
    in Medicine 28, 2009).
    """
    shares = {number: level / len(sequences) for number in range(len(sequences))}
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
        for number in waiting:
            shares[number] += sum(shares[other] for other in ended) / len(waiting)
        if not waiting:
            return rejected
