"""The sentences of an index nearest to one sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sdr_decode.corpus import NONE_FOUND, Corpus
from sdr_decode.errors import SDRDecodeError
from sdr_decode.sentences import Section, as_embedded, normalise


@dataclass(frozen=True, slots=True)
class Answer:
    """``stands`` is how often the sentence itself stands in the corpus, ``None`` when it does not
    stand in the section asked for. ``neighbours`` are (distance, count, sections, text), nearest
    first.
    """

    stands: int | None
    neighbours: Sequence[tuple[float, int, str, str]]


def nearest_sentences(
    corpus: Corpus,
    sentence: str,
    k: int,
    *,
    section: Section | None = None,
    encoder: str | None = None,
) -> Answer:
    """The k sentences of the corpus that are nearest to ``sentence``.

    The index's own encoder, or the one that ``encoder`` names, is loaded only when the sentence
    does not stand in the corpus. Raises ``SDRDecodeError`` for a sentence without a word,
    ``EncoderError`` and ``EncoderMismatchError``.
    """
    normalised = normalise(sentence)
    if not normalised:
        raise SDRDecodeError(f"found {sentence!r}; expected a sentence with at least one word")
    row = corpus.lookup(normalised)
    if row is not None:
        vectors = corpus.vectors([row])
    else:
        from sdr_decode.encoder import load_encoder  # noqa: PLC0415

        loaded = load_encoder(encoder or corpus.manifest.encoder.name)
        corpus.check_encoder(loaded.fingerprint)
        vectors = loaded.encode([as_embedded(normalised)])
    nearest = corpus.nearest(vectors, section, k)
    found = [
        (0.0 if other == row else float(distance), int(other))
        for distance, other in zip(nearest.distances[0], nearest.rows[0], strict=True)
        if other != NONE_FOUND
    ]
    return Answer(
        stands=corpus.count(row) if row is not None and corpus.stands_in(row, section) else None,
        neighbours=[
            (distance, corpus.count(other), sections_of(corpus, other), corpus.text(other))
            for distance, other in found
        ],
    )


def sections_of(corpus: Corpus, row: int) -> str:
    """The sections in which a sentence stands, as words."""
    names: tuple[Section, ...] = ("findings", "impression")
    return ", ".join(name for name in names if corpus.count(row, name)) or "none"
