from __future__ import annotations

import subprocess
import sys
from typing import cast

import pytest

from sdr_decode.candidate import Candidate, MeasuredSentence
from sdr_decode.measure import CorpusMeasure
from sdr_decode.selection import Field, eligible, selectors
from sdr_decode.sentences import Sentence

NO_MEASURE = cast("CorpusMeasure", None)  # these selectors look at distances alone


def candidate(number: int, *distances: float, flaw: str | None = None) -> Candidate:
    made = Candidate(number)
    for distance in distances:
        sentence = Sentence("No effusion.", None, 0, 12)
        made.close(MeasuredSentence(sentence, "no effusion", distance, None, 3))
    if flaw is None:
        made.finish()
    elif flaw == "pruned":
        made.prune("slow")
    else:
        made.fail(flaw, "so")  # type: ignore[arg-type]
    return made


def winner(spec: str, *candidates: Candidate) -> int:
    return selectors.make(spec).choose(candidates, Field(candidates, NO_MEASURE)).winner


def test_corpus_takes_the_least_mean_and_hausdorff_the_least_maximum() -> None:
    field = [candidate(0, 0.0, 0.3), candidate(1, 0.2, 0.2)]
    assert winner("corpus", *field) == 0
    assert winner("corpus-hausdorff", *field) == 1


def test_ties_up_to_rounding_go_to_the_first_launched() -> None:
    field = [candidate(3, 0.1 + 5e-7), candidate(5, 0.1)]
    choice = selectors.make("corpus").choose(field, Field(field, NO_MEASURE))
    assert choice.winner == 3
    assert "launched first of 2" in choice.reason


def test_random_is_repeatable_in_another_process_and_differs_between_studies() -> None:
    field = [candidate(number, 0.1) for number in range(8)]
    here = [
        selectors.make("random:7")
        .choose(field, Field(field, NO_MEASURE, study=f"study {n}"))
        .winner
        for n in range(20)
    ]
    script = (
        "from tests.sdr_decode.test_selection import candidate, Field, selectors, NO_MEASURE\n"
        "field = [candidate(number, 0.1) for number in range(8)]\n"
        "print([selectors.make('random:7')"
        ".choose(field, Field(field, NO_MEASURE, study=f'study {n}')).winner"
        " for n in range(20)])"
    )
    there = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    ).stdout
    assert there.strip() == str(here)
    assert len(set(here)) > 1


def test_valid_candidates_come_before_all_others() -> None:
    field = [
        candidate(0, 0.0, flaw="truncated"),
        candidate(1, 0.5),
        candidate(2, 0.0, flaw="pruned"),
    ]
    assert [c.number for c in eligible(field)] == [1]


@pytest.mark.parametrize(
    ("flaws", "chosen"),
    [
        (["refused", "truncated", "failed"], 1),
        (["refused", "filtered", "pruned"], 2),
        (["pruned", "failed"], 1),
        (["refused"], 0),
    ],
)
def test_without_a_valid_one_the_least_bad_kind_is_taken(flaws: list[str], chosen: int) -> None:
    field = [candidate(number, 0.1, flaw=flaw) for number, flaw in enumerate(flaws)]
    assert [c.number for c in eligible(field)] == [chosen]


def test_without_a_sentence_nobody_may_be_chosen() -> None:
    assert eligible([candidate(0, flaw="empty"), candidate(1, flaw="failed")]) == []
