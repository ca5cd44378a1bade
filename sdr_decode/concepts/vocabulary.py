"""Names of concepts, and where a text says one: the longest name at each word.

The matching is that of ``findings.phrases``, a trie over words, and not a package: what negates a
concept is read from the same words by the same rules, so that both have to agree on what a word is,
and the trie is there already. Of the packages, pyahocorasick and ahocorasick_rs match characters,
so that word ends have to be written into every name, and flashtext2 keeps word rules of its own;
all three save less than what cutting a text into sentences costs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sdr_decode.concepts.word_forms import folded, spelled
from sdr_decode.findings.phrases import Match, PhraseTable


class Name(NamedTuple):
    """A name of the concept ``identifier``, or, where that is empty, a phrase in which no shorter
    name is to be found ("body mass"). ``spelled`` is true of an abbreviation, which is one
    only as it is written here: "MI", never "mi"."""

    text: str
    identifier: str
    spelled: bool = False


@dataclass(frozen=True, slots=True)
class Span:
    """``words[start:end]`` of a text name the concept ``identifier``."""

    start: int
    end: int
    identifier: str


class Vocabulary:
    """Many names of concepts. Of one name given twice the later identifier holds. A name without a
    word, such as "?", is left out."""

    def __init__(self, names: Iterable[Name]) -> None:
        self._folded = PhraseTable[str]()
        self._spelled = PhraseTable[str]()
        self.names = 0
        for name in names:
            words = spelled(name.text)
            if any(word.isalnum() for word in words):
                self.names += 1
                if name.spelled:
                    self._spelled.add(words, name.identifier)
                else:
                    self._folded.add(folded(words), name.identifier)

    def spans(self, words: Sequence[str]) -> list[Span]:
        """The concepts that ``words``, as ``spelled`` gives them, name: at each word the longest
        name, none within another. Time grows with the number of words times the longest name."""
        found = self._folded.matches(folded(words))
        taken = {at for match in found for at in range(match.start, match.end)}
        found += [
            match
            for match in self._spelled.matches(words)
            if taken.isdisjoint(range(match.start, match.end))
        ]
        return [_span(match) for match in sorted(found, key=_start) if match.meaning]


def _start(match: Match[str]) -> int:
    return match.start


def _span(match: Match[str]) -> Span:
    return Span(match.start, match.end, match.meaning)
