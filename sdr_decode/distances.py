"""Distances between sets of sentence embeddings. Always lower is better.

For unit vectors d(a, b) = (1 - a·b) / 2, clipped to [0, 1]. From a set A to a set C,

- directed Chamfer is the mean over a of min over c of d(a, c),
- directed Hausdorff is the maximum over a of min over c of d(a, c),

and between two finite sets the symmetric Chamfer is the mean of both directions, the symmetric
Hausdorff the larger of both (SDR, arXiv 2606.00440).

Empty sets: from an empty set to any set the directed distance is 0, since no sentence of it is
away from anything; from a non-empty set to an empty one it is 1, the largest there is. So two
empty sets are at 0, and the symmetric Chamfer between an empty and a non-empty set is 1/2, the
symmetric Hausdorff 1. An empty candidate is invalid and never compared (``validity``).

Sections: findings compare with findings and impression with impression; a sentence without a
section compares with all. Sentences that do not compare are at distance 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sdr_decode.sentences import Section

TOLERANCE = 1e-6
"""Distances closer than this are equal: the last bits of an embedding depend on its batch."""

Vectors = NDArray[np.float32]
Distances = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class EmbeddedSet:
    """The sentences of one report: ``vectors`` (n, d) with unit rows, and their ``sections`` (n),
    or ``None`` where sections play no part."""

    vectors: Vectors
    sections: tuple[Section | None, ...] | None = None

    def __len__(self) -> int:
        return len(self.vectors)


def cosine_distance(a: Vectors, b: Vectors) -> Distances:
    """d(a, b) for all rows of ``a`` (n, d) against all rows of ``b`` (m, d): (n, m) in [0, 1]."""
    products = np.asarray(a, dtype=np.float64) @ np.asarray(b, dtype=np.float64).T
    return np.clip((1.0 - products) / 2.0, 0.0, 1.0)


def pairwise(a: EmbeddedSet, b: EmbeddedSet) -> Distances:
    """Distances (n, m) between the sentences of two reports, 1 where sections do not compare."""
    distances = cosine_distance(a.vectors, b.vectors)
    if a.sections is not None and b.sections is not None and distances.size:
        of_a, of_b = _codes(a.sections)[:, None], _codes(b.sections)[None, :]
        distances[(of_a != of_b) & (of_a != 0) & (of_b != 0)] = 1.0
    return distances


def nearest(distances: Distances) -> tuple[Distances, Distances]:
    """The least distance of each row and of each column of a pairwise matrix (n, m): (n,), (m,)."""
    n, m = distances.shape
    rows = distances.min(axis=1) if m else np.ones(n)
    columns = distances.min(axis=0) if n else np.ones(m)
    return rows, columns


def chamfer_of(minima: Distances) -> float:
    """Directed Chamfer from the nearest distances (n,) of its sentences."""
    return float(minima.mean()) if minima.size else 0.0


def hausdorff_of(minima: Distances) -> float:
    """Directed Hausdorff from the nearest distances (n,) of its sentences."""
    return float(minima.max()) if minima.size else 0.0


def directed_chamfer(a: EmbeddedSet, b: EmbeddedSet) -> float:
    """Mean over the sentences of ``a`` of the distance to the nearest of ``b``, in [0, 1]."""
    return chamfer_of(nearest(pairwise(a, b))[0])


def directed_hausdorff(a: EmbeddedSet, b: EmbeddedSet) -> float:
    """Largest over the sentences of ``a`` of the distance to the nearest of ``b``, in [0, 1]."""
    return hausdorff_of(nearest(pairwise(a, b))[0])


def chamfer(a: EmbeddedSet, b: EmbeddedSet) -> float:
    """Symmetric Chamfer distance, in [0, 1]: the mean of both directions."""
    rows, columns = nearest(pairwise(a, b))
    return (chamfer_of(rows) + chamfer_of(columns)) / 2.0


def hausdorff(a: EmbeddedSet, b: EmbeddedSet) -> float:
    """Symmetric Hausdorff distance, in [0, 1]: the larger of both directions."""
    rows, columns = nearest(pairwise(a, b))
    return max(hausdorff_of(rows), hausdorff_of(columns))


@dataclass(slots=True)
class RunningDistance:
    """Directed distances of a growing set, updated in constant time per sentence.

    ``total`` is the sum of the nearest distances, ``count`` their number. ``chamfer`` and
    ``hausdorff`` are ``None`` before the first sentence. The Hausdorff distance never falls.
    """

    total: float = 0.0
    count: int = 0
    largest: float = 0.0

    def add(self, distance: float) -> None:
        self.total += distance
        self.count += 1
        self.largest = max(self.largest, distance)

    def extend(self, distances: Iterable[float]) -> None:
        for distance in distances:
            self.add(distance)

    @property
    def chamfer(self) -> float | None:
        return self.total / self.count if self.count else None

    @property
    def hausdorff(self) -> float | None:
        return self.largest if self.count else None


def _codes(sections: Sequence[Section | None]) -> NDArray[np.int8]:
    return np.array(
        [0 if name is None else 1 if name == "findings" else 2 for name in sections], np.int8
    )
