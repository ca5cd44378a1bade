"""Rewards against outcomes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.negation import Trial
from benchmarks.reward_outcome import correlations, negation, tag_f1
from benchmarks.reward_tables import Correlations, Negation, markdown
from benchmarks.statistics import Resamples
from benchmarks.studies import BenchStudy
from clients.recording import RecordedCandidate, RecordedStudy, RecordingWriter
from sdr_decode.replay import ReplayStudy
from sdr_decode.rewards.set_distance import SetDistanceReward
from sdr_decode.track import MeasuredTrack, track
from tests.fake_encoder import FakeEncoder

ORDERED = np.arange(12.0).reshape(3, 4)


def test_a_reward_that_orders_as_the_outcome_is_at_1_within_and_over_all() -> None:
    (row,) = correlations({"r": ORDERED**3}, {"o": ORDERED}, Resamples(3, 200))
    assert (row.within, row.pooled, row.studies) == (pytest.approx(1.0), pytest.approx(1.0), 3)
    assert row.pooled_bounds == pytest.approx((1.0, 1.0))


def test_within_a_study_the_level_of_the_study_does_not_count() -> None:
    falling = ORDERED[:, ::-1]
    (row,) = correlations({"r": falling}, {"o": ORDERED}, Resamples(3, 200))
    assert row.within == pytest.approx(-1.0)
    assert row.pooled is not None
    assert row.pooled > 0.5


def test_studies_in_which_nothing_varies_are_left_out() -> None:
    values = np.array([[1.0, 1.0], [1.0, 2.0]])
    (row,) = correlations({"r": values}, {"o": ORDERED[:2, :2]}, Resamples(2, 200))
    assert (row.studies, row.within) == (1, pytest.approx(1.0))


def test_the_pooled_interval_covers_the_correlation_of_a_noisy_reward() -> None:
    draw = np.random.default_rng(1)
    outcome = draw.normal(size=(80, 6))
    reward = outcome + draw.normal(size=(80, 6))
    (row,) = correlations({"r": reward}, {"o": outcome}, Resamples(80, 1000))
    assert row.pooled is not None
    low, high = row.pooled_bounds
    assert low < row.pooled < high
    assert 0.02 < high - low < 0.2


def test_what_a_reward_does_not_tell_is_left_out() -> None:
    reward = np.array([[1.0, 2.0, np.nan], [3.0, 4.0, 5.0], [np.nan] * 3])
    outcome = np.array([[1.0, 2.0, 0.0], [3.0, 4.0, 5.0], [9.0, 8.0, 7.0]])
    (row,) = correlations({"r": reward}, {"o": outcome}, Resamples(3, 100))
    assert (row.studies, row.within, row.pooled) == (2, pytest.approx(1), pytest.approx(1))
    assert row.pooled_bounds == pytest.approx((1.0, 1.0))


def trial(present: bool, right: str, wrong: str, reference: str) -> Trial:
    report = "FINDINGS:\n{}\nIMPRESSION:\nStable chest."
    whole = [report.format(each) for each in (right, wrong, reference)]
    return Trial(0, present, *whole, (right, wrong, reference))


def test_where_nothing_but_polarity_tells_them_apart_the_plain_reward_is_blind() -> None:
    put = [trial(True, "Effusion.", "No effusion.", "Small effusion.")]

    class Deaf(FakeEncoder):
        def _vector(self, text: str) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
            return np.eye(self.dimension)[int("effusion" in text)]

    for polarity, ties, gain in ((False, 1.0, 0.0), (True, 0.0, 0.4)):
        reward = SetDistanceReward(Deaf(), polarity=polarity, format_weight=0, semantic_weight=1)
        rows = negation(reward, "sdr", put, 1, Resamples(1, 50))
        present = [row for row in rows if row.present]
        assert [row.setting for row in present] == ["sentence alone", "in its report"]
        assert [row.ties for row in present] == [ties, ties]
        assert all(row.wrong == 0.0 for row in present)
        assert present[0].gain == pytest.approx(1.0 if polarity else 0.0, abs=1e-6)
        assert present[1].gain is not None
        assert present[1].gain >= gain
        assert [row.pairs for row in rows if not row.present] == [0, 0]


def test_the_page_holds_every_row_and_what_was_left_out() -> None:
    page = markdown(
        "python -m x",
        (3, 4),
        [Correlations("sdr", "Token-F1", 3, 0.51234, (0.1, 0.9), None, (np.nan, np.nan))],
        [Negation("sdr", "sentence alone", True, 9, 0.25, (0.1, 0.4), 0.0, 0.01)],
        {"judge": 7},
    )
    assert "|`sdr`|Token-F1|0.512|0.100 to 0.900|3|-|-|" in page
    assert "|`sdr`|present|sentence alone|9|0.250|0.100 to 0.400|0.000|0.010|" in page
    assert "`judge` 7" in page


def test_a_candidate_is_held_against_the_human_tags(tmp_path: Path) -> None:
    texts = ["The heart is enlarged.", "Small effusion. Mediastinal widening.", "Clear lungs."]
    candidates = tuple(RecordedCandidate.from_text(text) for text in texts)
    path = tmp_path / "tagged.jsonl"
    with RecordingWriter(path) as writer:
        for study, tags in (("A", ["Cardiomegaly/mild"]), ("B", ["normal"])):
            writer.write(RecordedStudy(study, "", None, candidates, extra={"tags": tags}))
    tracks = tuple(MeasuredTrack(track(each), ()) for each in candidates)
    studies = [
        BenchStudy(ReplayStudy(study, tracks, None, None), None, (None,) * 3) for study in "AB"
    ]
    found = tag_f1(path, studies)
    assert found is not None
    assert found.tolist() == [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
