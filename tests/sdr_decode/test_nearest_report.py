from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clients.errors import SpecError
from sdr_decode.corpus_tables import CorpusReportRows
from sdr_decode.distances import EmbeddedSet, Vectors, chamfer
from sdr_decode.load import open_measure
from sdr_decode.selection import Field, selectors
from sdr_decode.selection.projection import projection_of
from sdr_decode.selection.report_search import Pace, ReportSearch
from sdr_decode.sentences import Section
from tests.fake_encoder import FakeEncoder
from tests.sdr_decode.test_consensus import candidate

SECTIONS: tuple[Section | None, ...] = (None, "findings", "impression")


def unit(draw: np.random.Generator, many: int, dimension: int, centres: int) -> Vectors:
    """Unit vectors in a few clusters, the first two of them the same sentence."""
    middle = draw.normal(size=(centres, dimension))
    vectors = middle[draw.integers(centres, size=many)] + 0.3 * draw.normal(size=(many, dimension))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors[1:2] = vectors[:1]
    return vectors.astype(np.float32)


def as_set(report: CorpusReportRows, vectors: Vectors, *, sections: bool) -> EmbeddedSet:
    rows = [*report.unsectioned, *report.findings, *report.impression]
    of = [None] * len(report.unsectioned) + ["findings"] * len(report.findings)
    named = (*of, *["impression"] * len(report.impression))
    return EmbeddedSet(vectors[rows], named if sections else None)  # type: ignore[arg-type]


@settings(max_examples=150)
@given(
    seed=st.integers(0, 2**32 - 1),
    sentences=st.integers(2, 40),
    many=st.integers(1, 120),
    dimension=st.integers(2, 24),
    directions=st.integers(1, 30),
    sections=st.booleans(),
    pace=st.builds(Pace, st.integers(1, 8), st.integers(1, 30), st.integers(1, 20)),
)
def test_the_search_finds_the_first_of_the_nearest_reports(
    seed: int,
    sentences: int,
    many: int,
    dimension: int,
    directions: int,
    sections: bool,
    pace: Pace,
) -> None:
    draw = np.random.default_rng(seed)
    vectors = unit(draw, sentences, dimension, 4)
    reports = []
    for number in range(many):
        parts = [
            tuple(map(int, draw.integers(sentences, size=draw.integers(0, 5)))) for _ in range(3)
        ]
        reports.append(CorpusReportRows(f"r{number}", *parts))
    reports.append(CorpusReportRows("last", (0,), (), ()))
    reports += reports[:3]  # ties
    size = int(draw.integers(1, 9))
    written = EmbeddedSet(
        np.concatenate([unit(draw, size, dimension, 4), vectors[draw.integers(sentences, size=2)]]),
        tuple(SECTIONS[at] for at in draw.integers(3, size=size + 2)) if sections else None,
    )
    expected = [
        (chamfer(written, as_set(report, vectors, sections=sections)), report.id)
        for report in reports
        if report.findings or report.impression or report.unsectioned
    ]
    least = min(distance for distance, _ in expected)
    search = ReportSearch(reports, vectors.__getitem__, sentences, directions=directions, pace=pace)
    found = search.nearest(written)
    assert found.distance == pytest.approx(least, abs=1e-6)
    # A report that ties up to rounding may or may not be within the tolerance.
    allowed = {name for distance, name in expected if distance <= least + 2e-6}
    surely = next(name for distance, name in expected if distance <= least + 0.5e-6)
    assert found.id in allowed
    names = [name for _, name in expected]
    assert names.index(found.id) <= names.index(surely)
    assert search.brute_force(written).id == found.id


@given(seed=st.integers(0, 2**32 - 1), directions=st.integers(1, 12))
def test_short_vectors_never_overestimate_a_distance(seed: int, directions: int) -> None:
    draw = np.random.default_rng(seed)
    vectors, others = unit(draw, 30, 12, 5), unit(draw, 10, 12, 5)
    bounds = projection_of(vectors.__getitem__, 30, directions).bounds(others)
    assert (bounds <= (1 - others @ vectors.T) / 2 + 2e-6).all()


def test_few_reports_are_compared_in_full() -> None:
    draw = np.random.default_rng(7)
    vectors = unit(draw, 400, 24, 40)
    reports = [
        CorpusReportRows(str(n), tuple(map(int, draw.integers(400, size=6))), (), ())
        for n in range(2000)
    ]
    search = ReportSearch(reports, vectors.__getitem__, 400, directions=16)
    written = EmbeddedSet(vectors[list(reports[1234].findings)], ("findings",) * 6)
    found = search.nearest(written)
    assert (found.id, found.distance) == ("1234", pytest.approx(0.0, abs=1e-6))
    assert found.compared < 200


def test_a_corpus_without_reports_is_refused() -> None:
    with pytest.raises(ValueError, match="no report"):
        ReportSearch([CorpusReportRows("r", (), (), ())], np.ones((1, 1)).__getitem__, 1)


@settings(suppress_health_check=list(HealthCheck))
@given(st.booleans())
def test_the_report_that_a_candidate_repeats_is_named(index: Path, sections: bool) -> None:
    # Report 1 of the index says what candidate 2 says, in another order.
    field = [
        candidate(0, "Odd.", "Strange."),
        candidate(1, "The lungs are clear."),
        candidate(2, "Heart size is normal.", "No acute disease.", "The lungs are clear."),
    ]
    with open_measure(index, encoder=FakeEncoder(), sections=sections) as measure:
        choice = selectors.make("nearest-report").choose(field, Field(field, measure))
    assert choice.winner == 2
    assert "to report 1," in choice.reason
    assert choice.values[2] == pytest.approx(0.0, abs=1e-6)
    assert choice.values[0] > choice.values[1] > 0


@pytest.mark.parametrize("spec", ["nearest-report:3", "nearest-report:k=2"])
def test_it_takes_no_options(spec: str) -> None:
    with pytest.raises(SpecError):
        selectors.make(spec)
