"""The words of an open sentence, as far as the rules look back."""

from __future__ import annotations

from sdr_decode.abbreviations import StopKind, stop_kind

WORD_LIMIT = 32  # no word that a rule knows is longer; of longer ones only the beginning is kept

_JOINERS = ".-/'\u2019&"


class Words:
    """The current word, the one before it, and what is needed to tell an abbreviation.

    A word is a run of letters and digits (``word``, ``before``). A chunk is a run of words with
    the marks that join them: ``p.m``, ``L2-L3``.
    """

    def __init__(self) -> None:
        self.word = ""
        self.before = ""
        self.count = 0
        self.start = 0
        self.opening = self.line = False
        self._chunk = ""
        self._chunks = ("", "")  # the two before it
        self._chunk_count = 0

    def begin(self, start: int, *, opening: bool, line: bool) -> None:
        """A word begins at offset ``start``; ``opening`` and ``line`` as ``HeadingMatcher.word``
        has them."""
        self.start, self.opening, self.line = start, opening, line
        self.count += 1

    def letters(self, letters: str) -> None:
        """The word goes on with ``letters``."""
        if len(self._chunk) + len(letters) <= WORD_LIMIT:  # a word is never longer than its chunk
            self.word += letters
            self._chunk += letters
            return
        self.word += letters[: WORD_LIMIT - len(self.word)]
        self._chunk += letters[: WORD_LIMIT - len(self._chunk)]

    def several(self, words: str) -> None:
        """Whole words without inner marks, a space behind each and perhaps a comma before that."""
        count = words.count(" ")
        if not count:
            return
        last = words.replace(",", "").rsplit(" ", 3)[-3 if count > 1 else -2 :]
        self.before = last[-2]
        self._chunks = (last[0] if count > 1 else self._chunks[1], last[-2])
        self._chunk_count += count
        self.count += count

    def end(self) -> None:
        self.before, self.word = self.word, ""

    def mark(self, char: str) -> None:
        if char not in _JOINERS:
            self.space()
        elif self._chunk and len(self._chunk) < WORD_LIMIT:
            self._chunk += char

    def space(self) -> None:
        if self._chunk:
            self._chunks = (self._chunks[1], self._chunk.rstrip(_JOINERS))
            self._chunk = ""
            self._chunk_count += 1

    def stop_kind(self) -> tuple[StopKind, str]:
        """The kind of a full stop here, behind the last word, and that word."""
        if self._chunk:
            word, before, number = self._chunk, self._chunks[1], self._chunk_count
        else:
            word, before, number = self._chunks[1], self._chunks[0], self._chunk_count - 1
        return stop_kind(word, before, first=number <= 1), word
