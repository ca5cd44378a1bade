"""How far a cue reaches, and what it makes of the findings there.

A sentence is read from left to right. A cue before a finding holds until the sentence breaks
("but", ";") or a new statement opens (", there is ..."). A cue behind a finding reaches back to
where its own statement began. A negation in force is not undone by a word of doubt such as
"suggest" ("no opacity to suggest pneumonia") but is by "may" or "possible".
"""

from __future__ import annotations

from collections.abc import Sequence

from sdr_decode.findings.cues import RESUMES, Cue
from sdr_decode.findings.observations import Mention, doubted
from sdr_decode.findings.phrases import Match

_BEFORE = {
    Cue.NEGATES: Mention.NEGATIVE,
    Cue.QUESTIONS: Mention.UNCERTAIN,
    Cue.MAY_BE: Mention.UNCERTAIN,
    Cue.SETS_ASIDE: Mention.NOT_MENTIONED,
}
_BEHIND = {Cue.NEGATED: Mention.NEGATIVE, Cue.QUESTIONED: Mention.UNCERTAIN}


def modified(words: Sequence[str], found: Sequence[Match[object]]) -> list[Mention]:
    """What the cues among ``found`` make of each match: ``POSITIVE`` where none reaches it. The
    value of a cue itself means nothing."""
    reading = _Reading(words, found)
    for at, match in enumerate(found):
        if isinstance(match.meaning, Cue):
            reading.take(at, match.meaning)
        elif reading.made[at] is Mention.POSITIVE:
            reading.made[at] = reading.force
    return reading.made


class _Reading:
    """How far a sentence has been read."""

    def __init__(self, words: Sequence[str], found: Sequence[Match[object]]) -> None:
        self.made = [Mention.POSITIVE] * len(found)
        self.force = Mention.POSITIVE  # what the cues so far make of a finding that follows
        self._statement = 0  # the first match of the statement being read
        self._words = words
        self._found = found

    def take(self, at: int, cue: Cue) -> None:
        """The match at ``at`` is a cue."""
        if cue is Cue.BREAKS or (cue is Cue.PAUSES and resumes(self._words, self._found[at])):
            self.force, self._statement = Mention.POSITIVE, at + 1
        elif cue is Cue.EITHER:
            self._either(at)
        elif cue is Cue.BETWEEN:
            self._between(at)
        elif cue in _BEHIND and any(map(_is_finding, self._found[self._statement : at])):
            self.made[self._statement : at] = [_BEHIND[cue]] * (at - self._statement)
        elif cue not in {Cue.SAYS_NOTHING, Cue.PAUSES} and self._prevails(cue):
            # "resolved pneumonia": what can stand behind a finding can also stand before it
            self.force = _BEFORE.get(cue) or _BEHIND[cue]

    def _either(self, at: int) -> None:
        if self.force is Mention.POSITIVE and _joins(self._found, at):
            self.made[at - 1] = doubted(self.made[at - 1])
            self.made[at + 1] = Mention.UNCERTAIN

    def _between(self, at: int) -> None:
        if self.force is not Mention.NEGATIVE:
            self.force = Mention.UNCERTAIN
            if at > self._statement:
                self.made[at - 1] = doubted(self.made[at - 1])

    def _prevails(self, cue: Cue) -> bool:
        """Whether a cue changes what is in force."""
        if self.force is Mention.NOT_MENTIONED:
            return False
        return cue is not Cue.QUESTIONS or self.force is not Mention.NEGATIVE


def _is_finding(match: Match[object]) -> bool:
    return not isinstance(match.meaning, Cue)


def resumes(words: Sequence[str], pause: Match[object]) -> bool:
    """Whether a new statement opens behind a pause."""
    return pause.end < len(words) and words[pause.end] in RESUMES


def _joins(found: Sequence[Match[object]], at: int) -> bool:
    """Whether the "or" at ``at`` stands between two findings."""
    if not 0 < at < len(found) - 1:
        return False
    before, after = found[at - 1], found[at + 1]
    near = found[at].start - before.end <= 1 and after.start - found[at].end <= 2
    return near and _is_finding(before) and _is_finding(after)
