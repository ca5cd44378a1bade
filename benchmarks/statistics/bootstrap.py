"""The paired bootstrap: every row of a table is resampled with the same studies."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

_BLOCK = 256  # columns whose resamples are held in memory at once


@dataclass(frozen=True, slots=True)
class Interval:
    """Percentile 95% intervals, one bound a column: ``low`` and ``high`` of shape (columns,).

    NaN where too little is known to say anything.
    """

    low: Numbers
    high: Numbers


class Resamples:
    """``resamples`` draws of ``studies`` studies with replacement (Efron, 1979).

    The draws are made once and shared by all statistics, so that every difference is paired. The
    same seed gives the same intervals.
    """

    def __init__(self, studies: int, resamples: int = 10_000, seed: int = 0) -> None:
        if studies < 1:
            raise ValueError(f"{studies} studies were given; expected at least 1")
        generator = np.random.default_rng(seed)
        shares = np.full(studies, 1.0 / studies)
        drawn = generator.multinomial(studies, shares, size=resamples)
        self._weights: Numbers = drawn.astype(np.float64)

    def mean(self, values: Numbers) -> Interval:
        """Intervals of the mean of each column of ``values`` (studies, columns).

        NaN stands for a study that the statistic does not cover; it is left out of the mean.
        """
        known = ~np.isnan(values)
        return self.ratio(np.where(known, values, 0.0), known.astype(np.float64))

    def ratio(self, above: Numbers, below: Numbers) -> Interval:
        """Intervals of sum(above) / sum(below) over the studies, for each column."""
        low, high = np.empty(above.shape[1]), np.empty(above.shape[1])
        for block in _blocks(above.shape[1]):
            sums = self._ratios(above[:, block], below[:, block])
            low[block], high[block] = _quantiles(sums)
        return Interval(low, high)

    def f1_difference(self, counts: Numbers, against: Numbers) -> Interval:
        """Intervals of micro-F1 of ``counts`` minus that of ``against``, both of shape
        (studies, columns, 3): true positives, false positives, false negatives."""
        low, high = np.empty(counts.shape[1]), np.empty(counts.shape[1])
        for block in _blocks(counts.shape[1]):
            ours, theirs = (
                self._ratios(2 * each[..., 0], 2 * each[..., 0] + each[..., 1] + each[..., 2])
                for each in (counts[:, block], against[:, block])
            )
            low[block], high[block] = _quantiles(ours - theirs)
        return Interval(low, high)

    def correlation(self, x: Numbers, y: Numbers) -> Interval:
        """Intervals of Pearson's correlation over the values of all studies together, for each
        column; both of shape (studies, columns, values). Of ranks it is Spearman's, with the
        ranks of the whole sample kept in every resample. Pairs with a NaN are left out."""
        known = ~(np.isnan(x) | np.isnan(y))
        # Around the mean, where the sums of squares lose no digits.
        many = np.maximum(known.sum(axis=(0, 2), keepdims=True), 1)
        x, y = (np.where(known, each, 0.0) for each in (x, y))
        means = [each.sum(axis=(0, 2), keepdims=True) / many for each in (x, y)]
        x, y = (np.where(known, each - mean, 0.0) for each, mean in zip((x, y), means, strict=True))
        n = np.maximum(self._weights @ known.sum(axis=2), 1)
        sums = [self._weights @ each.sum(axis=2) / n for each in (x, y, x * x, y * y, x * y)]
        mean_x, mean_y, squares_x, squares_y, products = sums
        variances = (squares_x - mean_x**2) * (squares_y - mean_y**2)
        sampled = np.full_like(variances, np.nan)
        varied = variances > 0
        sampled[varied] = (products - mean_x * mean_y)[varied] / np.sqrt(variances[varied])
        return Interval(*_quantiles(sampled))

    def _ratios(self, above: Numbers, below: Numbers) -> Numbers:
        tops, bottoms = self._weights @ above, self._weights @ below
        return np.divide(tops, bottoms, out=np.full_like(tops, np.nan), where=bottoms > 0)


def _blocks(columns: int) -> Iterator[slice]:
    return (slice(start, start + _BLOCK) for start in range(0, columns, _BLOCK))


def _quantiles(sampled: Numbers) -> tuple[Numbers, Numbers]:
    """The bounds of each column, over the resamples that say something."""
    low, high = np.full(sampled.shape[1], np.nan), np.full(sampled.shape[1], np.nan)
    unknown = np.isnan(sampled)
    whole = ~unknown.any(axis=0)
    if whole.any():
        low[whole], high[whole] = np.quantile(sampled[:, whole], (0.025, 0.975), axis=0)
    for column in np.flatnonzero(~whole & ~unknown.all(axis=0)):
        low[column], high[column] = np.nanquantile(sampled[:, column], (0.025, 0.975))
    return low, high
