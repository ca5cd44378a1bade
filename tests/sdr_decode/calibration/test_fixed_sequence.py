from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdr_decode.calibration.fixed_sequence import fixed_sequences


def numbers(*arguments: object, **more: object) -> set[int]:
    return {number for number, _ in fixed_sequences(*arguments, **more)}  # type: ignore[arg-type]


def test_a_sequence_stops_at_the_first_that_is_not_rejected() -> None:
    assert numbers([0.01, 0.05, 0.06, 0.0], [[0, 1, 2, 3]], 0.05) == {0, 1}


def test_sequences_share_the_level() -> None:
    assert numbers([0.02, 0.03], [[0], [1]], 0.05) == {0, 1}  # the first passes its share on
    assert numbers([0.03, 0.03], [[0], [1]], 0.05) == set()
    assert numbers([0.02, 0.9, 0.03], [[0, 1], [2]], 0.05) == {0}


def test_weights_share_it_unequally() -> None:
    p_values = [0.04, 0.9, 0.012]
    assert numbers(p_values, [[0, 1], [2]], 0.05, [4.0, 1.0]) == {0}
    assert numbers(p_values, [[0, 1], [2]], 0.05, [1.0, 4.0]) == {2, 0}


def test_each_tells_the_level_that_it_was_tested_at() -> None:
    found = dict(fixed_sequences([0.0, 0.02, 0.9], [[0], [1, 2], [2]], 0.03, [1.0, 1.0, 1.0]))
    assert found[0] == pytest.approx(0.01)
    assert 1 not in found
    found = dict(fixed_sequences([0.0, 0.015, 0.9], [[0], [1, 2], [2]], 0.03, [1.0, 1.0, 1.0]))
    assert found[1] == pytest.approx(0.015)


@given(st.lists(st.lists(st.sampled_from([0.0, 0.004, 0.02, 0.05, 0.3]), min_size=1), min_size=1))
def test_what_is_rejected_begins_each_sequence_and_the_shares_add_up(
    given_p_values: list[list[float]],
) -> None:
    sequences, p_values = [], []
    for sequence in given_p_values:
        sequences.append(list(range(len(p_values), len(p_values) + len(sequence))))
        p_values += sequence
    found = dict(fixed_sequences(p_values, sequences, 0.05))
    for sequence in sequences:
        inside = [number in found for number in sequence]
        assert inside == sorted(inside, reverse=True)
    levels = [
        max((found[n] for n in sequence if n in found), default=0.0)
        for sequence in sequences
        if not all(n in found for n in sequence)
    ]
    assert float(sum(map(Fraction, levels))) <= 0.05 + 1e-12
    for number, level in found.items():
        assert p_values[number] <= level


@pytest.mark.parametrize("correlated", [True, False])
@pytest.mark.parametrize("true_from", [0, 2])
def test_the_chance_of_any_wrong_rejection_is_at_most_the_level(
    true_from: int, correlated: bool
) -> None:
    """Three sequences of five; from ``true_from`` on the hypotheses are true, and their p-values
    uniform: independent, or all the same one. Those before are false and rejected at once."""
    random, trials, level = np.random.default_rng(3), 6000, 0.1
    sequences = [list(range(start, start + 5)) for start in (0, 5, 10)]
    wrong = 0
    for _ in range(trials):
        p_values = np.full(15, random.random()) if correlated else random.random(15)
        true = {n for sequence in sequences for n in sequence[true_from:]}
        p_values[[n for n in range(15) if n not in true]] = 0.0
        wrong += bool(true & numbers(p_values.tolist(), sequences, level))
    assert wrong / trials <= level + 5 * np.sqrt(level * (1 - level) / trials)
    assert wrong > 0
