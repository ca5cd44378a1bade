"""The numbers that open the items of a list: ``1.``, ``2)``, ``(3)``, ``4.)``."""

from __future__ import annotations

from sdr_decode.stops import Verdict

_DIGITS = frozenset("0123456789")


class ListMarker:
    """A number that may turn out to open an item. ``start`` is its offset in the source.

    ``running`` says that it stands within a line of text, not at the start of a sentence or line:
    then it opens an item only if a capital letter follows. ``line`` says that it opens its line.
    """

    def __init__(self, start: int, *, running: bool, line: bool) -> None:
        self.start = start
        self.end = start
        self.running = running
        self.line = line
        self._digits = ""
        self._bracketed = False
        self._spaced = False

    @property
    def number(self) -> int:
        return int(self._digits)

    @property
    def closed(self) -> bool:
        """Whether number and stop are there, so that only what follows is awaited."""
        return self.end > self.start

    def see(self, char: str, at: int, space: bool) -> Verdict:
        """One more character of the source, at offset ``at``."""
        if self.closed:
            return self._after(char, at, space)
        if char in _DIGITS and len(self._digits) < 2:
            self._digits += char
        elif char == "(" and at == self.start and not self.running:
            self._bracketed = True
        elif self._ends(char):
            self.end = at + 1
        else:
            return Verdict.NO
        return Verdict.WAIT

    def _ends(self, char: str) -> bool:
        numbered = self._digits.strip("0") != ""
        return numbered and (char == ")" or (char == "." and not self._bracketed))

    def _after(self, char: str, at: int, space: bool) -> Verdict:
        if space:
            self._spaced = True
            return Verdict.WAIT if self.running else Verdict.YES
        if self._spaced:
            return Verdict.YES if char.isupper() else Verdict.NO
        if char == ")" and at == self.end:
            self.end = at + 1
            return Verdict.WAIT
        if self.running or char in _DIGITS:
            return Verdict.NO
        return Verdict.YES if char.isalpha() or char in "*_" else Verdict.NO
