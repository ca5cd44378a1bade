"""P-values of the hypothesis that a mean loss is above a risk, from any number of studies.

All take losses in [0, 1] and a ``risk`` in (0, 1), and are valid for every number of independent
studies and every distribution: where the mean is above ``risk``, P(p <= u) <= u for every u.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


def binomial(losses: ArrayLike, risk: float) -> Floats:
    """For losses (m, n) that are 0 or 1: the exact tail P(Bin(n, risk) <= sum), shape (m,)."""
    given = np.asarray(losses, np.float64)
    counts = np.rint(given.sum(axis=1)).astype(np.int64)
    tail: Floats = binomial_tail(given.shape[1], risk)[counts]
    return tail


def binomial_tail(n: int, probability: float) -> Floats:
    """P(Bin(n, probability) <= c) for c = 0 ... n, shape (n + 1,), summed in the log domain."""
    log_factorial = np.concatenate(([0.0], np.cumsum(np.log(np.arange(1, n + 1)))))
    count = np.arange(n + 1)
    choose = log_factorial[n] - log_factorial - log_factorial[::-1]
    each = choose + count * math.log(probability) + (n - count) * math.log1p(-probability)
    return np.minimum(np.exp(np.logaddexp.accumulate(each)), 1.0)


def hoeffding_bentkus(losses: ArrayLike, risk: float) -> Floats:
    """For losses (m, n): the smaller of Hoeffding's and Bentkus's bound, shape (m,).

    min(exp(-n h(min(mean, risk), risk)), e P(Bin(n, risk) <= ceil(n mean))), where h is the
    relative entropy of two coins (Bates et al., arXiv 2101.02703; arXiv 2110.01052).
    """
    given = np.asarray(losses, np.float64)
    n = given.shape[1]
    mean = np.minimum(given.mean(axis=1), risk)
    with np.errstate(divide="ignore", invalid="ignore"):
        lost = np.where(mean > 0, mean * np.log(mean / risk), 0.0)
    entropy = lost + (1 - mean) * np.log((1 - mean) / (1 - risk))
    # Rounding must not lift a sum that is whole to the next whole number, nor miss one.
    counts = np.ceil(np.round(given.sum(axis=1), 9)).astype(np.int64)
    bentkus = math.e * binomial_tail(n, risk)[counts]
    least: Floats = np.minimum(1.0, np.minimum(np.exp(-n * entropy), bentkus))
    return least


def betting(losses: ArrayLike, risk: float, level: float) -> Floats:
    """For losses (m, n) in the order of the studies: 1 / the greatest capital, shape (m,).

    A gambler bets before each study that its loss will be below ``risk``; while the mean is not
    below it, the capital is a non-negative supermartingale, and exceeds 1 / u at any time with
    probability at most u (Ville). The bets are the predictable plug-in of Waudby-Smith and Ramdas
    (arXiv 2010.09686; Bates et al., arXiv 2101.02703), aimed at ``level`` and valid
    at any; they learn the variance, and so win much where losses are mostly 0.
    """
    given = np.asarray(losses, np.float64)
    n = given.shape[1]
    seen = np.arange(1, n + 1)
    mean = (0.5 + np.cumsum(given, axis=1)) / (seen + 1)
    variance = (0.25 + np.cumsum((given - mean) ** 2, axis=1)) / (seen + 1)
    before = np.concatenate([np.full((len(given), 1), 0.25), variance[:, :-1]], axis=1)
    # Short of what could lose everything in one study, so that the logarithm stays finite.
    most = (1.0 - 1e-9) / (1.0 - risk)
    bets = np.minimum(most, np.sqrt(2.0 * math.log(1.0 / level) / (n * before)))
    capital = np.cumsum(np.log1p(bets * (risk - given)), axis=1)
    inverse: Floats = np.exp(-np.maximum(capital.max(axis=1), 0.0))
    return inverse
