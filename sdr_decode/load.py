"""From a recording and an index to measured studies, each distinct sentence embedded once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from clients.errors import RecordingError
from clients.recording import RecordedStudy, read_recording
from sdr_decode.batching import BatchedEncoder
from sdr_decode.corpus import Corpus
from sdr_decode.embeddings import Embeddings, read_embeddings, write_embeddings
from sdr_decode.encoder import Encoder
from sdr_decode.errors import DecodeError
from sdr_decode.measure import CorpusMeasure, encoder_for
from sdr_decode.replay import Reference, ReplayStudy, reference_sentences, study_quality
from sdr_decode.rewards.gate import Gate
from sdr_decode.sentences import as_embedded
from sdr_decode.track import Track, measure_tracks, track

Progress = Callable[[Iterable[list[str]], str], Iterable[list[str]]]
"""Wraps the batches of sentences to embed, with a word on what is being done."""

BATCH = 256


@contextmanager
def open_measure(
    index: str | Path | Corpus,
    *,
    encoder: str | Path | Encoder | None = None,
    sections: bool = True,
    embeddings: str | Path | None = None,
) -> Iterator[CorpusMeasure]:
    """The measure of an index, with room for the sentences of a whole recording.

    ``embeddings`` is a file in which embeddings are kept from one run to the next. Raises
    ``EncoderMismatchError`` when it comes from another encoder than the index.
    """
    corpus = index if isinstance(index, Corpus) else Corpus.open(index)
    batched = BatchedEncoder(partial(encoder_for, corpus, encoder), cache=2_000_000)
    try:
        if embeddings is not None and Path(embeddings).exists():
            kept = read_embeddings(embeddings)
            corpus.check_encoder(kept.encoder)
            batched.remember(kept.texts, kept.vectors)
        try:
            yield CorpusMeasure(corpus, batched, sections=sections)
        finally:  # also when interrupted: what was embedded need not be embedded again
            if embeddings is not None and batched.embedded:
                write_embeddings(
                    embeddings, Embeddings(batched.load().fingerprint, *batched.remembered())
                )
    finally:
        batched.close()


def load_studies(
    recording: str | Path,
    measure: CorpusMeasure,
    *,
    k: int,
    gates: Sequence[Gate] = (),
    progress: Progress | None = None,
) -> list[ReplayStudy]:
    """Read, segment and measure the first ``k`` candidates of every study.

    Those that do not pass the ``gates`` are invalid, as they are in a decode.

    Raises ``RecordingError`` when a study holds fewer, and ``DecodeError`` when ``k`` is below 1.
    """
    if k < 1:
        raise DecodeError(f"k is {k}; ask for at least 1 candidate")
    recorded = []
    for study in read_recording(recording):
        if len(study.candidates) < k:
            raise RecordingError(
                f"study {study.study} of {recording} holds {len(study.candidates)} candidates, "
                f"k is {k}; ask for at most {len(study.candidates)}"
            )
        recorded.append((study, [track(candidate, gates) for candidate in study.candidates[:k]]))
    _embed(recorded, measure, progress)
    return [_study(study, tracks, measure) for study, tracks in recorded]


def _embed(
    recorded: list[tuple[RecordedStudy, list[Track]]],
    measure: CorpusMeasure,
    progress: Progress | None,
) -> None:
    """Embed what stands nowhere in the corpus, in batches, ahead of all measuring."""
    texts: dict[str, None] = {}
    for study, tracks in recorded:
        for each in tracks:
            for closing in each.closings:
                texts[measure.query(closing.sentence.text, None).normalised] = None
        if study.reference is not None:
            for text, _ in reference_sentences(
                study.reference.findings, study.reference.impression
            ):
                texts[text] = None
    unknown = [as_embedded(text) for text in texts if measure.corpus.lookup(text) is None]
    unknown = measure.encoder.unknown(unknown)
    # Sentences of like length batch without padding.
    unknown.sort(key=lambda text: (len(text), text))
    batches = [unknown[start : start + BATCH] for start in range(0, len(unknown), BATCH)]
    what = f"Embedding {len(unknown):,} sentences"
    for batch in progress(batches, what) if progress else batches:
        measure.encoder.encode_now(batch)


def _study(study: RecordedStudy, tracks: list[Track], measure: CorpusMeasure) -> ReplayStudy:
    measured = tuple(measure_tracks(tracks, measure))
    reference = study.reference
    if reference is None:
        return ReplayStudy(study.study, measured, None, None)
    sentences = reference_sentences(reference.findings, reference.impression)
    text = " ".join(part for part in (reference.findings, reference.impression) if part)
    target = Reference(text, measure.embedded_set(sentences))
    quality = [study_quality(each, target, measure) for each in measured]
    return ReplayStudy(
        study.study,
        measured,
        tuple(f1 for f1, _ in quality),
        tuple(sdr for _, sdr in quality),
    )
