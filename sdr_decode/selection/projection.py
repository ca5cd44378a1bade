"""Short vectors whose inner products are never below those of the long ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sdr_decode.distances import Vectors

_SAMPLE = 20_000  # vectors from which the directions are learnt
# Added to the square of what is left: a root of almost nothing has no exact digits, and what is
# left must not be taken for less.
_ROUNDING = np.float32(1e-6)
_BLOCK = 8_192  # vectors that are held in memory at once


@dataclass(frozen=True, slots=True)
class Projection:
    """Unit vectors shortened to ``p`` directions and the length of what is left.

    With P the projection on p orthonormal directions and r(x) = sqrt(1 - |Px|²), a vector x becomes
    (Px, r(x)). For unit vectors a and c

        a·c = Pa·Pc + a'·c' <= Pa·Pc + r(a) r(c)

    where a' and c' are what the projection drops, by the inequality of Cauchy and Schwarz. So the
    inner product of the short forms bounds that of the long forms from above, and
    (1 - short product) / 2 bounds their distance from below. The directions are the principal ones
    of the vectors, which makes the bound tight; any orthonormal ones would keep it true.
    """

    directions: NDArray[np.float32]  # (d, p)
    short: NDArray[np.float32]  # (p + 1, n)

    def bounds(self, vectors: Vectors) -> NDArray[np.float32]:
        """Lower bounds (m, n) of the distances of m unit vectors to all n, up to float32
        rounding."""
        products = _shortened(vectors, self.directions) @ self.short
        products *= -0.5
        products += 0.5
        return products


def projection_of(
    vectors: Callable[[NDArray[np.int64]], Vectors], count: int, directions: int
) -> Projection:
    """The projection of ``count`` unit vectors, fetched by row, on at most ``directions``."""
    every = np.arange(count)
    # Rows are in the order of frequency: an even sample holds common and rare ones alike.
    sample = vectors(every[:: -(-count // _SAMPLE)])
    principal = np.linalg.eigh(sample.T.astype(np.float64) @ sample)[1]
    kept = np.ascontiguousarray(principal[:, ::-1][:, :directions], np.float32)
    short = np.empty((kept.shape[1] + 1, count), np.float32)
    for start in range(0, count, _BLOCK):
        rows = every[start : start + _BLOCK]
        short[:, rows] = _shortened(vectors(rows), kept).T
    return Projection(kept, short)


def _shortened(vectors: Vectors, directions: NDArray[np.float32]) -> NDArray[np.float32]:
    kept = vectors @ directions
    left = np.sqrt(np.maximum(0.0, 1.0 - np.einsum("np,np->n", kept, kept)) + _ROUNDING)
    return np.column_stack([kept, left])
