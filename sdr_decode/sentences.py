"""A sentence of a report, and the form in which two sentences are the same."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Literal

Section = Literal["findings", "impression"]
SECTIONS: tuple[Section, ...] = ("findings", "impression")


@dataclass(frozen=True, slots=True)
class Sentence:
    """One closed sentence.

    ``text`` is the sentence as scored: without list marker, Markdown and surplus white space.
    ``section`` is ``None`` for text before or without a heading. ``source[start:end]`` is the
    sentence as it stands in the source text.
    """

    text: str
    section: Section | None
    start: int
    end: int


_SPACE = re.compile(r"\s+")
_SPACE_BEFORE_MARK = re.compile(r" (?=[.,;:!?)])")


def normalise(text: str) -> str:
    """The form in which two sentences count as the same: NFKC, case-folded, single spaces, no
    space before punctuation, no full stop or white space at the end. Idempotent."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return _SPACE_BEFORE_MARK.sub("", _SPACE.sub(" ", folded).strip()).rstrip(" .")


def as_embedded(normalised: str) -> str:
    """What the encoder is given for a normalised text, so that a vector depends on nothing else."""
    return normalised if normalised.endswith(("?", "!", ":")) else normalised + "."
