"""What one sentence says of the observations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

from sdr_decode.findings.cues import CUES
from sdr_decode.findings.lexicon import TARGETS, Target
from sdr_decode.findings.observations import Mention, Observation, doubted, stronger
from sdr_decode.findings.pairing import quality_of
from sdr_decode.findings.phrases import Match, PhraseTable, tables_of, words_of
from sdr_decode.findings.scope import modified
from sdr_decode.findings.statements import (
    OBSERVED,
    QUALITIES,
    SUBJECTS,
    Quality,
    Subject,
)
from sdr_decode.sentences import normalise

_CACHED_SENTENCES = 1 << 16


@dataclass(frozen=True, slots=True)
class SentenceFindings:
    """``mentions`` holds the observations that a sentence mentions, never ``NO_FINDING``, which
    only a whole report can state. ``other_abnormality`` is true when it affirms or suspects an
    abnormality outside the 14, such as emphysema or scoliosis."""

    mentions: Mapping[Observation, Mention]
    other_abnormality: bool


@lru_cache(maxsize=_CACHED_SENTENCES)
def label_sentence(text: str) -> SentenceFindings:
    """What a sentence says of each observation: positive over uncertain over negative where it
    says several. Any text is valid; one that says nothing gives no mention."""
    words = words_of(normalise(text))
    found = _table().matches(words)
    made = modified(words, found)
    mentions: dict[Observation, Mention] = {}
    other = False
    for match, mention in zip(found, made, strict=True):
        if isinstance(match.meaning, Target) and mention is not Mention.NOT_MENTIONED:
            _add(mentions, match.meaning.observations, mention)
            _add(mentions, match.meaning.suspected, doubted(mention))
            other |= (
                match.meaning.abnormal
                and not match.meaning.observations
                and not match.meaning.suspected
                and mention is not Mention.NEGATIVE
            )
    for subject, mention in _stated(words, found, made):
        _add(mentions, OBSERVED[subject], mention)
    return SentenceFindings(MappingProxyType(mentions), other)


def _add(
    mentions: dict[Observation, Mention], observations: Sequence[Observation], mention: Mention
) -> None:
    for observation in observations:
        said = mentions.get(observation, Mention.NOT_MENTIONED)
        mentions[observation] = stronger(mention, said)


@lru_cache(maxsize=1)
def _table() -> PhraseTable[object]:
    return PhraseTable[object](
        [*tables_of(QUALITIES), *tables_of(SUBJECTS), *tables_of(TARGETS), *tables_of(CUES)]
    )


def _stated(
    words: Sequence[str], found: Sequence[Match[object]], made: Sequence[Mention]
) -> list[tuple[Subject, Mention]]:
    """The subjects of a sentence with what their qualities make of their observations."""
    stated = []
    for at, match in enumerate(found):
        if isinstance(match.meaning, Subject):
            quality = quality_of(at, words, found)
            said = None if quality is None else _said(found[quality].meaning, made[quality])
            if said is not None:
                stated.append((match.meaning, said))
    return stated


def _said(quality: object, mention: Mention) -> Mention | None:
    """What a quality under its cues says of the observation; ``None`` where it says nothing."""
    if quality in {Quality.NORMAL, Quality.CLEAR}:
        return Mention.NEGATIVE if mention is Mention.POSITIVE else None
    if mention is Mention.NOT_MENTIONED:
        return None
    return doubted(mention) if quality is Quality.BORDERLINE else mention
