"""What one candidate has written so far: its text, its sentences as they close, its tokens."""

from __future__ import annotations

import math

from clients import Piece, Usage
from sdr_decode.counts import Count
from sdr_decode.loops import LoopWatch
from sdr_decode.segmenter import Segmenter
from sdr_decode.sentences import Sentence, well_formed

_HIGH_SURROGATE, _LOW_SURROGATE = "\ud800", "\udc00"


class Transcript:
    """The running text of a candidate, with the best count of its output tokens."""

    def __init__(self) -> None:
        self._segmenter = Segmenter()
        self._loops = LoopWatch()
        self._parts: list[str] = []
        self._held = ""
        self._counted = 0
        self._estimated = False
        self._told: Count | None = None
        self._logprob: float | None = 0.0
        self._weighed = 0

    @property
    def text(self) -> str:
        return "".join(self._parts)

    @property
    def sectioned(self) -> bool:
        """Whether a findings or an impression heading has stood in the text."""
        return any(heading.section is not None for heading in self._segmenter.headings)

    @property
    def loop(self) -> str | None:
        """What the text has come to repeat without end, in words; ``None`` while it does not."""
        return self._loops.found

    @property
    def tokens(self) -> Count:
        """Output tokens generated as far as is known here. The provider's own count replaces ours;
        a piece of unknown size counts as one token and makes the count an estimate."""
        if self._told is not None:
            return self._told
        return Count(self._counted, "estimated" if self._estimated else "counted")

    @property
    def mean_logprob(self) -> float | None:
        """The mean natural log-probability of a token so far; ``None`` before the first piece and
        once a piece has come without its own."""
        if self._logprob is None or not self._weighed:
            return None
        return self._logprob / self._weighed

    def write(self, piece: Piece) -> list[Sentence]:
        """Take a piece in. Returns the sentences that it closes."""
        self.count(piece)
        self._weigh(piece)
        text = self._held + piece.text
        self._held = ""
        if text and _HIGH_SURROGATE <= text[-1] < _LOW_SURROGATE:  # its other half may follow
            text, self._held = text[:-1], text[-1]
        return self._take(well_formed(text))

    def count(self, piece: Piece) -> None:
        """Count the tokens of a piece whose text no longer matters."""
        if piece.running_tokens is not None:
            self._told = Count(piece.running_tokens, "reported")
        if piece.tokens is not None:
            self._counted += piece.tokens
        elif piece.text:
            self._counted += 1
            self._estimated = True

    def _weigh(self, piece: Piece) -> None:
        if piece.logprob is not None and math.isfinite(piece.logprob):
            if self._logprob is not None:
                self._logprob += piece.logprob
                self._weighed += 1 if piece.tokens is None else piece.tokens
        elif piece.text:
            self._logprob = None

    def finish(self, usage: Usage | None = None) -> list[Sentence]:
        """The text is complete. Returns what is left of it."""
        if usage is not None and usage.output_tokens is not None:
            self._told = Count(usage.output_tokens, usage.provenance)
        held, self._held = well_formed(self._held), ""
        return [*self._take(held), *self._segmenter.finish()]

    def _take(self, text: str) -> list[Sentence]:
        self._parts.append(text)
        self._loops.feed(text)
        return self._segmenter.feed(text)
