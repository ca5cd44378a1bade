"""The measurements of the concept reward, on a recording of one study."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.concept_coverage import NAMED, SAID, agreement, correlation, identifiers
from benchmarks.concept_speed import batch
from sdr_decode.concepts import linkers


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    texts = ["Pneumonia on the left.", "Cardiomegaly.", "Clear lungs."]
    study = {
        "study": "one",
        "prompt": "",
        "reference": {"findings": "Pneumonia on the left.", "impression": "Pneumonia."},
        "candidates": [{"tokens": [text], "finish_reason": "stop"} for text in texts],
    }
    path = tmp_path / "recording.jsonl"
    path.write_text(json.dumps(study) + "\n", encoding="utf-8")
    return path


def test_every_completion_has_its_reference(recording: Path) -> None:
    completions, references, tokens = batch(recording)
    assert completions == ["Pneumonia on the left.", "Cardiomegaly.", "Clear lungs."]
    assert set(references) == {"Findings: Pneumonia on the left.\nImpression: Pneumonia."}
    assert tokens == 1.0


def test_every_name_of_an_observation_is_a_concept() -> None:
    linker = linkers.make("hpo")
    for names in NAMED.values():
        (concepts,) = linker.link([names])
        assert [concept.text for concept in concepts] == [
            name.strip(" .").replace("-", " ") for name in names.split(".")
        ]


def test_agreement_counts_what_both_say(capsys: pytest.CaptureFixture[str]) -> None:
    texts = ["Pneumonia. No pneumothorax.", "Infection.", "Cardiomegaly."]
    linker = linkers.make("hpo")
    linked = linker.link(texts)
    assert len(identifiers(linked[0], SAID)) == 1
    agreement(linker, texts, linked)
    printed = capsys.readouterr().out
    assert "Pneumonia: labelled 2, precision 1.000, recall 0.500, F1 0.667" in printed
    assert "all: labelled 3, precision 1.000, recall 0.667, F1 0.800" in printed


def test_correlation_is_that_of_the_candidates(
    recording: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    correlation(recording, "exclude")
    assert "over 3 candidates" in capsys.readouterr().out
