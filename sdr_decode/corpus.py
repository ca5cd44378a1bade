"""An opened index: the sentences that radiologists wrote, and which of them are nearest."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sdr_decode.corpus_tables import (
    CorpusReportRows,
    SentenceTable,
    iterate_reports,
    read_reports,
    read_sentences,
)
from sdr_decode.encoder import Fingerprint
from sdr_decode.errors import EncoderMismatchError, IndexFormatError
from sdr_decode.manifest import VECTORS, Counts, Manifest, read_manifest, verify_files
from sdr_decode.sentences import Section

NONE_FOUND = -1
TIE = 1e-6  # distances that differ by less are the same: a vector's last bits are not its own
_SPARE = 8  # more neighbours than asked for, so that ties can be put in order
_FEW = 8  # up to so many queries, one thread is faster than several
_WIDER = 64  # how many more neighbours a search without a section filter looks at
_BLOCK = 256  # queries whose neighbours are held in memory at once


@dataclass(frozen=True, slots=True)
class Nearest:
    """The nearest sentences of n queries: ``distances`` (n, k) float64 in [0, 1] and their
    ``rows`` (n, k) int64, nearest first. Where fewer than k stand in the section, the rest is
    row -1 (``NONE_FOUND``) at distance 1."""

    distances: NDArray[np.float64]
    rows: NDArray[np.int64]


class Corpus:
    """The distinct sentences of a training corpus, with counts, sections and vectors.

    A sentence without a section stands in every section. A section of which the corpus has no
    sentence at all stands for the whole corpus. Safe to use from several threads.
    """

    def __init__(
        self, path: Path, manifest: Manifest, sentences: SentenceTable, reports: Any, index: Any
    ) -> None:
        self.path = path
        self.manifest = manifest
        self._sentences = sentences
        self._reports = reports
        self._index = index
        counted = {"findings": sentences.count_findings, "impression": sentences.count_impression}
        self._counted: dict[str, NDArray[np.int64]] = counted
        self._standing: dict[str, NDArray[np.bool_]] = {
            section: (counts > 0) | (sentences.count_none > 0) | (not counts.any())
            for section, counts in counted.items()
        }
        self._parameters = {
            section: _search_parameters(standing) for section, standing in self._standing.items()
        }

    @classmethod
    def open(cls, path: str | os.PathLike[str], *, verify: bool = True) -> Self:
        """Open an index directory.

        ``verify=False`` skips the sha256 of the files (their sizes are still checked). Raises
        ``IndexFormatError``, saying what does not fit and what to do about it.
        """
        folder = Path(path)
        manifest = read_manifest(folder)
        verify_files(folder, manifest, hashes=verify)
        sentences = read_sentences(folder)
        rows = len(sentences.count)
        index = _read_vectors(folder / VECTORS, manifest.dimension)
        reports = read_reports(folder, rows)
        if not rows == index.ntotal == manifest.counts.sentences_distinct:
            raise IndexFormatError(
                f"the index {folder} does not fit together: {rows} sentences, {index.ntotal} "
                f"vectors, and {manifest.counts.sentences_distinct} in its manifest; build it again"
            )
        if len(reports) != manifest.counts.reports:
            raise IndexFormatError(
                f"the index {folder} does not fit together: {len(reports)} reports, and "
                f"{manifest.counts.reports} in its manifest; build it again"
            )
        return cls(folder, manifest, sentences, reports, index)

    def __len__(self) -> int:
        return len(self._sentences.count)

    @property
    def dimension(self) -> int:
        return self.manifest.dimension

    @property
    def counts(self) -> Counts:
        return self.manifest.counts

    def lookup(self, normalised: str) -> int | None:
        """The row of a sentence in its normalised form, ``None`` when no report has it."""
        return self._sentences.rows.get(normalised)

    def stands_in(self, row: int, section: Section | None) -> bool:
        """Whether the sentence of this row compares with sentences of ``section``."""
        return section is None or bool(self._standing[section][row])

    def text(self, row: int) -> str:
        """The sentence in the form in which it was written most often."""
        text: str = self._sentences.texts[row].as_py()
        return text

    def count(self, row: int, section: Section | None = None) -> int:
        """How often the sentence stands in the corpus, or in one section of it."""
        return int((self._sentences.count if section is None else self._counted[section])[row])

    def vector(self, row: int) -> NDArray[np.float32]:
        """The unit vector of a sentence, shape (d,)."""
        vector: NDArray[np.float32] = self.vectors([row])[0]
        return vector

    def vectors(self, rows: ArrayLike) -> NDArray[np.float32]:
        """The unit vectors of n sentences, shape (n, d)."""
        wanted = np.ascontiguousarray(rows, dtype=np.int64)
        if wanted.size == 0:
            return np.empty((0, self.dimension), dtype=np.float32)
        if wanted.min() < 0 or wanted.max() >= len(self):
            raise IndexError(f"rows are from 0 to {len(self) - 1}")
        vectors: NDArray[np.float32] = self._index.reconstruct_batch(wanted)
        if self.manifest.precision == "float16":  # rounding has moved them off the unit sphere
            vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors

    def nearest(
        self, vectors: NDArray[np.float32], section: Section | None = None, k: int = 1
    ) -> Nearest:
        """The k nearest sentences of a section for each of n unit vectors, shape (n, d).

        Distances are (1 - a·b) / 2 clipped to [0, 1], computed in double precision from the stored
        vectors, so that they do not depend on how many queries are asked at once. Of sentences at
        the same distance (to 1e-6) the lowest row comes first, which is the one written most
        often; beyond k + 8 such sentences which of them are meant is left open.
        """
        queries = np.ascontiguousarray(vectors, dtype=np.float32)
        if queries.ndim != 2 or queries.shape[1] != self.dimension:
            raise ValueError(f"expected vectors of shape (n, {self.dimension})")
        if k < 1:
            raise ValueError(f"k is {k}; expected at least 1")
        distances = np.ones((len(queries), k))
        rows = np.full((len(queries), k), NONE_FOUND, dtype=np.int64)
        for start in range(0, len(queries), _BLOCK):
            block = slice(start, start + _BLOCK)
            found_distances, found_rows = self._nearest(queries[block], section, k)
            distances[block, : found_rows.shape[1]] = found_distances
            rows[block, : found_rows.shape[1]] = found_rows
        return Nearest(distances, rows)

    def _nearest(
        self, queries: NDArray[np.float32], section: Section | None, k: int
    ) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        rows = self._rows_near(queries, section, min(k + _SPARE, len(self)))
        found = rows != NONE_FOUND
        neighbours = self.vectors(np.where(found, rows, 0).ravel())
        products = np.einsum(
            "nd,nkd->nk", queries, neighbours.reshape(*rows.shape, -1), dtype=np.float64
        )
        distances = np.where(found, np.clip((1.0 - products) / 2.0, 0.0, 1.0), 1.0)
        steps = np.where(found, np.rint(distances / TIE), np.inf)
        order = np.lexsort((rows, steps))[:, :k]
        return np.take_along_axis(distances, order, 1), np.take_along_axis(rows, order, 1)

    def _rows_near(
        self, queries: NDArray[np.float32], section: Section | None, many: int
    ) -> NDArray[np.int64]:
        """The rows of a section nearest to each query, shape (n, many).

        FAISS searches without a filter as one matrix product, many times faster than with one. So
        many queries at once are searched without it, more widely, and only those that find too few
        of their section are searched again.
        """
        filtered = None if section is None else self._parameters[section]
        if section is None or filtered is None or len(queries) <= _FEW:
            return _search(self._index, queries, many, filtered)
        wide = _search(self._index, queries, min(many + _WIDER, len(self)), None)
        standing = self._standing[section][wide]
        kept = np.argsort(~standing, axis=1, kind="stable")[:, :many]
        rows = np.take_along_axis(wide, kept, 1)
        few = standing.sum(axis=1) < many
        if few.any():
            rows[few] = _search(self._index, queries[few], many, filtered)
        return rows

    def reports(self) -> Iterator[CorpusReportRows]:
        """The training reports as rows of sentences, in the order of the corpus."""
        return iterate_reports(self._reports)

    def report_texts(self) -> Iterator[str]:
        """The training reports as text, with a heading before each section that is not empty."""
        texts = [_closed(text) for text in self._sentences.texts.to_pylist()]
        for report in self.reports():
            parts = (
                ("", report.unsectioned),
                ("Findings: ", report.findings),
                ("Impression: ", report.impression),
            )
            lines = (
                heading + " ".join(texts[row] for row in rows) for heading, rows in parts if rows
            )
            yield "\n".join(lines)

    def check_encoder(self, fingerprint: Fingerprint) -> None:
        """Raise ``EncoderMismatchError`` unless the index was built with this encoder."""
        built_with = self.manifest.encoder
        if not built_with.matches(fingerprint):
            raise EncoderMismatchError(
                f"the index {self.path} was built with the encoder {built_with}; found the encoder "
                f"{fingerprint}: give the encoder {built_with.name}, or build the index again with "
                f"`sdr-index build SOURCE -o {self.path.name} --encoder {fingerprint.name} "
                "--overwrite`"
            )


def _closed(text: str) -> str:
    return text if text.endswith((".", "!", "?", ":", ";")) else text + "."


def _faiss() -> Any:
    try:
        import faiss  # noqa: PLC0415
    except ImportError as error:
        raise IndexFormatError(
            f"faiss is needed to open an index ({error}): pip install faiss-cpu"
        ) from error
    return faiss


def _read_vectors(file: Path, dimension: int) -> Any:
    faiss = _faiss()
    try:
        index = faiss.read_index(str(file))
    except RuntimeError as error:
        raise IndexFormatError(
            f"{file} is not a FAISS index that can be read here; copy the index again, build it "
            "again, or upgrade faiss-cpu"
        ) from error
    if index.d != dimension or index.metric_type != faiss.METRIC_INNER_PRODUCT:
        raise IndexFormatError(
            f"{file} has {index.d} dimensions and FAISS metric {index.metric_type}; expected "
            f"{dimension} and the inner product; build the index again"
        )
    return index


def _search_parameters(standing: NDArray[np.bool_]) -> Any:
    """FAISS's filter for the rows that stand in a section; ``None`` when all do."""
    if standing.all():
        return None
    faiss = _faiss()
    return faiss.SearchParameters(
        sel=faiss.IDSelectorBitmap(np.packbits(standing, bitorder="little"))
    )


def _search(index: Any, queries: NDArray[np.float32], k: int, parameters: Any) -> NDArray[np.int64]:
    """The rows of the k nearest, shape (n, k), nearest first, then ``NONE_FOUND``."""
    faiss = _faiss()
    threads = faiss.omp_get_max_threads()
    single = len(queries) <= _FEW and threads > 1
    if single:
        faiss.omp_set_num_threads(1)  # of this thread only
    try:
        rows: NDArray[np.int64] = index.search(queries, k, params=parameters)[1]
    finally:
        if single:
            faiss.omp_set_num_threads(threads)
    return rows
