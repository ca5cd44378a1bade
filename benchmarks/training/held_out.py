"""What a report model writes of studies that it was not trained on, and what that is worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.reward_outcome import values_of
from benchmarks.training.examples import Example
from sdr_decode.findings import Findings, Mention, Observation, label_report
from sdr_decode.metrics import token_f1, words
from sdr_decode.rewards import Reward
from sdr_decode.segmenter import split_sentences

Numbers = NDArray[np.float64]

OUTCOMES = ("Token-F1", "finding F1", "abnormal recall", "false alarms", "words a report")


@dataclass(frozen=True, slots=True)
class HeldOut:
    """Studies that a model is not trained on, and the rewards that its reports are valued with."""

    examples: Sequence[Example]
    rewards: Mapping[str, Reward]

    @property
    def prompts(self) -> list[str]:
        return [each.prompt for each in self.examples]

    def rewarded(self, name: str, reports: Sequence[Sequence[str]]) -> Numbers:
        """The mean of a reward over the reports of each study: (studies,)."""
        references = [
            example.reference
            for example, written in zip(self.examples, reports, strict=True)
            for _ in written
        ]
        texts = [report for written in reports for report in written]
        values = values_of(self.rewards[name], texts, references)
        return np.asarray(values.reshape(len(self.examples), -1).mean(axis=1))

    def measured(self, reports: Sequence[Sequence[str]]) -> dict[str, Numbers]:
        """Every reward and every one of ``OUTCOMES``, as means over the reports of each study:
        (studies,), NaN for a study that it does not cover.

        Token-F1 is against the reference; finding F1 over the observations stated as positive, 1
        where neither states one. Abnormal recall is the share of reports that name any
        abnormality, of studies whose reference does; false alarms the same share of studies whose
        reference names none.
        """
        table = {name: self.rewarded(name, reports) for name in self.rewards}
        outcomes = np.array(
            [
                np.mean([_outcomes(report, example.reference) for report in written], axis=0)
                for example, written in zip(self.examples, reports, strict=True)
            ]
        )
        return table | dict(zip(OUTCOMES, outcomes.T, strict=True))


def _outcomes(report: str, reference: str) -> tuple[float, ...]:
    said, wanted = _prose(report), _prose(reference)
    ours, theirs = _findings(report), _findings(reference)
    alarm = float(bool(_abnormal(ours)))
    expected = bool(_abnormal(theirs))
    return (
        token_f1(said, wanted),
        _f1(_positive(ours), _positive(theirs)),
        alarm if expected else np.nan,
        np.nan if expected else alarm,
        float(len(words(said))),
    )


def _prose(report: str) -> str:
    return " ".join(each.text for each in split_sentences(report))


def _findings(report: str) -> Findings:
    return label_report(split_sentences(report))


def _positive(findings: Findings) -> frozenset[Observation]:
    return findings.stated(Mention.POSITIVE) - {Observation.NO_FINDING}


def _abnormal(findings: Findings) -> frozenset[Observation]:
    return findings.abnormal & findings.stated(Mention.POSITIVE)


def _f1(ours: frozenset[Observation], theirs: frozenset[Observation]) -> float:
    return 2 * len(ours & theirs) / (len(ours) + len(theirs)) if ours or theirs else 1.0
