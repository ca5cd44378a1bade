"""What kind of character one is to the segmenter, and what a stretch of source reads as."""

from __future__ import annotations

import re
import unicodedata
from enum import Enum, auto
from functools import lru_cache

INNER_BULLETS = frozenset("\u2022\u25cf\u25aa\u25e6\u2023")  # within a line, too
BULLETS = INNER_BULLETS | {"\u00b7"}
DASHES = frozenset("-\u2013\u2014")
CLOSING_QUOTES = frozenset("\u201d\u2019\u00bb")

_NEWLINES = frozenset("\n\r\v\f\x85\u2028\u2029")
# Stars and underscores of emphasis; those between letters, digits or spaces are text, and so are
# the three underscores and more of a blank.
_EMPHASIS = re.compile(
    r"(?<![\w*])\*++(?=\S)|(?<=[^\s*])\*++(?!\w)|(?<!\w)_{1,2}(?=[^\W_])|(?<=[^\W_])_{1,2}(?!\w)"
    r"|(?<!\w)_{1,2}(?!\w)"
)
_LIST_MARKS = "".join(sorted(INNER_BULLETS)) + "*# "


class Kind(Enum):
    """Letters, digits, underscores and combining marks make words."""

    WORD = auto()
    SPACE = auto()
    NEWLINE = auto()
    MARK = auto()


# An enum's members are looked up slowly.
WORD, SPACE, NEWLINE, MARK = Kind


@lru_cache(maxsize=4096)
def kind_of(char: str) -> Kind:
    """The kind of one character."""
    if char.isalnum() or char == "_":
        return Kind.WORD
    if char in _NEWLINES:
        return Kind.NEWLINE
    if char.isspace():
        return Kind.SPACE
    return Kind.WORD if unicodedata.category(char).startswith("M") else Kind.MARK


def readable(source: str) -> str:
    """``source`` without marks of emphasis, list marks before it, and surplus white space."""
    if "*" in source or "_" in source:
        source = _EMPHASIS.sub("", source)
    return " ".join(source.split()).lstrip(_LIST_MARKS)
