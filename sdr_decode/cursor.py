"""Where a reader of text stands."""

from __future__ import annotations

from sdr_decode.characters import NEWLINE, SPACE, Kind


class Cursor:
    """The place of the next character, and what is known of its line.

    ``at`` is its offset and ``last`` the character before it; ``line_first`` is true while nothing
    but marks and white space stands before it on its line; ``width`` is the width in columns of
    the line so far, trailing white space apart.
    """

    def __init__(self) -> None:
        self.at = 0
        self.last = "\n"
        self.line_first = True
        self.width = 0
        self._column = 0

    def advance(self, char: str, kind: Kind) -> None:
        """Go past ``char``."""
        self.at += 1
        self.last = char
        if kind is NEWLINE:
            self._column = 0
            self.line_first = True
        else:
            self._column += 1
            if kind is not SPACE:
                self.width = self._column

    def advance_words(self, words: str) -> None:
        """Go past words, or a part of one, with single spaces between and perhaps behind them."""
        self.at += len(words)
        self.last = words[-1]
        self._column += len(words)
        self.width = self._column - (self.last == " ")

    def go_back(self, at: int, last: str, *, line_first: bool) -> None:
        """Stand at offset ``at`` again, behind ``last``."""
        # below 0 if a line end lies between, which sets it right when it is passed again
        self._column -= self.at - at
        self.at, self.last, self.line_first = at, last, line_first
