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


def stop_kind(word: str, before: str, first: bool) -> StopKind:
    """The kind of a full stop after ``word`` (inner dots included: ``p.m``).

    ``before`` is the word before it; ``first`` is true when ``before`` opens the sentence or is
    missing.
    """
    lower = word.casefold()
    if lower.isdecimal():
        return StopKind.NUMBER
    if lower == "no":
        return StopKind.NUMERO
    if lower in NEEDS_ANOTHER:
        return StopKind.NEVER
    if lower.lstrip("0123456789.") in UNITS:
        # "in" is a unit behind a number only
        numbered = lower != "in" or before[-1:].isdecimal()
        return StopKind.UNIT if numbered else StopKind.PLAIN
    dotted = _DOTTED.fullmatch(lower) is not None
    if dotted or (len(word) == 1 and word.isalpha()):
        named = (
            before.casefold().rstrip(".") in BEFORE_INITIALS
            or (len(before) == 1 and before.isupper())
            or (not first and before[:1].isupper() and before[1:].islower())
            or not before
        )
        if named and word.isupper():
            return StopKind.NEVER
        if dotted:
            return StopKind.MAYBE
        return StopKind.SPINE if word in "CLST" else StopKind.PLAIN
    return StopKind.MAYBE if lower in MAY_END else StopKind.PLAIN
