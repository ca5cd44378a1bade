"""Whether a text has the form of a report."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from clients.spec import Spec, allow_options, no_value
from sdr_decode.rewards.base import TextReward
from sdr_decode.segmenter import split_sentences
from sdr_decode.sentences import SECTIONS, Sentence, is_sentence


def has_report_format(sentences: Sequence[Sentence]) -> bool:
    """Whether both sections are there, in order and not empty: findings first, then the
    impression, and each says something beside de-identification blanks.

    Text without a section may stand anywhere; a section that begins again after the other one is
    out of order.
    """
    named = [each.section for each in sentences if each.section is not None]
    filled = {each.section for each in sentences if is_sentence(each.text)}
    return [section for section, _ in groupby(named)] == list(SECTIONS) and filled >= set(SECTIONS)


class FormatReward(TextReward):
    """1.0 for a text with a findings and an impression section, in order and not empty, else 0.0.

    >>> report = "Findings: Lungs are clear.\\nImpression: No acute disease."
    >>> FormatReward()(completions=[report, "Lungs are clear.", "Findings:\\nImpression: Clear."])
    [1.0, 0.0, 0.0]
    """

    def __init__(self) -> None:
        super().__init__("format")

    def value(self, text: str) -> float:
        return float(has_report_format(split_sentences(text)))


def from_spec(spec: Spec) -> FormatReward:
    no_value(spec)
    allow_options(spec)
    return FormatReward()
