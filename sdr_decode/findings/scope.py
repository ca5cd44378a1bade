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
    made = [Mention.POSITIVE] * len(found)
    force = Mention.POSITIVE
    statement = 0  # the first match of the statement being read
    for at, match in enumerate(found):
        cue = match.meaning
        if not isinstance(cue, Cue):
            if made[at] is Mention.POSITIVE:
                made[at] = force
        elif cue is Cue.BREAKS or (cue is Cue.PAUSES and _resumes(words, match)):
            force, statement = Mention.POSITIVE, at + 1
        elif cue is Cue.EITHER:
            if force is Mention.POSITIVE and _joins(found, at):
                made[at - 1] = doubted(made[at - 1])
                made[at + 1] = Mention.UNCERTAIN
        elif cue is Cue.BETWEEN:
            if force is not Mention.NEGATIVE:
                force = Mention.UNCERTAIN
                if at > statement:
                    made[at - 1] = doubted(made[at - 1])
        elif cue in _BEHIND and any(_is_finding(other) for other in found[statement:at]):
            for behind in range(statement, at):
                made[behind] = _BEHIND[cue]
        elif cue is not Cue.SAYS_NOTHING and cue is not Cue.PAUSES and _prevails(cue, force):
            # "resolved pneumonia": what can stand behind a finding can also stand before it
            force = _BEFORE.get(cue) or _BEHIND[cue]
    return made


def _is_finding(match: Match[object]) -> bool:
    return not isinstance(match.meaning, Cue)


def _resumes(words: Sequence[str], pause: Match[object]) -> bool:
    return pause.end < len(words) and words[pause.end] in RESUMES


def _joins(found: Sequence[Match[object]], at: int) -> bool:
    """Whether the "or" at ``at`` stands between two findings."""
    if not 0 < at < len(found) - 1:
        return False
    before, after = found[at - 1], found[at + 1]
    near = found[at].start - before.end <= 1 and after.start - found[at].end <= 2
    return near and _is_finding(before) and _is_finding(after)


def _prevails(cue: Cue, force: Mention) -> bool:
    if force is Mention.NOT_MENTIONED:
        return False
    return cue is not Cue.QUESTIONS or force is not Mention.NEGATIVE
