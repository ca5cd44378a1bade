"""Pairs of sentences that differ only by a negation."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

from benchmarks import negation
from benchmarks.negation import Probe, negated, probes, trials
from clients.recording import Reference
from index_build.report import CorpusReport
from sdr_decode.corpus import Corpus
from sdr_decode.rewards.polarity import asserted
from tests.small_corpus import build_small


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("No pleural effusion.", "Pleural effusion."),
        ("There is no evidence of pneumothorax.", "There is pneumothorax."),
        ("There is a small effusion.", "There is no small effusion."),
        ("Mild cardiomegaly.", "No mild cardiomegaly."),
        ("The heart is enlarged.", None),
        ("Lungs without consolidation.", None),
        ("Effusion is not seen.", None),
    ],
)
def test_the_rule_puts_in_or_takes_out_one_no(sentence: str, expected: str | None) -> None:
    assert negated(sentence) == expected


def test_the_examples_of_the_documentation_hold() -> None:
    assert not doctest.testmod(negation).failed


def test_a_probe_is_of_one_observation_read_both_ways(tmp_path: Path) -> None:
    reports = [
        CorpusReport("1", "No pleural effusion. The heart is enlarged.", "Mild cardiomegaly."),
        CorpusReport("2", "No effusion or pneumothorax. Leads.", "Small XXXX effusion."),
    ]
    build_small(tmp_path, reports)
    pool = probes(Corpus.open(tmp_path / "small.sdr"))
    made = {(each.present, each.absent) for of in pool.values() for each in of}
    assert made == {
        ("Pleural effusion.", "No pleural effusion."),
        ("Mild cardiomegaly.", "No mild cardiomegaly."),
    }


def test_a_trial_changes_one_sentence_and_agrees_with_the_reference_or_denies_it() -> None:
    (bit, _) = asserted("mild cardiomegaly")
    pool = {bit: [Probe(bit, "Cardiomegaly.", "No cardiomegaly.")]}
    references = [
        Reference("The heart is enlarged. Clear lungs.", "No cardiomegaly."),
        Reference("Heart size is enlarged.", None),
    ]
    made = list(trials(references, pool))
    assert [(each.study, each.present) for each in made] == [(0, True), (1, True)]
    assert made[0].sentences == ("Cardiomegaly.", "No cardiomegaly.", "The heart is enlarged.")
    report = "FINDINGS:\n{}\nClear lungs.\nIMPRESSION:\nNo cardiomegaly."
    assert made[0].reference == report.format("The heart is enlarged.")
    assert made[0].right == report.format("Cardiomegaly.")
    assert made[0].wrong == report.format("No cardiomegaly.")
