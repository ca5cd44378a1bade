"""Consensus is minimum Bayes risk decoding: the mbrs package, given the same utility, agrees."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchmarks.peers.mbrs_package import mbrs
from clients.errors import MissingPackageError
from clients.recording import read_recording
from sdr_decode.candidate import Candidate, MeasuredSentence
from sdr_decode.distances import TOLERANCE, EmbeddedSet, chamfer
from sdr_decode.load import open_measure
from sdr_decode.selection import Field, selectors
from sdr_decode.track import track
from tests.data import real_data
from tests.fake_encoder import FakeEncoder
from tests.sdr_decode.test_consensus import TEXTS, candidate


@pytest.fixture(scope="module")
def decoder() -> Iterator[Any]:
    try:
        with mbrs() as package:
            yield package
    except MissingPackageError as error:
        if os.environ.get("CI"):
            pytest.fail(str(error))
        pytest.skip(str(error))


def expected_utilities(decoder: Any, sets: Sequence[EmbeddedSet]) -> dict[int, float]:
    """What mbrs makes of the utility 1 - symmetric Chamfer: each candidate's expectation. A
    hypothesis is a number here, which is all that the decoder hands to the utility."""

    class Utility(decoder.metric):  # type: ignore[misc, name-defined]
        def score(self, hypothesis: str, reference: str, source: str | None = None) -> float:
            return 1.0 - chamfer(sets[int(hypothesis)], sets[int(reference)])

    names = [str(number) for number in range(len(sets))]
    made = decoder.decoder(decoder.decoder.Config(), Utility(Utility.Config()))
    output = made.decode(names, names, nbest=len(names))
    return dict(zip(output.idx, output.score, strict=True))


def check(decoder: Any, field: Sequence[Candidate], measure: Any) -> None:
    choice = selectors.make("consensus").choose(field, Field(field, measure))
    utilities = expected_utilities(
        decoder, [Field(field, measure).embedded(each) for each in field]
    )
    best = next(iter(utilities))  # mbrs's own choice comes first
    # mbrs sums in single precision and breaks ties as they come.
    assert choice.values[best] == pytest.approx(choice.values[choice.winner], abs=2 * TOLERANCE)
    siblings = max(1, len(field) - 1)
    for number, utility in utilities.items():
        # mbrs counts a candidate among its own references.
        expected = 1.0 - choice.values[number] * siblings / len(field)
        assert utility == pytest.approx(expected, abs=1e-6)


@settings(suppress_health_check=list(HealthCheck), max_examples=60)
@given(st.lists(st.lists(st.sampled_from(TEXTS), min_size=1, max_size=4), min_size=1, max_size=8))
def test_mbrs_agrees_on_any_reports(decoder: Any, index: Path, reports: list[list[str]]) -> None:
    with open_measure(index, encoder=FakeEncoder()) as measure:
        field = [candidate(number, *texts) for number, texts in enumerate(reports)]
        check(decoder, field, measure)


def test_mbrs_agrees_on_the_recorded_studies(decoder: Any, index: Path) -> None:
    recording = real_data("traces/standin_val.jsonl.gz")
    compared = 0
    with open_measure(index, encoder=FakeEncoder()) as measure:
        for study in read_recording(recording):
            field = []
            for number, recorded in enumerate(study.candidates[:8]):
                each = Candidate(number)
                for closing in track(recorded).closings:
                    query = measure.query(closing.sentence.text, closing.sentence.section)
                    measured = MeasuredSentence(closing.sentence, query.normalised, 0.0, None, 1)
                    each.close(measured)
                if each.sentences:
                    each.finish()
                    field.append(each)
            field = [renumbered(number, each) for number, each in enumerate(field)]
            check(decoder, field, measure)
            compared += 1
    assert compared == 296


def renumbered(number: int, each: Candidate) -> Candidate:
    each.number = number
    return each


def test_the_check_sees_a_difference(decoder: Any) -> None:
    draw = np.random.default_rng(0)
    vectors = draw.normal(size=(3, 2, 8)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=2, keepdims=True)
    utilities = expected_utilities(decoder, [EmbeddedSet(each) for each in vectors])
    assert len({round(utility, 6) for utility in utilities.values()}) == 3
