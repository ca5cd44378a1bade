"""What a text says of the concepts that it names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdr_decode.concepts.exact import ExactLinker
from sdr_decode.concepts.vocabulary import Name, Vocabulary
from sdr_decode.findings import Mention

NAMES = [
    Name("pleural effusion", "effusion"),
    Name("pneumothorax", "pneumothorax"),
    Name("pneumonia", "pneumonia"),
    Name("atelectasis", "atelectasis"),
    Name("hypertension", "hypertension"),
    Name("absent kidney", "absent kidney"),
]
LINKER = ExactLinker("test", lambda: Vocabulary(NAMES))


def said(text: str) -> dict[str, Mention]:
    return {concept.identifier: concept.mention for concept in LINKER.link([text])[0]}


@pytest.mark.parametrize(
    ("text", "mention"),
    [
        ("Small left pleural effusion.", Mention.POSITIVE),
        ("No pleural effusion.", Mention.NEGATIVE),
        ("There is no evidence of pneumothorax or pleural effusion.", Mention.NEGATIVE),
        ("Pleural effusion has resolved.", Mention.NEGATIVE),
        ("Pleural effusions are not seen.", Mention.NEGATIVE),
        ("Possible pleural effusion.", Mention.UNCERTAIN),
        ("Pleural effusion cannot be excluded.", Mention.UNCERTAIN),
        ("Evaluate for pleural effusion.", Mention.NOT_MENTIONED),
        ("No pneumothorax, but there is a pleural effusion.", Mention.POSITIVE),
        ("Opacity has resolved, there is a pleural effusion.", Mention.POSITIVE),
    ],
)
def test_cues_make_of_a_concept_what_they_make_of_a_finding(text: str, mention: Mention) -> None:
    assert said(text)["effusion"] is mention


def test_a_cue_within_a_name_is_part_of_the_name() -> None:
    assert said("Absent kidney and pneumonia.") == {
        "absent kidney": Mention.POSITIVE,
        "pneumonia": Mention.POSITIVE,
    }


def test_a_cue_reaches_no_other_sentence() -> None:
    assert said("No pneumothorax. Pneumonia.")["pneumonia"] is Mention.POSITIVE


def test_a_name_is_not_found_across_sentences() -> None:
    assert said("The surface is pleural. Effusion drained.") == {}


def test_a_report_with_findings_is_read_in_its_sections_only() -> None:
    report = "Indication: hypertension.\nFindings: Pneumonia.\nImpression: Atelectasis."
    assert set(said(report)) == {"pneumonia", "atelectasis"}
    assert set(said("Hypertension. Pneumonia.")) == {"hypertension", "pneumonia"}


def test_a_concept_carries_what_the_text_says() -> None:
    (concept,) = LINKER.link(["Large Pleural  Effusions."])[0]
    assert concept.text == "pleural effusions"


def test_the_vocabulary_is_loaded_once_and_late() -> None:
    loads = []

    def load() -> Vocabulary:
        loads.append(1)
        return Vocabulary(NAMES)

    linker = ExactLinker("test", load)
    assert not loads
    linker.link(["Pneumonia."])
    linker.link(["Atelectasis."])
    assert len(loads) == 1


@given(st.text(max_size=200))
def test_any_text_is_valid(text: str) -> None:
    assert len(LINKER.link([text])) == 1


@pytest.mark.parametrize(
    "text",
    ["", "\0\ud800\u200b", "no " * 3000, "absent pleural effusion " * 2000, ".,;:" * 5000],
)
def test_hostile_text_is_read(text: str) -> None:
    assert len(LINKER.link([text])) == 1


def test_every_concept_of_an_endless_sentence_is_found() -> None:
    concepts = LINKER.link(["pleural effusion and " * 1000])[0]
    assert len(concepts) == 1000
    assert {concept.mention for concept in concepts} == {Mention.POSITIVE}


@given(
    st.lists(
        st.sampled_from(["No pneumonia.", "Pneumonia.", "Atelectasis.", "Possible pneumothorax."]),
        max_size=6,
    ).flatmap(lambda each: st.tuples(st.just(each), st.permutations(each)))
)
def test_the_order_of_sentences_says_nothing(orders: tuple[list[str], list[str]]) -> None:
    one, other = (set(LINKER.link([" ".join(order)])[0]) for order in orders)
    assert one == other
