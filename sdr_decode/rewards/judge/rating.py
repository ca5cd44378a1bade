"""A distribution over the ratings, and what it is worth as a reward."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

RATINGS = (1, 2, 3, 4, 5)


@dataclass(frozen=True, slots=True)
class Rating:
    """How probable the judge finds each of ``RATINGS``. ``probabilities`` sum to 1."""

    probabilities: tuple[float, ...]

    @property
    def expected(self) -> float:
        """The expected rating, from 1 to 5."""
        weighed = zip(RATINGS, self.probabilities, strict=True)
        return math.fsum(rating * probability for rating, probability in weighed)

    @property
    def entropy(self) -> float:
        """Shannon's entropy H of the distribution, in nats, from 0 to ``log(5)``."""
        return math.fsum(-p * math.log(p) for p in self.probabilities if p > 0)

    @property
    def confidence(self) -> float:
        """1 - H / H_max: 1 for a judge that is sure, 0 for one that finds all ratings alike."""
        return min(1.0, max(0.0, 1 - self.entropy / math.log(len(RATINGS))))

    @property
    def value(self) -> float:
        """The reward, in [0, 1]: the expected rating, scaled, times the confidence."""
        low, high = RATINGS[0], RATINGS[-1]
        scaled = min(1.0, max(0.0, (self.expected - low) / (high - low)))
        return scaled * self.confidence


LOWEST = Rating((1.0, 0.0, 0.0, 0.0, 0.0))


def rating_from_weights(weights: Mapping[int, float]) -> Rating:
    """The distribution in proportion to ``weights``, at least one of which is above 0. They are
    probabilities that need not add up, or counts."""
    values = [weights.get(rating, 0.0) for rating in RATINGS]
    largest = max(values)
    if not all(value >= 0 for value in values) or not 0 < largest < math.inf:
        raise ValueError(f"found the weights {dict(weights)}; expected finite ones, some above 0")
    values = [value / largest for value in values]  # so that neither tiny nor huge ones are lost
    total = math.fsum(values)
    return Rating(tuple(value / total for value in values))
