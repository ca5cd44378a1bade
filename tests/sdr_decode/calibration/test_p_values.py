from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import binom

from sdr_decode.calibration.p_values import betting, binomial, binomial_tail, hoeffding_bentkus

Floats = NDArray[np.float64]
Test = Callable[[Floats, float], Floats]

TESTS: dict[str, Test] = {
    "hoeffding_bentkus": hoeffding_bentkus,
    "betting": lambda losses, risk: betting(losses, risk, 0.05),
}


@given(st.integers(1, 400), st.floats(0.001, 0.999))
def test_the_binomial_tail_is_scipys(n: int, probability: float) -> None:
    expected = binom.cdf(np.arange(n + 1), n, probability)
    np.testing.assert_allclose(binomial_tail(n, probability), expected, rtol=1e-9, atol=1e-200)


def test_the_binomial_p_value_counts_the_losses() -> None:
    losses = np.zeros((2, 10))
    losses[1, [2, 7]] = 1.0
    assert binomial(losses, 0.5) == pytest.approx([1 / 1024, (1 + 10 + 45) / 1024])


def test_hoeffding_bentkus_by_hand() -> None:
    # 20 losses of 0.25: the mean is 0.25 and the sum 5; h(0.25, 0.5) = 0.130812 nats.
    losses = np.full((1, 20), 0.25)
    hoeffding = np.exp(-20 * 0.13081203594113697)
    bentkus = np.e * binom.cdf(5, 20, 0.5)
    assert hoeffding_bentkus(losses, 0.5)[0] == pytest.approx(min(hoeffding, bentkus))


def test_the_betting_capital_by_hand() -> None:
    # The first bet is sqrt(2 ln(1 / level) / (n 0.25)), capped at what one loss could cost.
    losses, risk, level = np.array([[0.1, 0.9]]), 0.6, 0.5
    variance = (0.25 + (0.1 - (0.5 + 0.1) / 2) ** 2) / 2
    first = min(1 / 0.4, np.sqrt(2 * np.log(2) / (2 * 0.25)))
    second = min(1 / 0.4, np.sqrt(2 * np.log(2) / (2 * variance)))
    capital = [1 + first * 0.5, (1 + first * 0.5) * (1 - second * 0.3)]
    assert betting(losses, risk, level)[0] == pytest.approx(1 / max(1.0, *capital), rel=1e-6)


@pytest.mark.parametrize("name", TESTS)
def test_without_a_loss_no_test_is_far_from_the_best_there_can_be(name: str) -> None:
    """No valid p-value is below (1 - risk)^n there: rare losses of 1 could have been missed."""
    p_value = TESTS[name](np.zeros((1, 296)), 0.02)[0]
    best = 0.98**296
    assert best * (1 - 1e-9) <= p_value <= 1.3 * best


def null_losses(kind: str, mean: float, shape: tuple[int, int]) -> Floats:
    """Losses in [0, 1] whose mean is exactly ``mean``: the hypothesis is only just true."""
    random = np.random.default_rng(7)
    if kind == "coin":
        return (random.random(shape) < mean).astype(np.float64)
    if kind == "mostly zero":
        return np.where(random.random(shape) < 4 * mean, random.random(shape) / 2, 0.0)
    return random.beta(2.0, 2.0 / mean - 2.0, shape)


@pytest.mark.parametrize(
    ("name", "kind"),
    [*product(TESTS, ["coin", "mostly zero", "beta"]), ("binomial", "coin")],
)
def test_a_true_hypothesis_is_rejected_no_more_often_than_the_level(name: str, kind: str) -> None:
    trials, mean = 4000, 0.05
    test = TESTS.get(name, binomial)
    p_values = test(null_losses(kind, mean, (trials, 120)), mean)
    for level in (0.01, 0.05, 0.2):
        # Five standard errors: a valid test fails this about once in three million seeds.
        slack = 5 * np.sqrt(level * (1 - level) / trials)
        assert (p_values <= level).mean() <= level + slack


@pytest.mark.parametrize("name", [*TESTS, "binomial"])
def test_a_false_hypothesis_is_rejected_often(name: str) -> None:
    losses = null_losses("coin", 0.02, (300, 300))
    test = TESTS.get(name, binomial)
    assert (test(losses, 0.1) <= 0.05).mean() > 0.8


@given(
    st.lists(st.floats(0, 1), min_size=1, max_size=60),
    st.floats(0.001, 0.999),
    st.floats(0.001, 0.5),
)
def test_every_p_value_is_a_share(losses: list[float], risk: float, level: float) -> None:
    given_losses = np.array([losses])
    for p_value in (hoeffding_bentkus(given_losses, risk), betting(given_losses, risk, level)):
        assert p_value.shape == (1,)
        assert 0.0 <= p_value[0] <= 1.0
