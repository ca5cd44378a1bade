"""What one line of a recording holds."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Self

from clients.base import Piece

COUNTS = ("prompt_tokens", "image_tokens", "cached_tokens", "output_tokens", "reasoning_tokens")
"""The keys of a usage that are numbers of tokens."""

RecordedReason = Literal["stop", "length", "content_filter", "error"]

_WORD = re.compile(r"\s*\S+(?:\s+\Z)?|\s+\Z")


def word_pieces(text: str) -> tuple[str, ...]:
    """Cut a text whose pieces are unknown: each piece is a word with the white space before it.

    White space at the end belongs to the last piece. The pieces joined are the text.
    """
    return tuple(_WORD.findall(text))


@dataclass(frozen=True, slots=True)
class Reference:
    """The report that a radiologist wrote. A section that is absent is ``""``."""

    findings: str = ""
    impression: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RecordedCandidate:
    """One recorded stream.

    ``tokens`` are the text pieces in order; joined they are the report. ``pieces_known`` is false
    where only the text was kept: the pieces are then its words (see ``word_pieces``), and their
    number says nothing certain about the number of tokens.

    One entry a piece, or ``None`` where not recorded:
    ``times`` are seconds from the request, never falling; ``logprobs`` are natural
    log-probabilities; ``piece_tokens`` are the output tokens of each piece (one each when
    ``None``); ``running_tokens`` are the provider's own counts of all tokens so far.

    ``usage`` holds the fields of ``clients.Usage`` that are known; ``source`` says who wrote the
    report; ``extra`` keeps every other key.
    """

    tokens: tuple[str, ...]
    finish_reason: RecordedReason = "stop"
    times: tuple[float, ...] | None = None
    logprobs: tuple[float | None, ...] | None = None
    piece_tokens: tuple[int | None, ...] | None = None
    running_tokens: tuple[int | None, ...] | None = None
    usage: Mapping[str, Any] | None = None
    source: str | None = None
    pieces_known: bool = True
    extra: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def from_text(
        cls, text: str, finish_reason: RecordedReason = "stop", *, source: str | None = None
    ) -> Self:
        """A candidate of which only the text is known."""
        return cls(word_pieces(text), finish_reason, source=source, pieces_known=False)

    @property
    def text(self) -> str:
        return "".join(self.tokens)

    def pieces(self) -> Iterator[Piece]:
        """The pieces as a stream gives them, in order."""
        for at, text in enumerate(self.tokens):
            yield Piece(
                text,
                tokens=self.tokens_of(at),
                running_tokens=self.running_tokens[at] if self.running_tokens else None,
                logprob=self.logprobs[at] if self.logprobs else None,
            )

    def tokens_of(self, piece: int) -> int | None:
        """The output tokens of one piece, ``None`` where that is not known."""
        if self.piece_tokens is not None:
            return self.piece_tokens[piece]
        return 1 if self.pieces_known else None


@dataclass(frozen=True, slots=True)
class RecordedStudy:
    """One study: its id, its prompt, the reference where there is one, and one or more
    candidates in launch order. ``extra`` keeps every other key."""

    study: str
    prompt: str
    reference: Reference | None
    candidates: tuple[RecordedCandidate, ...]
    extra: Mapping[str, Any] = field(default_factory=dict)
