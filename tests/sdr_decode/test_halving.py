"""Rounds at sentence counts, after which the best run on."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clients.errors import SpecError
from sdr_decode.candidate import Candidate
from sdr_decode.launch import launch_plans
from sdr_decode.pruning import policies
from sdr_decode.replay import run
from sdr_decode.track import MeasuredTrack
from tests.sdr_decode.test_lossless import MOST, distances, track_of
from tests.sdr_decode.test_pruning import candidate, pruned


def test_no_round_is_held_before_every_running_candidate_is_there() -> None:
    assert pruned("halving:2", candidate(0, 0.1), candidate(1, 0.9), candidate(2)) == []
    assert pruned("halving:2", candidate(0, 0.1), candidate(1, 0.9)) == [1]


def test_ties_go_to_those_launched_first_and_half_is_rounded_up() -> None:
    assert pruned("halving:2", *(candidate(number, 0.1) for number in range(5))) == [3, 4]


def test_a_third_round_ranks_by_the_distance_after_that_many_sentences() -> None:
    field = [candidate(0, 0.0, 0.4, 0.0), candidate(1, 0.1, 0.1, 0.9)]
    lost = [candidate(number, 0.9) for number in (2, 3)]
    assert sorted(pruned("halving:2", *field, *lost)) == [0, 2, 3]


def test_a_finished_candidate_contests_with_its_final_distance() -> None:
    finished = candidate(0, 0.2, end="finished")
    assert pruned("halving:2,first=2", finished, candidate(1, 0.3, 0.3)) == [1]
    assert pruned("halving:2,first=2", finished, candidate(1, 0.1, 0.1)) == []


def test_those_that_ended_before_a_round_without_a_report_do_not_contest_it() -> None:
    others = [candidate(number, 0.0, end=end) for number, end in ((1, "pruned"), (2, "invalid"))]
    assert pruned("halving:2,first=2", candidate(0, 0.5, 0.5), *others) == []


def test_one_launched_late_is_measured_against_all_before_it() -> None:
    before = [candidate(0, 0.1, 0.9, end="finished"), candidate(1, 0.3, end="pruned")]
    assert pruned("halving:2", *before, candidate(2, 0.2)) == []
    assert pruned("halving:2", *before, candidate(2, 0.4)) == [2]


def test_no_more_rounds_are_held_than_asked_for() -> None:
    field = [candidate(0, 0.0, 0.0), candidate(1, 0.1, 0.1), candidate(2, 0.9), candidate(3, 0.9)]
    assert sorted(pruned("halving:2", *field)) == [1, 2, 3]
    assert pruned("halving:2,rounds=1", *field) == [2, 3]


streams = st.lists(st.lists(distances, min_size=5, max_size=MOST), min_size=2, max_size=6)
paces = st.lists(st.integers(1, 9), min_size=6, max_size=6)


def survivors(tracks: list[MeasuredTrack]) -> set[int]:
    race = run(tracks, policies.make("halving:2,rounds=3"), launch_plans.make("parallel"))
    return {each.number for each in race.candidates if each.finished}


@given(streams, paces)
def test_who_is_kept_does_not_depend_on_who_is_fast(
    values: list[list[float]], pace: list[int]
) -> None:
    # Every candidate reaches every round, so that only its distances count; but one that is fast
    # may have finished before it is found out.
    def tracks(gaps: list[int]) -> list[MeasuredTrack]:
        return [
            track_of(each, [gap] * MOST, valid=True)
            for each, gap in zip(values, gaps, strict=False)
        ]

    assert survivors(tracks([1] * 6)) <= survivors(tracks(pace))


@given(st.lists(st.lists(distances, max_size=6), min_size=1, max_size=6), st.integers(2, 4))
def test_a_round_never_stops_everybody(values: list[list[float]], eta: int) -> None:
    field: list[Candidate] = [candidate(number, *each) for number, each in enumerate(values)]
    assert len(pruned(f"halving:{eta}", *field)) < len(field)


@pytest.mark.parametrize(
    ("spec", "word"),
    [
        ("halving", "nothing as its eta"),
        ("halving:1.5", "from 2 to 1024"),
        ("halving:nan", "'nan'"),
        ("halving:2,first=0", "at least 1"),
        ("halving:2,rounds=none", "whole number"),
        ("halving:2,warmup=2", "does not know the option"),
    ],
)
def test_a_spec_that_cannot_be_used_is_refused(spec: str, word: str) -> None:
    with pytest.raises(SpecError, match=word):
        policies.make(spec)
