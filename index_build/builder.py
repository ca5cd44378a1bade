"""A corpus in, an index directory out."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from index_build.atomic import appeared, new_directory, writing
from index_build.collect import Collection, collect
from index_build.report import CorpusReport
from index_build.write import new_vector_index, write_manifest, write_tables, write_vectors
from sdr_decode.encoder import DEFAULT_ENCODER, Encoder, Fingerprint, load_encoder
from sdr_decode.errors import CorpusError, IndexFormatError
from sdr_decode.manifest import Counts, Precision, read_manifest
from sdr_decode.sentences import as_embedded

CHUNK = 512  # sentences embedded between two words of progress

Progress = Callable[[str, int, int | None], None]


@dataclass(frozen=True, slots=True)
class BuildSummary:
    """What a build has written.

    ``findings``, ``impression`` and ``unsectioned`` count sentences with repetition and add up to
    ``sentences_total``. ``over_long`` counts distinct sentences of which the encoder saw only the
    beginning, and ``over_long_texts`` are the first of them. ``bytes`` is the size of all files.
    """

    path: Path
    encoder: Fingerprint
    precision: Precision
    reports: int
    reports_without_section: int
    sentences_distinct: int
    sentences_total: int
    findings: int
    impression: int
    unsectioned: int
    fragments_dropped: int
    over_long: int
    over_long_texts: tuple[str, ...]
    bytes: int


def build(
    reports: Iterable[CorpusReport],
    output: str | os.PathLike[str],
    *,
    encoder: Encoder | str = DEFAULT_ENCODER,
    precision: Precision = "float32",
    overwrite: bool = False,
    sections: bool = True,
    progress: Progress | None = None,
    options: Mapping[str, Any] | None = None,
) -> BuildSummary:
    """Build the index directory ``output``, whole or not at all.

    ``encoder`` is an encoder, or the name or folder of one, which is loaded when the corpus has
    been read. ``sections=False`` takes every sentence as one without a section. ``progress`` is
    called with a stage (``read``, ``embed``, ``write``), how much of it is done, and out of how
    much (``None``: unknown). ``options`` are kept in the manifest; they are looked at after the
    corpus has been read, so that its reader may still add to them.

    The same corpus gives the same tables and vectors on the same machine: rows are in the order of
    falling counts, then of the normalised text. Raises ``CorpusError`` when the corpus cannot
    become an index or ``output`` is taken, and ``EncoderError``.
    """
    target = Path(os.path.realpath(output))
    new_vector_index(1, precision)
    _require_free(target, overwrite)
    with new_directory(target, replace=overwrite) as folder:
        if progress is not None:
            progress("read", 0, None)
        corpus = collect(
            reports,
            sections=sections,
            read=None if progress is None else lambda done: progress("read", done, None),
        )
        _require_still_free(target, overwrite)  # before the long work, and again at its end
        order = sorted(corpus.sentences, key=lambda key: (-corpus.sentences[key].count, key))
        loaded = load_encoder(encoder) if isinstance(encoder, str) else encoder
        texts = [as_embedded(key) for key in order]
        vectors = _embed(loaded, texts, progress)
        too_long = [
            text for text, is_so in zip(texts, loaded.is_over_long(texts), strict=True) if is_so
        ]
        if progress is not None:
            progress("write", 0, 1)
        counts = _count(corpus, over_long=len(too_long))
        _require_still_free(target, overwrite)
        with writing(target):
            write_tables(folder, corpus, order)
            write_vectors(folder, vectors, new_vector_index(loaded.dimension, precision))
            write_manifest(
                folder,
                encoder=loaded.fingerprint,
                precision=precision,
                counts=counts,
                options=_plain({**(options or {}), "sections": sections}),
            )
            size = sum(file.stat().st_size for file in folder.iterdir())
    if progress is not None:
        progress("write", 1, 1)
    return BuildSummary(
        path=Path(output),
        encoder=loaded.fingerprint,
        precision=precision,
        over_long_texts=tuple(too_long[:20]),
        bytes=size,
        **counts.model_dump(),
    )


def _require_free(target: Path, overwrite: bool) -> None:
    if not target.parent.is_dir():
        raise CorpusError(
            f"found no folder {target.parent} to write {target.name} into; make it, or choose "
            "another output"
        )
    if not target.exists():
        return
    if not overwrite:
        raise CorpusError(
            f"{target} exists already; pass --overwrite (overwrite=True) to replace it, or choose "
            "another output"
        )
    try:
        read_manifest(target)
    except IndexFormatError as error:
        if not (target.is_dir() and (_empty(target) or (target / "vectors.faiss").exists())):
            raise CorpusError(
                f"{target} is not an index directory and is not overwritten ({error}); choose "
                "another output"
            ) from error


def _require_still_free(target: Path, overwrite: bool) -> None:
    if target.exists() and not overwrite:
        raise appeared(target)
    _require_free(target, overwrite)


def _empty(folder: Path) -> bool:
    return next(folder.iterdir(), None) is None


def _embed(encoder: Encoder, texts: list[str], progress: Progress | None) -> NDArray[np.float32]:
    """The vectors (n, d) of ``texts``, computed in the order of their length, which wastes the
    least on padding and is the same in every build."""
    vectors = np.empty((len(texts), encoder.dimension), dtype=np.float32)
    order = sorted(range(len(texts)), key=lambda row: (len(texts[row]), texts[row]))
    for start in range(0, len(order), CHUNK):
        if progress is not None:
            progress("embed", start, len(order))
        rows = order[start : start + CHUNK]
        vectors[rows] = encoder.encode([texts[row] for row in rows])
    if progress is not None:
        progress("embed", len(order), len(order))
    return vectors


def _count(corpus: Collection, *, over_long: int) -> Counts:
    totals = {section: corpus.total(section) for section in ("findings", "impression", None)}
    return Counts(
        reports=len(corpus.reports),
        reports_without_section=corpus.reports_without_section,
        sentences_distinct=len(corpus.sentences),
        sentences_total=sum(totals.values()),
        findings=totals["findings"],
        impression=totals["impression"],
        unsectioned=totals[None],
        fragments_dropped=corpus.fragments_dropped,
        over_long=over_long,
    )


def _plain(options: dict[str, Any]) -> dict[str, Any]:
    """``options`` as JSON has them, with paths and the like as their text."""
    plain: dict[str, Any] = json.loads(json.dumps(options, default=str))
    return plain
