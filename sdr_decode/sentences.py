"""A sentence of a report, and the form in which two sentences are the same."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Literal

from sdr_decode.invisible import visible
from sdr_decode.vocabulary import NOT_ALONE

Section = Literal["findings", "impression"]
SECTIONS: tuple[Section, ...] = ("findings", "impression")


@dataclass(frozen=True, slots=True)
class Sentence:
    """One closed sentence.

    ``text`` is the sentence as scored: without list marker, Markdown, surplus white space and
    characters that show nothing.
    ``section`` is ``None`` for text before or without a heading. ``source[start:end]`` is the
    sentence as it stands in the source text.
    """

    text: str
    section: Section | None
    start: int
    end: int


_SURROGATE = re.compile("[\ud800-\udfff]")


def well_formed(text: str) -> str:
    """The text with every surrogate pair joined and every lone surrogate, which JSON can carry and
    no file can, as U+FFFD. Other text comes back as it is."""
    if _SURROGATE.search(text) is None:
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


_SPACE = re.compile(r"\s+")
_SPACE_BEFORE_MARK = re.compile(r" (?=[.,;:!?)])")


def normalise(text: str) -> str:
    """The form in which two sentences count as the same: what is visible of it in NFKC,
    case-folded, single spaces, no space before punctuation, no full stop or white space at the end.
    Idempotent."""
    while (once := _normalise_once(text)) != text:
        # no text is known that a second pass changes; this makes sure of those not tried
        text = once
    return text


def _normalise_once(text: str) -> str:
    composed = unicodedata.normalize("NFKC", visible(text))
    folded = unicodedata.normalize("NFKC", composed.casefold())
    return _SPACE_BEFORE_MARK.sub("", _SPACE.sub(" ", folded).strip()).rstrip(" .")


def as_embedded(normalised: str) -> str:
    """What the encoder is given for a normalised text, so that a vector depends on nothing else."""
    return normalised if normalised.endswith(("?", "!", ":")) else normalised + "."


_WORD = re.compile(r"[^\W\d_]{2,}")
_BLANK = re.compile(r"x{2,}")


def is_sentence(text: str) -> bool:
    """Whether a text says anything, so that it may stand in a corpus.

    False of de-identification blanks (``XXXX.``, ``___``), numbers, punctuation, single letters,
    and of these with nothing but words such as "and", "the" or "cm" between them. A single word
    (``Stable.``) says something.
    """
    words = _WORD.findall(visible(text).casefold())
    return any(not _BLANK.fullmatch(word) and word not in NOT_ALONE for word in words)
