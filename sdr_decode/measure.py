"""How far a sentence is from the corpus: looked up where it stands there, embedded otherwise."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sdr_decode.batching import BatchedEncoder
from sdr_decode.corpus import Corpus
from sdr_decode.distances import EmbeddedSet, Vectors
from sdr_decode.encoder import Encoder, load_encoder
from sdr_decode.sentences import Section, as_embedded, normalise

REMEMBERED = 200_000
"""How many measured sentences are kept; the oldest are dropped beyond that."""


@dataclass(frozen=True, slots=True)
class Query:
    """A sentence to measure: its normalised text and the section that it stands in."""

    normalised: str
    section: Section | None


@dataclass(frozen=True, slots=True)
class Nearest:
    """The distance to the nearest corpus sentence, in [0, 1], and that sentence's row."""

    distance: float
    row: int | None


def encoder_for(corpus: Corpus, encoder: str | Path | Encoder | None) -> Encoder:
    """The given encoder, or by default the one that the index was built with.

    Raises ``EncoderMismatchError`` when it is another one.
    """
    wanted = corpus.manifest.encoder.name if encoder is None else encoder
    loaded = load_encoder(str(wanted)) if isinstance(wanted, str | Path) else wanted
    corpus.check_encoder(loaded.fingerprint)
    return loaded


class CorpusMeasure:
    """Distances from sentences to the corpus sentences of their section.

    With ``sections=False`` every sentence compares with the whole corpus. A sentence that stands
    in the corpus (in its section) is at distance exactly 0 and is never embedded. Safe to share
    between decodes and event loops.
    """

    def __init__(self, corpus: Corpus, encoder: BatchedEncoder, *, sections: bool = True) -> None:
        self.corpus = corpus
        self.encoder = encoder
        self.sections = sections
        self._remembered: dict[Query, Nearest] = {}

    def query(self, text: str, section: Section | None) -> Query:
        return Query(normalise(text), section if self.sections else None)

    def known(self, query: Query) -> Nearest | None:
        """What needs no work: the sentence stands in the corpus, or was measured before."""
        row = self.corpus.lookup(query.normalised)
        if row is not None and self.corpus.stands_in(row, query.section):
            return Nearest(0.0, row)
        return self._remembered.get(query)

    async def measure(self, queries: Sequence[Query]) -> list[Nearest]:
        """Measure all, in order; whatever is heavy runs off the event loop, in one batch."""
        unknown = self._unknown(queries)
        if unknown:
            texts = self._to_embed(unknown)
            embedded = await self.encoder.encode(texts) if texts else None
            found = await asyncio.to_thread(self._search, unknown, texts, embedded)
            self._remember(unknown, found)
            return self._collect(queries, dict(zip(unknown, found, strict=True)))
        return self._collect(queries, {})

    def measure_now(self, queries: Sequence[Query]) -> list[Nearest]:
        """The same for synchronous code."""
        unknown = self._unknown(queries)
        texts = self._to_embed(unknown)
        embedded = self.encoder.encode_now(texts) if texts else None
        found = self._search(unknown, texts, embedded)
        self._remember(unknown, found)
        return self._collect(queries, dict(zip(unknown, found, strict=True)))

    def embedded_set(self, sentences: Iterable[tuple[str, Section | None]]) -> EmbeddedSet:
        """The vectors of (normalised text, section) pairs as a set that distances compare."""
        pairs = list(sentences)
        texts = [text for text, _ in pairs]
        sections = tuple(section for _, section in pairs) if self.sections else None
        return EmbeddedSet(self.vectors(texts), sections)

    def vectors(self, normalised: Sequence[str]) -> Vectors:
        """Unit vectors (n, d) of normalised texts, from the corpus where they stand there."""
        rows = [self.corpus.lookup(text) for text in normalised]
        result = np.empty((len(normalised), self.corpus.dimension), np.float32)
        inside = [place for place, row in enumerate(rows) if row is not None]
        outside = [place for place, row in enumerate(rows) if row is None]
        if inside:
            result[inside] = self.corpus.vectors([row for row in rows if row is not None])
        if outside:
            texts = [as_embedded(normalised[place]) for place in outside]
            result[outside] = self.encoder.encode_now(texts)
        return result

    def _unknown(self, queries: Sequence[Query]) -> list[Query]:
        return list(dict.fromkeys(query for query in queries if self.known(query) is None))

    def _to_embed(self, queries: Sequence[Query]) -> list[str]:
        outside = (q.normalised for q in queries if self.corpus.lookup(q.normalised) is None)
        return [as_embedded(text) for text in dict.fromkeys(outside)]

    def _search(
        self, queries: Sequence[Query], texts: Sequence[str], embedded: Vectors | None
    ) -> list[Nearest]:
        places = {text: place for place, text in enumerate(texts)}
        found: dict[Query, Nearest] = {}
        for section in dict.fromkeys(query.section for query in queries):
            asked = [query for query in queries if query.section == section]
            vectors = np.stack([self._vector(query, places, embedded) for query in asked])
            nearest = self.corpus.nearest(vectors, section, 1)
            for query, distance, row in zip(
                asked, nearest.distances[:, 0], nearest.rows[:, 0], strict=True
            ):
                found[query] = Nearest(float(distance), int(row) if row >= 0 else None)
        return [found[query] for query in queries]

    def _vector(self, query: Query, places: dict[str, int], embedded: Vectors | None) -> Vectors:
        row = self.corpus.lookup(query.normalised)
        if row is not None:
            return self.corpus.vector(row)
        assert embedded is not None
        vector: Vectors = embedded[places[as_embedded(query.normalised)]]
        return vector

    def _remember(self, queries: Sequence[Query], found: Sequence[Nearest]) -> None:
        self._remembered.update(zip(queries, found, strict=True))
        while len(self._remembered) > REMEMBERED:
            self._remembered.pop(next(iter(self._remembered)), None)

    def _collect(self, queries: Sequence[Query], fresh: dict[Query, Nearest]) -> list[Nearest]:
        results = []
        for query in queries:
            nearest = fresh.get(query) or self.known(query)
            assert nearest is not None
            results.append(nearest)
        return results
