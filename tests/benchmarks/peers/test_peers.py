from __future__ import annotations

import math

import numpy as np
import pytest

from benchmarks.peers import mbr
from benchmarks.peers.confidence import ConfidenceSelector
from benchmarks.peers.deepconf import DeepConf, WarmUp, window_confidences
from benchmarks.peers.speculative_rejection import SpeculativeRejection
from benchmarks.peers.st_bon import cut, divergence
from benchmarks.studies import BenchStudy
from clients.errors import MissingPackageError
from clients.recording import RecordedCandidate
from clients.spec import parse_spec
from sdr_decode.candidate import Candidate, MeasuredSentence
from sdr_decode.replay import ReplayStudy
from sdr_decode.selection import Field
from sdr_decode.sentences import Sentence
from sdr_decode.track import MeasuredTrack, track


def candidate(number: int, *sentences: tuple[str, float, int], tokens: int = 0) -> Candidate:
    """A running candidate whose sentences are (text, distance, tokens when it closed)."""
    made = Candidate(number, tokens=tokens)
    for text, distance, at in sentences:
        made.close(MeasuredSentence(Sentence(text, None, 0, len(text)), text, distance, None, at))
    return made


def test_speculative_rejection_halves_the_worst_at_each_decision() -> None:
    policy = SpeculativeRejection(0.5, every=10)
    running = [candidate(n, (f"s{n}", n / 10, 5), tokens=10) for n in range(4)]
    assert [p.candidate for p in policy.prune(running)] == [2, 3]
    for each in running:
        each.tokens = 9
    assert not list(policy.prune(running))
    for each in running:
        each.tokens = 20
    assert [p.candidate for p in policy.prune(running)] == [1, 2, 3]


def test_a_finished_candidate_keeps_its_place_in_the_ranking() -> None:
    running = [candidate(n, (f"s{n}", n / 10, 5), tokens=10) for n in range(4)]
    running[0].finish()
    running[1].finish()
    assert [p.candidate for p in SpeculativeRejection(0.5, 10).prune(running)] == [2, 3]


def test_candidates_part_with_the_last_pair_that_differs() -> None:
    a = candidate(0, ("x", 0, 3), ("y", 0, 8))
    b = candidate(1, ("x", 0, 3), ("z", 0, 7))
    c = candidate(2, ("w", 0, 4))
    assert divergence([a, b, c]) == 8
    assert cut([a, b, c], None) == 16
    assert cut([a, b, c], 2) == 10
    assert divergence([a, candidate(1, ("x", 0, 3))]) is None


def test_a_window_confidence_is_the_mean_of_the_last_tokens() -> None:
    found = window_confidences([-1.0, -3.0, -5.0], 2)
    assert np.isnan(found[0])
    assert found[1:].tolist() == [-2.0, -4.0]
    assert window_confidences([-1.0, -3.0], 16)[-1] == -2.0


def test_deepconf_stops_below_what_the_warm_up_stayed_above() -> None:
    confidences = [np.array([-1.0, -2.0]), np.array([-1.0, -5.0]), None]
    ends = [[1, 2], [1, 2], [1, 2]]
    policy = DeepConf(confidences, ends, keep=1.0, warm=1)
    warm, sure, unknown = (candidate(n, tokens=1) for n in range(3))
    warm.finish()
    assert not list(policy.prune([warm, sure, unknown]))
    sure.tokens = unknown.tokens = 2
    assert [p.candidate for p in policy.prune([warm, sure, unknown])] == [1]


def test_the_rest_starts_when_the_warm_up_has_ended() -> None:
    plan = WarmUp(0.5)
    assert plan.due([], 4) == 2
    first = [candidate(0), candidate(1)]
    assert plan.due(first, 4) == 0
    for each in first:
        each.finish()
    assert plan.due(first, 4) == 2


def test_a_candidate_without_a_confidence_comes_last() -> None:
    selector = ConfidenceSelector([None, -3.0, -2.0], "confidence, negated")
    eligible = [candidate(n) for n in range(3)]
    choice = selector.choose(eligible, Field(eligible, None))  # type: ignore[arg-type]
    assert choice.winner == 2
    assert math.isinf(choice.values[0])
    assert selector.choose(eligible[:1], Field(eligible, None)).winner == 0  # type: ignore[arg-type]


def test_mbr_takes_the_report_that_the_others_resemble() -> None:
    try:
        make = mbr.from_spec(parse_spec("mbr"))
    except MissingPackageError as error:
        pytest.skip(str(error))
    texts = ("Lungs are clear.", "The lungs are clear.", "Fracture of a rib.")
    tracks = tuple(track(RecordedCandidate((text,))) for text in texts)
    measured = ReplayStudy("A", tuple(MeasuredTrack(each, ()) for each in tracks), None, None)
    selector = make(BenchStudy(measured, None, (None, None, None)))
    eligible = [candidate(n) for n in range(3)]
    assert selector.choose(eligible, Field(eligible, None)).winner in (0, 1)  # type: ignore[arg-type]
