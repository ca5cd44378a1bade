"""What a whole report says of the observations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sdr_decode.findings.observations import Mention, Observation, stronger
from sdr_decode.findings.sentence import label_sentence
from sdr_decode.segmenter import split_sentences
from sdr_decode.sentences import Sentence


@dataclass(frozen=True, slots=True)
class Findings(Mapping[Observation, Mention]):
    """What a report says of each of the 14 observations, in their order.

    A mapping from every observation to its mention. ``other_abnormality`` is true when the report
    affirms or suspects an abnormality outside the 14, which is why ``NO_FINDING`` may be not
    mentioned although no other observation is positive.
    """

    mentions: tuple[Mention, ...]
    other_abnormality: bool

    def __getitem__(self, observation: Observation) -> Mention:
        return self.mentions[_PLACE[observation]]

    def __iter__(self) -> Iterator[Observation]:
        return iter(Observation)

    def __len__(self) -> int:
        return len(self.mentions)

    def stated(self, *mentions: Mention) -> frozenset[Observation]:
        """The observations with one of these mentions."""
        return frozenset(
            observation
            for observation, mention in zip(Observation, self.mentions, strict=True)
            if mention in mentions
        )

    @property
    def abnormal(self) -> frozenset[Observation]:
        """The observations that are positive or uncertain, without ``NO_FINDING`` and
        ``SUPPORT_DEVICES``: what a report must not lose."""
        return self.stated(Mention.POSITIVE, Mention.UNCERTAIN) - _NOT_ABNORMAL


_PLACE = {observation: place for place, observation in enumerate(Observation)}
_NOT_ABNORMAL = frozenset({Observation.NO_FINDING, Observation.SUPPORT_DEVICES})


def label_report(sentences: Sequence[Sentence]) -> Findings:
    """What the sentences of one report say together; their order does not matter.

    Of several mentions positive prevails over uncertain over negative, as in CheXpert.
    ``NO_FINDING`` is positive when no observation but ``SUPPORT_DEVICES`` and no other abnormality
    is positive or uncertain, else not mentioned; of no sentences nothing is said. In a report with
    findings, a sentence without a section (indication, technique) is not read.
    """
    sectioned = any(sentence.section == "findings" for sentence in sentences)
    texts = [s.text for s in sentences if s.section is not None or not sectioned]
    made = dict.fromkeys(Observation, Mention.NOT_MENTIONED)
    other = False
    for text in texts:
        said = label_sentence(text)
        other |= said.other_abnormality
        for observation, mention in said.mentions.items():
            made[observation] = stronger(made[observation], mention)
    findings = Findings(tuple(made.values()), other)
    if texts and not other and not findings.abnormal:
        made[Observation.NO_FINDING] = Mention.POSITIVE
        findings = Findings(tuple(made.values()), other)
    return findings


def label(report: str | Sequence[Sentence]) -> dict[Observation, Mention]:
    """What a report, as text or as its sentences, says of each of the 14 observations."""
    return dict(label_report(split_sentences(report) if isinstance(report, str) else report))
