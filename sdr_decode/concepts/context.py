"""What a sentence makes of the concepts in it: affirmed, doubted, denied or set aside.

The cues and their reach are those of ``findings``. A concept is read as one word, so a cue within
its name ("absent kidney") is part of the name and nothing more.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum, auto
from functools import lru_cache

from sdr_decode.concepts.vocabulary import Span
from sdr_decode.findings import Mention
from sdr_decode.findings.cues import CUES
from sdr_decode.findings.lexicon import TARGETS
from sdr_decode.findings.phrases import PhraseTable, tables_of
from sdr_decode.findings.scope import modified
from sdr_decode.findings.statements import QUALITIES, SUBJECTS

_CONCEPT = "\0"  # a word that no text has: it is invisible
# A sentence has fewer words. Of what has more, each stretch is read by itself, since the time that
# the scopes take may grow with the square of a stretch.
_STRETCH = 256


class _Read(Enum):
    CONCEPT = auto()


def mentions(words: Sequence[str], spans: Sequence[Span]) -> list[Mention]:
    """What the words of one sentence make of each of its ``spans``, which are in order and do not
    overlap."""
    if not spans:
        return []
    reduced: list[str] = []
    at = 0
    for span in spans:
        reduced += [word.casefold() for word in words[at : span.start]]
        reduced.append(_CONCEPT)
        at = span.end
    reduced += [word.casefold() for word in words[at:]]
    made: list[Mention] = []
    for begin in range(0, len(reduced), _STRETCH):
        made += _stretch(reduced[begin : begin + _STRETCH])
    return made


def _stretch(words: list[str]) -> list[Mention]:
    found = _table().matches(words)
    made = modified(words, found)
    return [
        mention
        for match, mention in zip(found, made, strict=True)
        if match.meaning is _Read.CONCEPT
    ]


@lru_cache(maxsize=1)
def _table() -> PhraseTable[object]:
    # Everything else that a report can find is there too, for a cue belongs to what it stands by:
    # in "opacity has resolved, pneumonia persists" the opacity takes the cue.
    table = PhraseTable[object](
        [*tables_of(QUALITIES), *tables_of(SUBJECTS), *tables_of(TARGETS), *tables_of(CUES)]
    )
    table.add([_CONCEPT], _Read.CONCEPT)
    return table
