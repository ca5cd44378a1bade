from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.distance import directed_hausdorff as scipy_directed_hausdorff

from sdr_decode.distances import (
    EmbeddedSet,
    RunningDistance,
    chamfer,
    cosine_distance,
    directed_chamfer,
    directed_hausdorff,
    hausdorff,
)
from sdr_decode.sentences import Section

SECTIONS: tuple[Section | None, ...] = ("findings", "impression", None)


@st.composite
def unit_rows(draw: st.DrawFn, least: int = 0, most: int = 6) -> np.ndarray:
    rows = draw(st.integers(least, most))
    raw = draw(
        arrays(
            np.float64,
            (rows, 3),
            elements=st.floats(-1, 1, width=32).filter(lambda x: abs(x) > 0.01),
        )
    )
    return (raw / np.linalg.norm(raw, axis=1, keepdims=True)).astype(np.float32)


@st.composite
def sectioned(draw: st.DrawFn, least: int = 0) -> EmbeddedSet:
    rows = draw(unit_rows(least))
    sections = draw(st.lists(st.sampled_from(SECTIONS), min_size=len(rows), max_size=len(rows)))
    return EmbeddedSet(rows, tuple(sections))


def brute_minima(a: EmbeddedSet, b: EmbeddedSet) -> list[float]:
    """min over the comparable sentences of b, written out from the definition."""
    assert a.sections is not None
    assert b.sections is not None
    minima = []
    for x, of_x in zip(a.vectors, a.sections, strict=True):
        best = 1.0
        for y, of_y in zip(b.vectors, b.sections, strict=True):
            if of_x is None or of_y is None or of_x == of_y:
                product = sum(float(p) * float(q) for p, q in zip(x, y, strict=True))
                best = min(best, max(0.0, min(1.0, (1 - product) / 2)))
        minima.append(best)
    return minima


@given(sectioned(least=1), sectioned())
def test_directed_distances_equal_the_definition(a: EmbeddedSet, b: EmbeddedSet) -> None:
    minima = brute_minima(a, b)
    assert directed_chamfer(a, b) == pytest.approx(math.fsum(minima) / len(minima), abs=1e-6)
    assert directed_hausdorff(a, b) == pytest.approx(max(minima), abs=1e-6)


@given(sectioned(), sectioned())
def test_symmetric_distances_combine_both_directions(a: EmbeddedSet, b: EmbeddedSet) -> None:
    there, back = directed_chamfer(a, b), directed_chamfer(b, a)
    assert chamfer(a, b) == pytest.approx((there + back) / 2)
    assert hausdorff(a, b) == max(directed_hausdorff(a, b), directed_hausdorff(b, a))
    assert chamfer(a, b) == pytest.approx(chamfer(b, a))
    assert 0.0 <= chamfer(a, b) <= hausdorff(a, b) + 1e-12 <= 1.0 + 1e-12


@given(unit_rows(least=1), unit_rows(least=1))
def test_hausdorff_equals_scipy(a: np.ndarray, b: np.ndarray) -> None:
    # For unit vectors the squared Euclidean distance is 2 - 2 a·b, four times ours, and squaring
    # keeps the order.
    theirs = scipy_directed_hausdorff(a.astype(np.float64), b.astype(np.float64))[0]
    assert directed_hausdorff(EmbeddedSet(a), EmbeddedSet(b)) == pytest.approx(
        theirs**2 / 4, abs=1e-6
    )


@given(sectioned(least=1), sectioned(least=1), st.randoms(use_true_random=False))
def test_order_plays_no_part(a: EmbeddedSet, b: EmbeddedSet, random: object) -> None:
    order = list(range(len(a)))
    random.shuffle(order)  # type: ignore[attr-defined]
    assert a.sections is not None
    shuffled = EmbeddedSet(a.vectors[order], tuple(a.sections[place] for place in order))
    assert chamfer(shuffled, b) == pytest.approx(chamfer(a, b))
    assert hausdorff(shuffled, b) == pytest.approx(hausdorff(a, b))


@given(st.lists(st.floats(0, 1), max_size=12))
def test_running_forms_equal_the_batch(distances: list[float]) -> None:
    running = RunningDistance()
    before = 0.0
    for place, distance in enumerate(distances, start=1):
        running.add(distance)
        assert running.chamfer == pytest.approx(math.fsum(distances[:place]) / place)
        assert running.hausdorff == max(distances[:place])
        assert running.hausdorff >= before
        before = running.hausdorff
    if not distances:
        assert running.chamfer is None
        assert running.hausdorff is None


def test_empty_sets_are_as_documented() -> None:
    some = EmbeddedSet(np.eye(3, dtype=np.float32)[:2])
    empty = EmbeddedSet(np.zeros((0, 3), np.float32))
    assert directed_chamfer(empty, some) == directed_hausdorff(empty, some) == 0.0
    assert directed_chamfer(some, empty) == directed_hausdorff(some, empty) == 1.0
    assert chamfer(empty, empty) == hausdorff(empty, empty) == 0.0
    assert chamfer(some, empty) == 0.5
    assert hausdorff(some, empty) == 1.0


def test_findings_do_not_compare_with_impressions() -> None:
    vector = np.eye(3, dtype=np.float32)[:1]
    of = {section: EmbeddedSet(vector, (section,)) for section in SECTIONS}
    assert chamfer(of["findings"], of["findings"]) == 0.0
    assert chamfer(of["findings"], of["impression"]) == 1.0
    assert chamfer(of["findings"], of[None]) == chamfer(of[None], of["impression"]) == 0.0


def test_opposite_vectors_are_at_one_and_rounding_never_leaves_the_range() -> None:
    a = np.array([[1.0, 0.0]], np.float32)
    assert cosine_distance(a, -a) == 1.0
    slightly_long = a * np.float32(1.0001)
    assert cosine_distance(slightly_long, slightly_long) == 0.0
