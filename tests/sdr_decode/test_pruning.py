from __future__ import annotations

import pytest

from clients.errors import SpecError
from sdr_decode.candidate import Candidate, MeasuredSentence
from sdr_decode.pruning import policies
from sdr_decode.sentences import Sentence


def candidate(number: int, *distances: float, end: str | None = None) -> Candidate:
    made = Candidate(number)
    for distance in distances:
        sentence = Sentence("No effusion.", None, 0, 12)
        made.close(MeasuredSentence(sentence, "no effusion", distance, None, 3))
    if end == "finished":
        made.finish()
    elif end == "pruned":
        made.prune("slow")
    elif end == "invalid":
        made.fail("truncated", "cut off")
    return made


def pruned(spec: str, *candidates: Candidate) -> list[int]:
    return [pruning.candidate for pruning in policies.make(spec).prune(candidates)]


def test_none_prunes_nothing() -> None:
    assert pruned("none", candidate(0, 1.0), candidate(1, 0.0)) == []


def test_threshold_prunes_what_is_above_it_and_only_that() -> None:
    field = [candidate(0, 0.04), candidate(1, 0.05), candidate(2), candidate(3, 0.0, 0.1)]
    assert pruned("threshold:0.04", *field) == [1, 3]


def test_threshold_waits_for_its_warmup() -> None:
    field = [candidate(0, 0.5), candidate(1, 0.5, 0.5)]
    assert pruned("threshold:0.04,warmup=2", *field) == [1]


def test_margin_is_measured_from_the_best() -> None:
    field = [candidate(0, 0.10), candidate(1, 0.12), candidate(2, 0.121)]
    assert pruned("margin:0.02", *field) == [2]


def test_margin_counts_finished_candidates_and_forgets_pruned_and_invalid_ones() -> None:
    running = candidate(0, 0.10)
    assert pruned("margin:0.02", running, candidate(1, 0.0, end="finished")) == [0]
    assert pruned("margin:0.02", running, candidate(1, 0.0, end="pruned")) == []
    assert pruned("margin:0.02", running, candidate(1, 0.0, end="invalid")) == []


def test_margin_neither_judges_nor_follows_candidates_in_their_warmup() -> None:
    field = [candidate(0, 0.0), candidate(1, 0.1, 0.1), candidate(2, 0.15, 0.15)]
    assert pruned("margin:0.02,warmup=2", *field) == [2]


def test_of_tied_candidates_the_first_launched_goes_on() -> None:
    zeros = [candidate(number, 0.0, 0.0, 0.0) for number in range(3)]
    assert pruned("margin:0.02", *zeros) == []
    assert pruned("margin:0.02,ties=3", *zeros) == [1, 2]
    nearer = candidate(3, 0.0, 0.0, 0.003)
    assert pruned("margin:0.02,ties=3", candidate(0, 0.0, 0.0, 0.006), nearer) == []
    assert pruned("margin:0.02,ties=3", candidate(0, 0.0, 0.0, 0.003), nearer) == [3]


def test_a_tie_counts_once_both_are_far_enough() -> None:
    far, young = candidate(0, 0.0, 0.0, 0.0), candidate(1, 0.0, 0.0)
    assert pruned("margin:0.02,ties=3", far, young) == []
    assert pruned("margin:0.02,ties=2", far, young) == [1]
    assert pruned("margin:0.02,ties=3", candidate(0, 0.0, end="finished"), young) == []
    late = candidate(1, 0.0, 0.0, 0.0)
    assert pruned("margin:0.02,ties=3", candidate(0, 0.0, end="finished"), late) == [1]
    assert pruned("margin:0.02,ties=3", candidate(0, 0.0, 0.0, 0.0, end="pruned"), late) == []


def test_only_running_candidates_are_pruned() -> None:
    field = [candidate(0, 0.9, end=end) for end in ("finished", "pruned", "invalid")]
    assert pruned("threshold:0.01", *field) == []
    assert pruned("margin:0.01", *field, candidate(3, 0.0)) == []


def test_a_distance_at_the_bound_up_to_rounding_is_not_above_it() -> None:
    assert pruned("threshold:0.04", candidate(0, 0.04 + 1e-9)) == []
    assert pruned("margin:0.02", candidate(0, 0.0), candidate(1, 0.02 + 1e-9)) == []


@pytest.mark.parametrize(
    ("spec", "word"),
    [
        ("margins:0.02", "known: .*margin"),
        ("margin", "nothing"),
        ("margin:wide", "'wide'"),
        ("margin:-1", "'-1'"),
        ("margin:nan", "'nan'"),
        ("margin:0.1,warmup=0", "whole number of at least 1"),
        ("margin:0.1,ties=0", "whole number of at least 1"),
        ("margin:0.1,warm=2", "does not know the option 'warm'"),
        ("none:3", "takes no value"),
        ("threshold:1.5", "from 0 to 1"),
        ("", "expected name"),
        ("margin:0.1,warmup=2,warmup=3", "twice"),
    ],
)
def test_a_spec_that_cannot_be_used_says_what_it_found(spec: str, word: str) -> None:
    with pytest.raises(SpecError, match=word):
        policies.make(spec)
