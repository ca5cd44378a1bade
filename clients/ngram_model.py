"""A word n-gram model of report text. The counting is nltk's."""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate
from random import Random
from typing import Any

from clients.errors import MissingPackageError

# A word with the blank before it; line ends stand alone.
_PIECE = re.compile(r"\n| ?[^ \n]+")
_BLANKS = re.compile(r"[^\S\n]+")
_LINES = re.compile(r"\s*\n\s*")

# A piece and the heading under which it stands. Counting them together keeps sections apart: what
# follows " clear." under "Findings:" says nothing about what follows it under "Impression:".
Word = tuple[str, str]
_START: Word = ("", "<s>")
_END: Word = ("", "</s>")


@dataclass(frozen=True, slots=True)
class Continuations:
    """What may follow a context, most frequent first.

    ``cumulative`` are running sums of the weights to sample from; ``logprobs`` are natural
    log-probabilities under the counts themselves, before temperature and top-p.
    """

    words: tuple[Word, ...]
    cumulative: tuple[float, ...]
    logprobs: tuple[float, ...]


class NgramModel:
    """Samples reports word by word, each word given the ``order - 1`` before it.

    A context that is reached by sampling has been counted, with what followed it, so nothing has
    to be smoothed. Raises ``MissingPackageError`` without nltk and ``ValueError`` without any text.
    """

    def __init__(self, reports: Iterable[str], order: int) -> None:
        try:
            from nltk.lm.counter import NgramCounter  # noqa: PLC0415
            from nltk.util import ngrams  # noqa: PLC0415
        except ImportError:
            raise MissingPackageError(
                "the demo client needs nltk, which is not installed; run: pip install nltk"
            ) from None
        texts = (words for report in reports if (words := words_of(report)))
        starts = (_START,) * (order - 1)
        self.order = order
        self._counts: Any = NgramCounter(ngrams((*starts, *words, _END), order) for words in texts)
        self._seen: dict[tuple[tuple[Word, ...], float, float], Continuations] = {}
        if not self._counts.N():
            raise ValueError("found no text to learn from")

    def sample(
        self, random: Random, *, temperature: float = 1.0, top_p: float = 1.0
    ) -> Iterator[tuple[str, float]]:
        """Yield pieces and their natural log-probabilities until the report ends by itself.

        ``temperature`` 0 takes the most frequent word always, which may never end.
        """
        context = (_START,) * (self.order - 1)
        while True:
            following = self._continuations(context, temperature, top_p)
            at = bisect_right(following.cumulative, random.random() * following.cumulative[-1])
            at = min(at, len(following.words) - 1)
            word = following.words[at]
            if word == _END:
                return
            yield word[1], following.logprobs[at]
            context = (*context[1:], word)

    def _continuations(
        self, context: tuple[Word, ...], temperature: float, top_p: float
    ) -> Continuations:
        key = (context, temperature, top_p)
        if key not in self._seen:
            self._seen[key] = self._weigh(context, temperature, top_p)
        return self._seen[key]

    def _weigh(self, context: tuple[Word, ...], temperature: float, top_p: float) -> Continuations:
        counts = self._counts[context]
        # Sorted by count and then by text, so that a seed means the same text everywhere.
        ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        most, total = ranked[0][1], sum(count for _, count in ranked)
        if temperature <= 0:
            ranked, weights = ranked[:1], [1.0]
        else:
            weights = [(count / most) ** (1 / temperature) for _, count in ranked]
        cumulative = tuple(accumulate(weights))
        kept = 1 + sum(weight < top_p * cumulative[-1] for weight in cumulative[:-1])
        return Continuations(
            words=tuple(word for word, _ in ranked[:kept]),
            cumulative=cumulative[:kept],
            logprobs=tuple(math.log(count / total) for _, count in ranked[:kept]),
        )


def words_of(report: str) -> list[Word]:
    """The pieces of a report, each with the heading of its line. Runs of blanks become one; white
    space around a line end goes."""
    text = _BLANKS.sub(" ", _LINES.sub("\n", report.strip()))
    heading, words, at_line_start = "", [], True
    for piece in _PIECE.findall(text):
        if at_line_start and piece.endswith(":"):
            heading = piece
        words.append((heading, piece))
        at_line_start = piece == "\n"
    return words
