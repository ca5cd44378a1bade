"""Finds the phrases of a table in a sentence: the longest at each word, from left to right.

A table is written as lines of phrases with commas between them. In a phrase ``a|b`` is a choice,
a trailing ``?`` makes a word optional, ``~`` stands for a blank within a choice, and the word
``comma`` for a comma: ``pleural? effusion|effusions``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Generic, TypeVar

Meaning = TypeVar("Meaning")

_TOKEN = re.compile(r"[^\W_]+(?:\.\d+)?|[,;:.?()/+]")


def words_of(normalised: str) -> list[str]:
    """The words and marks of a normalised sentence. A hyphen parts words; a mark that says
    nothing here is dropped."""
    return _TOKEN.findall(normalised)


def spelled_out(table: str) -> Iterator[tuple[str, ...]]:
    """Every phrase that a table stands for, as words."""
    for line in table.split(","):
        choices: list[list[str]] = []
        for word in line.split():
            optional = word.endswith("?") and len(word) > 1
            options = (word[:-1] if optional else word).split("|")
            choices.append([*options, ""] if optional else options)
        for chosen in product(*choices):
            words = [part for word in chosen if word for part in word.split("~")]
            if words:
                yield tuple("," if word == "comma" else word for word in words)


@dataclass(frozen=True, slots=True)
class Match(Generic[Meaning]):
    """``words[start:end]`` is a phrase that means ``meaning``."""

    start: int
    end: int
    meaning: Meaning


@dataclass(slots=True)
class _Node(Generic[Meaning]):
    after: dict[str, _Node[Meaning]] = field(default_factory=dict)
    meaning: Meaning | None = None


class PhraseTable(Generic[Meaning]):
    """Many phrases with what each means. Of one phrase given twice the later meaning holds."""

    def __init__(self, tables: Iterable[tuple[str, Meaning]] = ()) -> None:
        self._root: _Node[Meaning] = _Node()
        for table, meaning in tables:
            for phrase in spelled_out(table):
                self.add(phrase, meaning)

    def add(self, phrase: Iterable[str], meaning: Meaning) -> None:
        """One more phrase, as its words. One without words is never found."""
        node = self._root
        for word in phrase:
            node = node.after.setdefault(word, _Node())
        node.meaning = meaning

    def matches(self, words: Sequence[str]) -> list[Match[Meaning]]:
        """The longest phrase at each word that no earlier one took."""
        found: list[Match[Meaning]] = []
        at, after = 0, self._root.after
        while at < len(words):
            node = after.get(words[at])
            best: Match[Meaning] | None = None
            ahead = at + 1
            while node is not None:
                if node.meaning is not None:
                    best = Match(at, ahead, node.meaning)
                node = node.after.get(words[ahead]) if ahead < len(words) else None
                ahead += 1
            if best is None:
                at += 1
            else:
                found.append(best)
                at = best.end
        return found


def tables_of(listed: Mapping[Meaning, str]) -> list[tuple[str, Meaning]]:
    """The tables of a mapping from meaning to table, in order."""
    return [(table, meaning) for meaning, table in listed.items()]
