from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clients.errors import SpecError
from sdr_decode.candidate import Candidate, MeasuredSentence
from sdr_decode.launch import launch_plans
from sdr_decode.sentences import Sentence


def candidate(number: int, state: str, distance: float = 0.5, tokens: int = 3) -> Candidate:
    made = Candidate(number, tokens=tokens)
    made.close(MeasuredSentence(Sentence("Clear.", None, 0, 6), "clear", distance, None, 3))
    if state == "finished":
        made.finish()
    elif state == "pruned":
        made.prune("slow")
    elif state == "invalid":
        made.fail("truncated", "cut off")
    return made


def due(spec: str, *candidates: Candidate, k: int = 8) -> int:
    return launch_plans.make(spec).due(candidates, k)


def test_parallel_starts_all_at_once() -> None:
    assert due("parallel") == 8
    assert due("parallel", *(candidate(n, "running") for n in range(8))) == 0


def test_warm_first_waits_for_the_first_token() -> None:
    assert due("warm-first") == 1
    assert due("warm-first", candidate(0, "running", tokens=0)) == 0
    assert due("warm-first", candidate(0, "running", tokens=1)) == 7


def test_warm_first_goes_on_when_the_first_failed_without_a_token() -> None:
    assert due("warm-first", candidate(0, "invalid", tokens=0)) == 7


def test_staged_keeps_its_width_running() -> None:
    assert due("staged:2") == 2
    assert due("staged:2", candidate(0, "running"), candidate(1, "running")) == 0
    assert due("staged:2", candidate(0, "running"), candidate(1, "pruned")) == 1
    assert due("staged:5", candidate(0, "running"), k=2) == 1


def test_staged_stops_once_a_valid_candidate_is_good_enough() -> None:
    assert due("staged:1,accept=0.03", candidate(0, "finished", 0.03)) == 0
    assert due("staged:1,accept=0.03", candidate(0, "finished", 0.04)) == 1
    assert due("staged:1,accept=0.03", candidate(0, "invalid", 0.0)) == 1
    assert due("staged:1,accept=0.03", candidate(0, "pruned", 0.0)) == 1


states = st.sampled_from(["finished", "pruned", "invalid"])


@given(
    st.sampled_from(
        ["parallel", "warm-first", "staged:1", "staged:3,accept=1", "staged:1,least=3"]
    ),
    st.lists(states, max_size=4),
)
def test_a_plan_never_leaves_a_race_without_hope(spec: str, ended: list[str]) -> None:
    field = [candidate(number, state) for number, state in enumerate(ended)]
    started = due(spec, *field, k=4)
    assert 0 <= started <= 4 - len(field)
    if "finished" not in ended and len(field) < 4:
        assert started >= 1


def test_staged_waits_for_as_many_as_it_is_told_to() -> None:
    one, other = candidate(0, "finished", 0.0), candidate(2, "finished", 0.5)
    assert due("staged:1,accept=0.03,least=2", one) == 1
    assert due("staged:1,accept=0.03,least=2", one, candidate(1, "pruned", 0.0)) == 1
    assert due("staged:1,accept=0.03,least=2", one, candidate(1, "invalid", 0.0)) == 1
    assert due("staged:1,accept=0.03,least=2", one, candidate(1, "pruned", 0.9), other) == 0


@pytest.mark.parametrize(
    "spec", ["staged", "staged:0", "staged:1,least=0", "staged:1,accept=2", "parallel:3", "all"]
)
def test_a_plan_that_cannot_be_used_is_refused(spec: str) -> None:
    with pytest.raises(SpecError):
        launch_plans.make(spec)
