"""The concept reward."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clients.errors import SpecError
from sdr_decode.concepts import Concept, Linker, linkers, set_f1
from sdr_decode.errors import RewardError
from sdr_decode.findings import Mention
from sdr_decode.rewards import rewards
from sdr_decode.rewards.concepts import ConceptReward

LINKER = linkers.make("hpo")  # its vocabulary is shared by all tests here
SENTENCES = (
    "Cardiomegaly.",
    "No pneumothorax.",
    "Pneumothorax.",
    "Possible pneumonia.",
    "Small left pleural effusion.",
    "The heart is normal.",
)
reports = st.lists(st.sampled_from(SENTENCES), max_size=5)
sets = st.frozensets(st.sampled_from("abcdef"))


def value(completion: Any, reference: str | None, **settings: Any) -> float | None:
    reward = ConceptReward(LINKER, **settings)
    (only,) = reward(completions=[completion], reference=[reference])
    return only


@given(sets, sets)
def test_f1_is_symmetric_and_bounded(one: frozenset[str], other: frozenset[str]) -> None:
    assert set_f1(one, other) == set_f1(other, one)
    assert 0.0 <= set_f1(one, other) <= 1.0
    assert (set_f1(one, other) == 1.0) == (one == other)
    assert (set_f1(one, other) == 0.0) == (one.isdisjoint(other) and one != other)


@given(sets, sets, st.sampled_from("abcdef"))
def test_one_more_shared_element_never_lowers_f1(
    one: frozenset[str], other: frozenset[str], added: str
) -> None:
    assert set_f1(one | {added}, other | {added}) >= set_f1(one, other) - 1e-12


@given(reports, reports)
def test_the_reward_is_symmetric_and_bounded(ours: list[str], theirs: list[str]) -> None:
    one, other = " ".join(ours) or "Clear.", " ".join(theirs) or "Clear."
    there, back = value(one, other), value(other, one)
    assert there == back
    assert there is not None
    assert 0.0 <= there <= 1.0


@given(reports.flatmap(lambda each: st.tuples(st.just(each), st.permutations(each))))
def test_the_order_of_sentences_says_nothing(orders: tuple[list[str], list[str]]) -> None:
    one, other = (" ".join(order) or "Clear." for order in orders)
    assert value(one, other) == 1.0


def test_synonyms_are_one_concept() -> None:
    assert value("Prior heart attack.", "Prior myocardial infarction.") == 1.0


def test_a_class_is_not_its_compounds(tmp_path: Path) -> None:
    table = tmp_path / "drugs.csv"
    table.write_text("anticoagulant,D0\nanticoagulants,D0\nwarfarin,D1\nheparin,D2\n", "utf-8")
    reward = rewards.make(f"concepts:table:{table}")
    found = reward(
        completions=["Give an anticoagulant.", "Give warfarin.", "Give heparin."],
        reference=["Give heparin."] * 3,
    )
    assert found == [0.0, 0.0, 1.0]


def test_the_right_concepts_in_a_meaningless_order_are_worth_all_of_it() -> None:
    reference = "Findings: Cardiomegaly with a pleural effusion.\nImpression: Pneumonia."
    assert value("pneumonia cardiomegaly effusion pleural effusion", reference) == 1.0


def test_the_opposite_is_worth_nothing() -> None:
    assert value("No pleural effusion.", "Pleural effusion.") == 0.0
    assert value("Pleural effusion.", "No pleural effusion.") == 0.0
    assert value("No pleural effusion.", "Pleural effusion.", negated="mark") == 0.0


def test_the_longest_name_counts() -> None:
    assert value("Hypertension.", "Pulmonary hypertension.") == 0.0


def test_what_is_missed_and_what_is_added_both_count() -> None:
    reference = "Cardiomegaly and pneumonia."
    assert value("Cardiomegaly.", reference) == pytest.approx(2 / 3)
    assert value("Cardiomegaly, pneumonia and pneumothorax.", reference) == pytest.approx(4 / 5)


def test_two_texts_without_concepts() -> None:
    assert value("The lungs are clear.", "Clear lungs.") == 1.0
    assert value("", "Clear lungs.") == 1.0
    assert value("Clear.", "Clear.", empty=None) is None
    assert value("Clear.", "Clear.", empty=0.0) == 0.0


def test_one_text_without_concepts() -> None:
    assert value("", "Pneumonia.", empty=None) == 0.0
    assert value("Pneumonia.", "Clear lungs.", empty=None) == 0.0


def test_marked_negations_count_as_concepts() -> None:
    one, other = "No pneumothorax or pleural effusion.", "No pneumothorax."
    assert value(one, other) == 1.0
    assert value(one, other, negated="mark") == pytest.approx(2 / 3)


def test_what_is_affirmed_and_denied_is_affirmed() -> None:
    both = "No pneumothorax on the left. Pneumothorax on the right."
    assert value(both, "Pneumothorax.", negated="mark") == 1.0


@pytest.mark.parametrize("reference", [None, "", " \n"])
def test_without_a_reference_nothing_can_be_told(reference: str | None) -> None:
    assert value("Pneumonia.", reference) is None


def test_a_conversation_is_read() -> None:
    messages = [
        {"role": "user", "content": "Pneumothorax?"},
        {"role": "assistant", "content": [{"type": "text", "text": "Pneumonia."}]},
    ]
    assert value(messages, "Pneumonia.") == 1.0


def test_it_is_called_as_trl_calls_it() -> None:
    reward = rewards.make("concepts")
    found = reward(
        prompts=["p", "p"],
        completions=["Pneumonia.", "Clear."],
        completion_ids=[[1], [2]],
        reference=["Pneumonia.", "Pneumonia."],
        trainer_state=None,
    )
    assert found == [1.0, 0.0]
    assert reward.__name__ == "concepts"
    assert reward.needs_reference


def test_another_column_can_hold_the_references() -> None:
    reward = rewards.make("concepts:hpo,column=report")
    assert reward(completions=["Pneumonia."], report=["Pneumonia."]) == [1.0]
    with pytest.raises(RewardError, match="'report'"):
        reward(completions=["Pneumonia."], reference=["Pneumonia."])


class CountingLinker(Linker):
    """Each word is a concept; every text that it is asked for is kept."""

    name = "counting"

    def __init__(self) -> None:
        self.asked: list[str] = []

    def link(self, texts: Sequence[str]) -> list[tuple[Concept, ...]]:
        self.asked += texts
        return [
            tuple(Concept(word, word, Mention.POSITIVE) for word in text.split()) for text in texts
        ]


def test_each_distinct_text_is_linked_once() -> None:
    linker = CountingLinker()
    reward = ConceptReward(linker)
    for _ in range(2):
        values = reward(completions=["a b", "a", "a b", "c"], reference=["a", "a", "a", None])
        assert values == [pytest.approx(2 / 3), 1.0, pytest.approx(2 / 3), None]
    assert sorted(linker.asked) == ["a", "a b"]


def test_what_is_known_stays_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sdr_decode.rewards.concepts._REMEMBERED", 3)
    reward = ConceptReward(CountingLinker())
    for at in range(10):
        assert reward.identifiers([f"word{at}"]) == [{f"word{at}"}]
        assert len(reward._known) <= 3


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("concepts:nothing", "unknown linker 'nothing'; known: hpo, scispacy, table"),
        ("concepts:hpo,negated=keep", "expected exclude or mark"),
        ("concepts:hpo,empty=2", "expected 1 or 0 or none"),
        ("concepts:hpo,colour=red", "does not know the option 'colour'"),
        ("concepts:table", "table:FILE"),
    ],
)
def test_a_spec_that_does_not_fit_is_refused(spec: str, message: str) -> None:
    with pytest.raises(SpecError, match=re.escape(message)):
        rewards.make(spec)


@pytest.mark.parametrize("settings", [{"negated": "keep"}, {"empty": 2.0}])
def test_a_setting_that_does_not_fit_is_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(RewardError, match="expected"):
        ConceptReward(LINKER, **settings)
