"""A linker by the names of a vocabulary, word for word."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache

from sdr_decode.concepts.base import Concept, Linker
from sdr_decode.concepts.context import mentions
from sdr_decode.concepts.reading import read_sentences
from sdr_decode.concepts.vocabulary import Vocabulary
from sdr_decode.concepts.word_forms import spelled

_CACHED_SENTENCES = 1 << 16
_LONG = 1000  # characters; longer sentences hardly recur, and are not kept


class ExactLinker(Linker):
    """Finds the longest names of a vocabulary that ``load`` gives at the first text. A name is
    found within one sentence only. Sentences are read once and remembered."""

    def __init__(self, name: str, load: Callable[[], Vocabulary]) -> None:
        self.name = name
        self._load = load
        self._remembered = lru_cache(maxsize=_CACHED_SENTENCES)(self._concepts)

    @cached_property
    def vocabulary(self) -> Vocabulary:
        return self._load()

    def link(self, texts: Sequence[str]) -> list[tuple[Concept, ...]]:
        return [
            tuple(concept for sentence in read_sentences(text) for concept in self._in(sentence))
            for text in texts
        ]

    def _in(self, sentence: str) -> tuple[Concept, ...]:
        return (self._remembered if len(sentence) <= _LONG else self._concepts)(sentence)

    def _concepts(self, sentence: str) -> tuple[Concept, ...]:
        words = spelled(sentence)
        spans = self.vocabulary.spans(words)
        return tuple(
            Concept(span.identifier, " ".join(words[span.start : span.end]).casefold(), mention)
            for span, mention in zip(spans, mentions(words, spans), strict=True)
        )
