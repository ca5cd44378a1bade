"""A candidate against the distances of the corpus's own reports, each left out."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from clients.errors import SpecError
from index_build.report import CorpusReport
from sdr_decode.batching import BatchedEncoder
from sdr_decode.corpus import Corpus
from sdr_decode.distances import cosine_distance
from sdr_decode.errors import DecodeError
from sdr_decode.leave_one_out import RunningDistances, report_distances, running_distances
from sdr_decode.measure import CorpusMeasure
from sdr_decode.pruning import policies
from sdr_decode.pruning.quantile import Quantile
from sdr_decode.sentences import normalise
from tests.fake_encoder import FakeEncoder
from tests.sdr_decode.test_pruning import candidate
from tests.small_corpus import build_small

REPORTS = (
    CorpusReport("a", "Lungs clear. Heart normal. Heart big.", "No disease."),
    CorpusReport("b", "Lungs clear.", "Lungs clear. Heart big."),
    CorpusReport("c", "Effusion on the left. Effusion on the left.", "No disease."),
    CorpusReport("d", text="Old film. Findings: Lungs clear. Impression: Pneumonia."),
)


def corpus_of(folder: Path, reports: tuple[CorpusReport, ...] = REPORTS) -> Corpus:
    build_small(folder, reports)
    return Corpus.open(folder / "small.sdr")


def away(sentence: str, *others: str) -> float:
    """The distance of a sentence to the nearest of others."""
    vectors = FakeEncoder().encode([normalise(text) + "." for text in (sentence, *others)])
    return float(cosine_distance(vectors[:1], vectors[1:]).min())


def expected(*, sections: bool) -> dict[str, list[float]]:
    """By hand: what stands in another report is at 0, the rest at the nearest of the others."""
    old = "Old film."  # stands in no section, so that it compares with all
    heart, left = "Heart normal.", "Effusion on the left."
    if not sections:
        said = ("Lungs clear.", "Heart big.", "No disease.", old, "Pneumonia.")
        return {
            "a": [0.0, away(heart, *said, left), 0.0, 0.0],
            "b": [0.0, 0.0, 0.0],
            "c": [*[away(left, *said, heart)] * 2, 0.0],
            "d": [
                away(old, *said[:3], heart, left),
                0.0,
                away("Pneumonia.", *said[:3], heart, left),
            ],
        }
    return {
        "a": [
            0.0,
            away(heart, "Lungs clear.", old, left),
            away("Heart big.", "Lungs clear.", old, left),
            0.0,
        ],
        "b": [
            0.0,
            away("Lungs clear.", "No disease.", old, "Pneumonia."),
            away("Heart big.", "No disease.", old, "Pneumonia."),
        ],
        "c": [*[away(left, "Lungs clear.", heart, "Heart big.", old)] * 2, 0.0],
        "d": [
            away(old, "Lungs clear.", heart, "Heart big.", "No disease.", left),
            0.0,
            away("Pneumonia.", "Lungs clear.", "Heart big.", "No disease."),
        ],
    }


@pytest.mark.parametrize("sections", [True, False])
def test_every_report_is_measured_against_all_others(tmp_path: Path, sections: bool) -> None:
    corpus = corpus_of(tmp_path)
    found = report_distances(corpus, sections=sections)
    wanted = list(expected(sections=sections).values())
    assert len(found) == len(wanted)
    for distances in found:  # the sample comes in an order of its own
        assert any(
            len(each) == len(distances) and np.allclose(each, distances, atol=1e-6)
            for each in wanted
        )
    assert sum(map(sum, found)) == pytest.approx(sum(map(sum, wanted)), abs=1e-5)


def test_they_are_worked_out_once_for_each_corpus(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path)
    assert running_distances(corpus) is running_distances(corpus)
    assert running_distances(corpus) is not running_distances(corpus, sections=False)


def test_a_lone_report_is_as_far_as_can_be(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, REPORTS[2:3])
    assert [each.tolist() for each in report_distances(corpus)] == [[1.0, 1.0, 1.0]]


def test_the_quantile_is_a_distance_that_this_share_of_the_reports_stays_within() -> None:
    running = RunningDistances((np.arange(100) / 100, np.arange(60) / 100, np.zeros(3)))
    assert running.quantile(0.95) == pytest.approx([0.94, 0.56])
    assert running.quantile(1.0) == pytest.approx([0.99, 0.59])


def test_a_candidate_is_judged_by_the_bound_of_its_own_sentence_count() -> None:
    policy = Quantile(0.9, bounds=(0.3, 0.1))
    field = [candidate(0, 0.2), candidate(1, 0.2, 0.2), candidate(2, 0.1, 0.1, 0.1)]
    field += [candidate(3, 0.0, 0.0, 0.4), candidate(4, 0.4, end="finished"), candidate(5)]
    assert [each.candidate for each in policy.prune(field)] == [1, 3]
    late = Quantile(0.9, warmup=3, bounds=(0.3, 0.1))
    assert [each.candidate for each in late.prune(field)] == [3]


def test_it_must_be_held_against_a_corpus_first(tmp_path: Path) -> None:
    policy = policies.make("any:quantile:0.5+none")
    with pytest.raises(DecodeError, match="call against"):
        list(policy.prune([candidate(0, 0.5)]))
    corpus = corpus_of(tmp_path)
    encoder = BatchedEncoder(FakeEncoder)
    bound = policy.against(CorpusMeasure(corpus, encoder))
    encoder.close()
    assert [each.candidate for each in bound.prune([candidate(0, 1.0)])] == [0]


@pytest.mark.parametrize("spec", ["quantile", "quantile:95", "quantile:0.9,warmup=0"])
def test_a_spec_that_cannot_be_used_is_refused(spec: str) -> None:
    with pytest.raises(SpecError):
        policies.make(spec)
