from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sdr_decode.candidate import Candidate, MeasuredSentence
from sdr_decode.distances import chamfer
from sdr_decode.load import open_measure
from sdr_decode.selection import Field, selectors
from sdr_decode.selection.consensus import symmetric_chamfers
from sdr_decode.sentences import Section, Sentence, normalise
from tests.fake_encoder import FakeEncoder

TEXTS = ("The lungs are clear.", "Heart size is normal.", "No acute disease.", "Odd.", "Strange.")


def candidate(number: int, *texts: str, end: str = "finished", distance: float = 0.1) -> Candidate:
    made = Candidate(number, tokens=10 * len(texts))
    for text in texts:
        section: Section = "impression" if text == TEXTS[2] else "findings"
        sentence = Sentence(text, section, 0, len(text))
        made.close(MeasuredSentence(sentence, normalise(text), distance, None, 3))
    if end == "finished":
        made.finish()
    elif end == "pruned":
        made.prune("slow")
    else:
        made.fail("refused", "no")
    return made


def choose(index: Path, spec: str, *field: Candidate) -> tuple[int, dict[int, float]]:
    eligible = [each for each in field if each.finished]
    with open_measure(index, encoder=FakeEncoder()) as measure:
        choice = selectors.make(spec).choose(eligible, Field(field, measure))
    return choice.winner, choice.values


def test_the_report_that_the_others_agree_with_wins(index: Path) -> None:
    field = [
        candidate(0, "Odd.", "Strange."),
        candidate(1, *TEXTS[:3]),
        candidate(2, *TEXTS[:2]),
        candidate(3, *TEXTS[1:3]),
    ]
    assert choose(index, "consensus", *field)[0] == 1


def test_pruned_siblings_vote_and_refused_ones_do_not(index: Path) -> None:
    field = [candidate(0, "Odd."), candidate(1, *TEXTS[:2])]
    others = [candidate(2, "Odd.", end="pruned"), candidate(3, *TEXTS[:2], end="refused")]
    assert choose(index, "consensus", *field, *others)[0] == 0


def test_alone_the_first_is_taken(index: Path) -> None:
    assert choose(index, "consensus", candidate(0, "Odd.")) == (0, {0: 0.0})


def test_a_blend_lies_between_consensus_and_corpus(index: Path) -> None:
    field = [candidate(0, "Odd.", distance=0.3), candidate(1, *TEXTS[:2]), candidate(2, *TEXTS[:3])]
    consensus = choose(index, "consensus", *field)[1]
    blend = choose(index, "blend:0.25", *field)[1]
    assert blend[0] == pytest.approx(0.25 * consensus[0] + 0.75 * 0.3)
    assert choose(index, "blend:1", *field)[1] == pytest.approx(consensus)


def test_length_controls_take_the_ends(index: Path) -> None:
    field = [candidate(0, *TEXTS[:2]), candidate(1, *TEXTS[:3]), candidate(2, "Odd.")]
    assert choose(index, "longest", *field)[0] == 1
    assert choose(index, "shortest", *field)[0] == 2


@settings(suppress_health_check=list(HealthCheck), max_examples=40)
@given(st.lists(st.lists(st.sampled_from(TEXTS), min_size=1, max_size=4), min_size=1, max_size=5))
def test_all_pairs_at_once_equal_each_pair_alone(index: Path, reports: list[list[str]]) -> None:
    with open_measure(index, encoder=FakeEncoder()) as measure:
        sets = [
            Field([], measure).embedded(candidate(number, *texts))
            for number, texts in enumerate(reports)
        ]
        between = symmetric_chamfers(sets)
    for i, a in enumerate(sets):
        for j, b in enumerate(sets):
            assert between[i, j] == pytest.approx(chamfer(a, b), abs=1e-6)
