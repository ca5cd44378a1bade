"""Which quality of a sentence belongs to which subject.

A subject takes the quality right before it ("normal heart size"), else the next one that suits it
("heart, lungs and mediastinum are normal"), else the last before it ("normal heart size and
mediastinal contours"). A break of the sentence or a new statement lies between them only where
subjects are listed.
"""

from __future__ import annotations

from collections.abc import Sequence

from sdr_decode.findings.cues import Cue
from sdr_decode.findings.phrases import Match
from sdr_decode.findings.scope import resumes
from sdr_decode.findings.statements import Quality, Subject, suits


def quality_of(at: int, words: Sequence[str], found: Sequence[Match[object]]) -> int | None:
    """The place among ``found`` of the quality of the subject at ``at``, if it has one."""
    subject = found[at].meaning
    if not isinstance(subject, Subject):
        return None
    if at and found[at - 1].end == found[at].start and _fits(subject, found[at - 1]):
        return at - 1
    for index in range(at + 1, len(found)):
        match = found[index]
        if _ends(words, match):
            listed = isinstance(found[index - 1].meaning, Subject)
            if match.meaning is Cue.BREAKS or not listed or found[index - 1].end != match.start:
                break
        elif _fits(subject, match):
            return index
    for index in range(at - 1, -1, -1):
        if _ends(words, found[index]):
            break
        if _fits(subject, found[index]):
            return index
    return None


def _fits(subject: Subject, match: Match[object]) -> bool:
    return isinstance(match.meaning, Quality) and suits(subject, match.meaning)


def _ends(words: Sequence[str], match: Match[object]) -> bool:
    """Whether the statement ends at a match."""
    return match.meaning is Cue.BREAKS or (match.meaning is Cue.PAUSES and resumes(words, match))
