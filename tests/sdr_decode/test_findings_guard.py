from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clients.errors import SpecError
from sdr_decode.candidate import Candidate, MeasuredSentence
from sdr_decode.measure import CorpusMeasure
from sdr_decode.selection import Choice, Field, eligible, selectors
from sdr_decode.sentences import Sentence, normalise

NO_MEASURE = cast("CorpusMeasure", None)  # the wrapped selector looks at distances alone

NORMAL = "The lungs are clear."
EFFUSION = "There is a small left pleural effusion."
NO_EFFUSION = "No pleural effusion."
FRACTURE = "There is a displaced rib fracture."
BIG_HEART = "The heart is enlarged."


def candidate(number: int, distance: float, *texts: str, end: str = "finished") -> Candidate:
    made = Candidate(number)
    for text in texts:
        sentence = Sentence(text, "findings", 0, len(text))
        made.close(MeasuredSentence(sentence, normalise(text), distance, None, 3))
    if end == "finished":
        made.finish()
    elif end == "pruned":
        made.prune("slow")
    else:
        made.fail("refused", "no")
    return made


def choose(spec: str, candidates: Sequence[Candidate]) -> Choice:
    return selectors.make(spec).choose(eligible(candidates), Field(candidates, NO_MEASURE))


def test_what_most_state_is_kept_at_a_small_price() -> None:
    field = [
        candidate(0, 0.00, NORMAL),
        candidate(1, 0.03, EFFUSION),
        candidate(2, 0.01, EFFUSION, NORMAL),
    ]
    choice = choose("findings-guard:corpus,epsilon=0.02", field)
    assert choice.winner == 2
    assert "taken before candidate 0 for Pleural Effusion" in choice.reason
    assert choice.values == choose("corpus", field).values


def test_nothing_beyond_epsilon_is_taken() -> None:
    field = [candidate(0, 0.0, NORMAL), candidate(1, 0.05, EFFUSION), candidate(2, 0.05, EFFUSION)]
    choice = choose("findings-guard:corpus,epsilon=0.02", field)
    assert choice.winner == 0
    assert "no candidate within 0.02 of the best states Pleural Effusion" in choice.reason


def test_what_few_state_does_not_count() -> None:
    field = [candidate(0, 0.0, NORMAL), candidate(1, 0.0, NORMAL), candidate(2, 0.0, EFFUSION)]
    choice = choose("findings-guard:corpus,epsilon=1", field)
    assert choice.winner == 0
    assert "most siblings state no abnormal finding" in choice.reason


def test_a_best_that_keeps_it_already_stays_and_is_said_to_keep_it() -> None:
    field = [candidate(number, 0.1 * number, EFFUSION) for number in range(3)]
    choice = choose("findings-guard:corpus,epsilon=1", field)
    assert choice.winner == 0
    assert "keeps Pleural Effusion" in choice.reason


def test_half_is_not_most() -> None:
    field = [candidate(0, 0.0, NORMAL), candidate(1, 0.0, EFFUSION)]
    assert choose("findings-guard:corpus,epsilon=1", field).winner == 0


def test_of_those_that_keep_as_much_the_wrapped_selector_takes_its_best() -> None:
    field = [
        candidate(0, 0.00, NORMAL),
        candidate(1, 0.02, EFFUSION),
        candidate(2, 0.01, EFFUSION),
        candidate(3, 0.01 + 5e-7, EFFUSION),
    ]
    assert choose("findings-guard:corpus,epsilon=0.5", field).winner == 2


def test_more_of_what_most_state_comes_before_less() -> None:
    field = [
        candidate(0, 0.0, EFFUSION),
        candidate(1, 0.1, EFFUSION, BIG_HEART),
        candidate(2, 0.2, EFFUSION, BIG_HEART, FRACTURE),
    ]
    choice = choose("findings-guard:corpus,epsilon=1", field)
    assert choice.winner == 1
    assert "for Cardiomegaly" in choice.reason


def test_a_pruned_sibling_speaks_only_of_what_it_came_to() -> None:
    field = [candidate(0, 0.0, NORMAL), candidate(1, 0.1, EFFUSION)]
    spec = "findings-guard:corpus,epsilon=1"
    silent = [candidate(number, 0.1, "Stable chest.", end="pruned") for number in (2, 3)]
    agreeing = [candidate(4, 0.1, EFFUSION, end="pruned")]
    denying = [candidate(5, 0.1, NO_EFFUSION, end="pruned")]
    assert choose(spec, [*field, *silent]).winner == 0
    assert choose(spec, [*field, *silent, *agreeing]).winner == 1
    assert choose(spec, [*field, *silent, *agreeing, *denying]).winner == 0


def test_a_refused_sibling_has_no_say() -> None:
    field = [candidate(0, 0.0, NORMAL), candidate(1, 0.1, EFFUSION)]
    refused = [candidate(number, 0.1, EFFUSION, end="refused") for number in (2, 3)]
    assert choose("findings-guard:corpus,epsilon=1", [*field, *refused]).winner == 0


TEXTS = st.lists(
    st.sampled_from([NORMAL, EFFUSION, NO_EFFUSION, FRACTURE, BIG_HEART]), min_size=1, max_size=4
)


@given(st.lists(st.tuples(st.sampled_from([0.0, 0.01, 0.03]), TEXTS), min_size=1, max_size=6))
def test_it_never_goes_beyond_epsilon_and_changes_nothing_in_a_normal_study(
    made: list[tuple[float, list[str]]],
) -> None:
    field = [candidate(number, distance, *texts) for number, (distance, texts) in enumerate(made)]
    plain = choose("corpus", field)
    guarded = choose("findings-guard:corpus,epsilon=0.02", field)
    values = plain.values
    assert values[guarded.winner] <= values[plain.winner] + 0.02 + 2e-6
    if not any({EFFUSION, FRACTURE, BIG_HEART} & set(texts) for _, texts in made):
        assert guarded.winner == plain.winner


def test_options_that_are_not_its_own_go_to_the_selector_it_wraps() -> None:
    field = [candidate(0, 0.0, NORMAL), candidate(1, 0.0, NORMAL)]
    field[0].mean_logprob, field[1].mean_logprob = -2.0, -1.0
    for spec in (
        "findings-guard:corpus,tie=log-probability,epsilon=0.01",
        "findings-guard:corpus:tie=log-probability",
        "findings-guard:log-probability",
    ):
        assert choose(spec, field).winner == 1


@pytest.mark.parametrize(
    "spec",
    [
        "findings-guard",
        "findings-guard:random",
        "findings-guard:random:7",
        "findings-guard:findings-guard:corpus",
        "findings-guard:nonsense",
        "findings-guard:corpus,epsilon=-1",
        "findings-guard:corpus,margin=1",
        "findings-guard:blend",
    ],
)
def test_specs_that_cannot_be_used_are_refused(spec: str) -> None:
    with pytest.raises(SpecError):
        selectors.make(spec)
