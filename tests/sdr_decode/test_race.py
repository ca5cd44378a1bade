from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdr_decode.candidate import Candidate, MeasuredSentence, Pruning
from sdr_decode.pruning import PrunePolicy, policies
from sdr_decode.race import Race
from sdr_decode.sentences import Sentence


class StopAll(PrunePolicy):
    def prune(self, candidates: Sequence[Candidate]) -> Iterator[Pruning]:
        return (Pruning(c.number, "all") for c in reversed(candidates) if c.running)


def close(candidate: Candidate, distance: float) -> None:
    candidate.close(MeasuredSentence(Sentence("Clear.", None, 0, 6), "clear", distance, None, 2))


def test_the_last_hope_is_the_best_of_those_that_run() -> None:
    race = Race(StopAll(), 3)
    for distance in (0.3, 0.1, 0.1):
        close(race.launch(), distance)
    assert [pruning.candidate for pruning in race.settle()] == [0, 2]
    assert [candidate.number for candidate in race.running] == [1]
    assert race.settle() == []


def test_everything_may_be_pruned_once_something_valid_has_finished() -> None:
    race = Race(StopAll(), 2)
    race.launch().finish()
    race.launch()
    assert [pruning.candidate for pruning in race.settle()] == [1]


def test_an_invalid_end_is_no_hope() -> None:
    race = Race(StopAll(), 2)
    race.launch().fail("truncated", "cut off")
    race.launch()
    assert race.settle() == []


@given(
    st.lists(st.lists(st.floats(0, 1), min_size=1, max_size=4), min_size=1, max_size=6),
    st.sampled_from(["threshold:0", "threshold:0.5", "margin:0", "margin:0.1,warmup=2"]),
)
def test_some_candidate_always_comes_through(streams: list[list[float]], spec: str) -> None:
    race = Race(policies.make(spec), len(streams))
    for _ in streams:
        race.launch()
    for step in range(5):
        for candidate in race.running:
            distances = streams[candidate.number]
            if step < len(distances):
                close(candidate, distances[step])
            else:
                candidate.finish()
        race.settle()
    assert any(candidate.finished for candidate in race.candidates)


def test_while_some_are_left_to_launch_every_running_one_may_be_pruned() -> None:
    race = Race(StopAll(), 2)
    race.launch()
    assert [pruning.candidate for pruning in race.settle()] == [0]
    race.launch()
    assert race.settle() == []


def test_a_candidate_ends_once() -> None:
    candidate = Candidate(0)
    candidate.finish()
    with pytest.raises(ValueError, match="ended already"):
        candidate.prune("again")
