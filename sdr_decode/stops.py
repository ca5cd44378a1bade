"""Whether a run of full stops, question or exclamation marks ends its sentence.

Most do, and that is certain at the white space behind them. The doubtful ones wait for the next
character or, at most, for the next word and the character behind it. An ideographic full stop
always ends it.
"""

from __future__ import annotations

import re
from enum import Enum, auto

from sdr_decode.abbreviations import StopKind, is_blank
from sdr_decode.characters import BULLETS, CLOSING_QUOTES, DASHES
from sdr_decode.vocabulary import GOES_ON_AFTER_UNIT, OPENS_SENTENCE, UNITS

IDEOGRAPHIC_STOPS = frozenset("\u3002\uff61")  # of Japanese and Chinese, full and half width
TERMINATORS = frozenset(".?!…") | IDEOGRAPHIC_STOPS
CLOSERS = CLOSING_QUOTES | frozenset("\"')]}*>\u300d\u300f\uff09\uff63")
_EMPHASIS = frozenset("*")

_DECIMALS = re.compile(r"[0-9]{1,2}(?:" + "|".join(sorted(UNITS)) + ")?")


class Verdict(Enum):
    """What is known of a candidate after one more character."""

    YES = auto()
    NO = auto()
    WAIT = auto()


class Stop:
    """A run of terminators, with closing quotes and brackets, that may end the sentence.

    ``cut`` is the offset behind it. ``word`` is the word before it, inner marks included.
    """

    def __init__(self, cut: int, char: str, kind: StopKind, word: str, spaced_before: bool) -> None:
        self.cut = cut
        self.kind = kind
        self._word = word
        self._spaced_before = spaced_before
        self._dots = 3 if char == "…" else int(char == ".")
        self._strong = char in "?!"
        self._ideographic = char in IDEOGRAPHIC_STOPS
        self._enclosed = False
        self._spaced = False
        self.wants_word = False

    def extend(self, char: str, cut: int) -> bool:
        """Take one more terminator or closing mark. False when it does not belong."""
        if char in TERMINATORS:
            self._dots += 3 if char == "…" else int(char == ".")
            self._strong = self._strong or char in "?!"
            self._ideographic = self._ideographic or char in IDEOGRAPHIC_STOPS
        elif self._spaced or char not in CLOSERS:
            return False
        else:
            self._enclosed = self._enclosed or char not in _EMPHASIS
        self.cut = cut
        return True

    @property
    def _ellipsis(self) -> bool:
        return self._dots >= 3 and not self._strong

    @property
    def _plain(self) -> bool:
        return self._strong or (self.kind is StopKind.PLAIN and not self._ellipsis)

    def space(self, newline: bool) -> Verdict:
        """White space follows."""
        if self._ideographic or (self._plain and (newline or not self._enclosed)):
            return Verdict.YES
        self._spaced = True
        return Verdict.WAIT

    def word_start(self, char: str) -> Verdict:
        """A word begins with ``char``; the verdict may wait for the whole of it."""
        if self._ideographic:
            return Verdict.YES
        return self._next(char) if self._spaced else self._glued(char)

    def _glued(self, char: str) -> Verdict:
        ordinary = self._plain and len(self._word) > 1 and not is_blank(self._word)
        if char.isdecimal():
            apart = self._spaced_before or self._word[-1:].isdecimal() or not ordinary
            return Verdict.NO if apart or len(self._word) < 3 else Verdict.YES
        if not char.isupper():
            # "normal.there", but not "radiology.example.com"
            word = ordinary and len(self._word) > 3 and self._word.isalpha() and char.islower()
            return Verdict.YES if word else Verdict.NO
        closes = self._plain or self._ellipsis or self.kind not in (StopKind.NEVER, StopKind.SPINE)
        known = len(self._word) != 1 or self._word.isdecimal()  # not "M.D."
        return Verdict.YES if closes and known else Verdict.NO

    def _next(self, char: str) -> Verdict:
        kind = self.kind
        if char.islower() and (self._enclosed or self._ellipsis):
            return Verdict.NO
        if self._plain or self._ellipsis:
            return Verdict.YES
        if kind is StopKind.NEVER:
            return Verdict.NO
        if kind in (StopKind.NUMERO, StopKind.SPINE):
            return Verdict.NO if char.isdecimal() else Verdict.YES
        # a blank may be the name or the date that an abbreviation goes with
        may_be_blank = kind is StopKind.MAYBE and char in "X_"
        if not may_be_blank and (char.isupper() or char == "_"):
            return Verdict.YES
        self.wants_word = True
        return Verdict.WAIT

    def word(self, word: str, after: str) -> Verdict:
        """The word that it waited for ended, with ``after`` behind it ("" when it is too long to
        be known, or at the end of the text)."""
        listed = word.isdecimal() and len(word) < 3 and after in (".", ")")
        if self.kind is StopKind.NUMBER:
            torn = _DECIMALS.fullmatch(word) and len(self._word) < 3 and not listed
            return Verdict.NO if torn or word in UNITS or word == "x" else Verdict.YES
        if word[:1].isdecimal():
            return Verdict.YES if listed or self.kind is StopKind.UNIT else Verdict.NO
        if word[:1].isupper() or word[:1] == "_":
            return Verdict.NO if is_blank(word) else Verdict.YES
        if self.kind is StopKind.UNIT:
            return Verdict.NO if word in GOES_ON_AFTER_UNIT else Verdict.YES
        return Verdict.YES if word in OPENS_SENTENCE else Verdict.NO

    def mark(self, char: str) -> Verdict:
        """A mark other than a terminator or a closing one follows."""
        if self._ideographic:
            return Verdict.YES
        if not self._spaced:
            return (
                Verdict.YES if self._plain and (char in BULLETS or char in "&<([{") else Verdict.NO
            )
        if self.kind is StopKind.NEVER and not self._plain:
            return Verdict.NO
        if self.kind is StopKind.NUMERO and char == "#":
            return Verdict.NO
        return Verdict.NO if (char in DASHES or char in ",;:)/") else Verdict.YES
