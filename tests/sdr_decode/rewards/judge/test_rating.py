"""What a distribution over the ratings is worth."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import entropy

from sdr_decode.rewards.judge.rating import LOWEST, RATINGS, rating_from_weights

weights = st.lists(st.floats(0, 1e6), min_size=5, max_size=5).filter(lambda w: max(w) > 0)


@given(weights)
def test_the_value_is_the_scaled_expectation_times_the_confidence(each: list[float]) -> None:
    rating = rating_from_weights(dict(zip(RATINGS, each, strict=True)))
    probabilities = [weight / math.fsum(each) for weight in each]
    mean = sum(r * p for r, p in zip(RATINGS, probabilities, strict=True))
    assert math.fsum(rating.probabilities) == pytest.approx(1)
    assert rating.expected == pytest.approx(mean)
    assert rating.entropy == pytest.approx(entropy(probabilities), abs=1e-9)
    sure = 1 - entropy(probabilities) / math.log(5)
    assert rating.value == pytest.approx((mean - 1) / 4 * sure, abs=1e-9)
    assert 0 <= rating.value <= 1


@given(weights, st.floats(1e-3, 1e3))
def test_weights_count_by_their_proportions_only(each: list[float], factor: float) -> None:
    one = rating_from_weights(dict(zip(RATINGS, each, strict=True)))
    other = rating_from_weights({r: w * factor for r, w in zip(RATINGS, each, strict=True)})
    assert other.probabilities == pytest.approx(one.probabilities)


@given(st.sampled_from(RATINGS))
def test_a_sure_judge_gives_the_rating_itself(rating: int) -> None:
    sure = rating_from_weights({rating: 0.3})
    assert (sure.expected, sure.confidence, sure.value) == (rating, 1, (rating - 1) / 4)


@given(st.sampled_from(RATINGS[1:]), st.floats(0.01, 0.8))
def test_an_unsure_judge_counts_less_than_a_sure_one_of_the_same_mind(
    rating: int, share: float
) -> None:
    unsure = rating_from_weights({r: share / 5 + (1 - share) * (r == rating) for r in RATINGS})
    value_of_a_sure_judge = (unsure.expected - 1) / 4
    assert unsure.value < value_of_a_sure_judge


def test_a_judge_that_knows_nothing_is_worth_nothing() -> None:
    assert rating_from_weights(dict.fromkeys(RATINGS, 0.2)).value == pytest.approx(0, abs=1e-12)


def test_the_lowest_rating_is_certain() -> None:
    assert (LOWEST.expected, LOWEST.confidence, LOWEST.value) == (1, 1, 0)


@pytest.mark.parametrize("bad", [{}, {3: 0.0}, {3: -1.0}, {3: math.nan}, {3: math.inf}])
def test_weights_that_are_none(bad: dict[int, float]) -> None:
    with pytest.raises(ValueError, match="found the weights"):
        rating_from_weights(bad)
