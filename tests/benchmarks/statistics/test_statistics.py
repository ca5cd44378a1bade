from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest, bootstrap, spearmanr

from benchmarks.statistics import Resamples, mcnemar_exact, mean_and_deviation, spearman

pairs = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=60)


@settings(max_examples=100)
@given(pairs)
def test_mcnemar_is_the_binomial_test_of_the_discordant_pairs(
    outcomes: list[tuple[bool, bool]],
) -> None:
    ours, theirs = zip(*outcomes, strict=True)
    only_ours = sum(a and not b for a, b in outcomes)
    differing = sum(a != b for a, b in outcomes)
    expected = binomtest(only_ours, differing).pvalue if differing else 1.0
    assert mcnemar_exact(ours, theirs) == pytest.approx(expected)


def test_mcnemar_refuses_samples_that_are_not_paired() -> None:
    with pytest.raises(ValueError, match="shapes"):
        mcnemar_exact([True], [True, False])


samples = st.lists(st.tuples(st.integers(-5, 5), st.integers(-5, 5)), min_size=2, max_size=40)


@settings(max_examples=100)
@given(samples)
def test_spearman_is_scipys(values: list[tuple[int, int]]) -> None:
    x, y = zip(*values, strict=True)
    found = spearman(x, y)
    if len(set(x)) == 1 or len(set(y)) == 1:
        assert found is None
    else:
        assert found == pytest.approx(spearmanr(x, y).statistic, abs=1e-12)


def test_the_interval_of_a_mean_is_scipys_percentile_bootstrap() -> None:
    values = np.random.default_rng(1).normal(0.3, 1.0, 120)
    found = Resamples(120, 10_000).mean(values[:, None])
    expected = bootstrap((values,), np.mean, method="percentile", n_resamples=10_000, rng=2)
    assert found.low[0] == pytest.approx(expected.confidence_interval.low, abs=0.01)
    assert found.high[0] == pytest.approx(expected.confidence_interval.high, abs=0.01)


def test_unknown_studies_are_left_out_of_a_mean() -> None:
    values = np.array([[0.5, np.nan], [0.5, np.nan], [np.nan, np.nan]])
    found = Resamples(3, 500).mean(values)
    assert (found.low[0], found.high[0]) == (0.5, 0.5)
    assert np.isnan(found.low[1])


def test_pairing_takes_what_the_studies_share_out_of_a_difference() -> None:
    shared = np.random.default_rng(0).normal(0.0, 10.0, 80)
    found = Resamples(80, 1_000).mean(((shared + 0.1) - shared)[:, None])
    assert found.low[0] == pytest.approx(0.1)
    assert found.high[0] == pytest.approx(0.1)


def test_equal_counts_have_no_difference_in_f1() -> None:
    counts = np.random.default_rng(0).integers(0, 4, (30, 2, 3)).astype(float)
    found = Resamples(30, 500).f1_difference(counts, counts)
    assert not found.low.any()
    assert not found.high.any()


def test_the_same_seed_gives_the_same_interval() -> None:
    values = np.random.default_rng(3).normal(size=(40, 3))
    assert np.array_equal(Resamples(40, 300).mean(values).low, Resamples(40, 300).mean(values).low)


def test_the_deviation_over_seeds_is_that_of_a_sample() -> None:
    assert mean_and_deviation([1.0, 3.0]) == (2.0, pytest.approx(2**0.5))
    assert mean_and_deviation([4.0]) == (4.0, None)
