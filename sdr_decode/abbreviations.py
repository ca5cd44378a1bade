"""Words whose full stop may not end a sentence."""

from __future__ import annotations

import re
from enum import Enum, auto

from sdr_decode.vocabulary import BEFORE_INITIALS, MAY_END, NEEDS_ANOTHER, UNITS


class StopKind(Enum):
    """What the word before a full stop makes of it."""

    PLAIN = auto()
    """An ordinary word: the stop ends the sentence."""
    NEVER = auto()
    """A word that needs another after it: ``Dr.``, ``vs.``, the initials of a name."""
    MAYBE = auto()
    """An abbreviation that may stand last: ``p.m.``, ``etc.``."""
    UNIT = auto()
    """A unit of measurement, usually written without a stop: ``cm.``"""
    NUMBER = auto()
    """A whole number: ``rib 7.``, or a decimal torn apart: ``1. 5 cm``."""
    NUMERO = auto()
    """``No.``: an answer, or the sign of a number."""
    SPINE = auto()
    """A letter of a spinal level: ``T. 12``, or a type: ``hepatitis C.``"""


_DOTTED = re.compile(r"(?:[a-z]\.)+[a-z]")


def is_blank(word: str) -> bool:
    """Whether the word is a de-identification blank: ``XXXX`` or ``___``."""
    return len(word) > 1 and (set(word) == {"X"} or set(word) == {"_"})


_LISTED = {
    "no": StopKind.NUMERO,
    **dict.fromkeys(NEEDS_ANOTHER, StopKind.NEVER),
    **dict.fromkeys(MAY_END, StopKind.MAYBE),
}


def stop_kind(word: str, before: str, first: bool) -> StopKind:
    """The kind of a full stop after ``word`` (inner dots included: ``p.m``).

    ``before`` is the word before it, or empty; ``first`` is true when ``before`` opens the
    sentence.
    """
    lower = word.casefold()
    if lower.isdecimal():
        return StopKind.NUMBER
    if lower in _LISTED:
        return _LISTED[lower]
    if lower.lstrip("0123456789.") in UNITS and (lower != "in" or before[-1:].isdecimal()):
        return StopKind.UNIT
    by_name = before.casefold() in BEFORE_INITIALS
    if _DOTTED.fullmatch(lower):  # the initials of "J.K. Doe", or "p.m."
        return StopKind.NEVER if by_name and word.isupper() else StopKind.MAYBE
    if len(word) == 1 and word.isalpha():
        return _letter_kind(word, before, by_name=by_name, first=first)
    return StopKind.PLAIN


def _letter_kind(letter: str, before: str, *, by_name: bool, first: bool) -> StopKind:
    by_initial = len(before) == 1 and before.isupper()
    by_first_name = not first and before[:1].isupper() and before[1:].islower()
    if letter.isupper() and (by_name or by_initial or by_first_name or not before):
        return StopKind.NEVER
    return StopKind.SPINE if letter in "CLST" else StopKind.PLAIN
