"""A text that has come to repeat itself without end, noticed while it streams in."""

from __future__ import annotations

import re
from collections import deque

LONGEST_LOOP = 16
"""The longest stretch, in words and marks, that is recognised as a loop."""

TIMES = 4
"""How often a stretch stands in a row before it is a loop."""

LEAST = 8
"""A loop covers at least so many words and marks: "very, very, very, very" is none."""

WORDLESS_LEAST = 64
"""A loop of blanks, numbers and marks alone covers at least so many: no report of Open-i has more
than 11 of them in a row."""

RUN = 64
"""A character, or white space, that stands so often in a row is padding."""

_LONGEST_WORD = 64
# Every character of a script that is written without spaces is a word of its own.
_ALONE = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\ua4cf\uf900-\ufaff"
_UNSPACED = re.compile(f"[{_ALONE}]")
_WORDS = re.compile(rf"[{_ALONE}]|[^\W{_ALONE}]+|\S")
_WORDLESS = re.compile(r"x+|[_\d]+|[^\w]")


class LoopWatch:
    """Follows a text in constant time a character.

    ``found`` says in words what repeats, once something does, and stays. De-identification blanks
    (``XXXX``) and numbers are a loop by themselves only from ``WORDLESS_LEAST`` on.
    """

    def __init__(self) -> None:
        self.found: str | None = None
        self._word = ""
        self._words: deque[str] = deque(maxlen=LONGEST_LOOP)
        self._same = [0] * (LONGEST_LOOP + 1)  # how many in a row equal the one so far before them
        self._last = ""
        self._run = 0

    def feed(self, text: str) -> None:
        """Read on. Once a loop was found, what follows is not looked at."""
        for char in text:
            if self.found is not None:
                return
            self._count_run(char)
            if not (char.isalnum() or char == "_") or _UNSPACED.match(char):
                self._end_word()
                if not char.isspace():
                    self._take(char)
            else:
                self._word += char.casefold()
                if len(self._word) == _LONGEST_WORD:
                    self._end_word()

    def finish(self) -> None:
        """The text is complete, and with it its last word."""
        if self.found is None:
            self._end_word()

    def _count_run(self, char: str) -> None:
        kind = " " if char.isspace() else char
        self._run = self._run + 1 if kind == self._last else 1
        self._last = kind
        if self._run == RUN:
            what = "white space" if kind == " " else repr(char)
            self.found = f"{what}, {RUN} times in a row"

    def _end_word(self) -> None:
        word, self._word = self._word, ""
        if word:
            self._take(word)

    def _take(self, word: str) -> None:
        known = len(self._words)
        for period in range(1, LONGEST_LOOP + 1):
            same = period <= known and self._words[-period] == word
            self._same[period] = self._same[period] + 1 if same else 0
        self._words.append(word)
        if self.found is not None:
            return
        for period in range(1, min(known, LONGEST_LOOP) + 1):
            covered = self._same[period] + period
            if covered >= TIMES * period and covered >= LEAST:
                stretch = list(self._words)[-period:]
                if covered >= WORDLESS_LEAST or any(map(says_something, stretch)):
                    self.found = f"{' '.join(stretch)!r}, {covered // period} times in a row"
                return


def words_of(text: str) -> list[str]:
    """The words and marks of a text, case-folded, as loops are looked for among them."""
    return _WORDS.findall(text.casefold())


def says_something(word: str) -> bool:
    """Whether a case-folded word is more than a blank, a number or a mark."""
    return _WORDLESS.fullmatch(word) is None
