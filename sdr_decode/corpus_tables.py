"""The two tables of an index: its distinct sentences, and the reports as rows of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdr_decode.errors import IndexFormatError
from sdr_decode.manifest import REPORTS, SENTENCES

SENTENCE_COLUMNS = (
    "text",
    "normalised",
    "count",
    "count_findings",
    "count_impression",
    "count_none",
)
REPORT_COLUMNS = ("id", "findings", "impression", "unsectioned")


@dataclass(frozen=True, slots=True)
class CorpusReportRows:
    """One training report, as rows of the sentence table in the order of the report."""

    id: str
    findings: tuple[int, ...]
    impression: tuple[int, ...]
    unsectioned: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SentenceTable:
    """The distinct sentences. The texts stay in Arrow; counts are int64 of shape (n,)."""

    texts: Any
    rows: dict[str, int]
    count: NDArray[np.int64]
    count_findings: NDArray[np.int64]
    count_impression: NDArray[np.int64]
    count_none: NDArray[np.int64]


def read_sentences(path: Path) -> SentenceTable:
    """Read the sentence table of an index. Raises ``IndexFormatError`` when it is damaged."""
    table = _read(path / SENTENCES, SENTENCE_COLUMNS)
    normalised = table["normalised"].to_pylist()
    rows = {text: row for row, text in enumerate(normalised)}
    counts = {}
    for name in SENTENCE_COLUMNS[2:]:
        counts[name] = _integers(table[name], path / SENTENCES)
    parts = counts["count_findings"] + counts["count_impression"] + counts["count_none"]
    if len(rows) != len(normalised) or None in rows or not np.array_equal(parts, counts["count"]):
        raise IndexFormatError(
            f"{path / SENTENCES} is damaged: a sentence stands twice in it or its counts do not "
            "add up; copy the index again or build it again"
        )
    return SentenceTable(texts=table["text"].combine_chunks(), rows=rows, **counts)


def read_reports(path: Path, sentences: int) -> Any:
    """Read the report table of an index of ``sentences`` rows, as an Arrow table.

    Raises ``IndexFormatError`` when it is damaged or points outside the sentence table.
    """
    table = _read(path / REPORTS, REPORT_COLUMNS)
    for name in REPORT_COLUMNS[1:]:
        rows = _integers(table[name].combine_chunks().flatten(), path / REPORTS)
        if rows.size and (rows.min() < 0 or rows.max() >= sentences):
            raise IndexFormatError(
                f"{path / REPORTS} is damaged: it points at sentence {int(rows.max())}, and the "
                f"index has {sentences}; copy the index again or build it again"
            )
    return table


def iterate_reports(table: Any) -> Iterator[CorpusReportRows]:
    for batch in table.to_batches(max_chunksize=1024):
        columns = (batch.column(name).to_pylist() for name in REPORT_COLUMNS)
        for report, findings, impression, unsectioned in zip(*columns, strict=True):
            yield CorpusReportRows(report, tuple(findings), tuple(impression), tuple(unsectioned))


def _read(file: Path, columns: tuple[str, ...]) -> Any:
    try:
        import pyarrow  # noqa: PLC0415
        import pyarrow.parquet  # noqa: PLC0415
    except ImportError as error:
        raise IndexFormatError(
            f"pyarrow is needed to open an index ({error}): pip install pyarrow"
        ) from error
    try:
        # Not read_table: it imports pandas where that is installed, which takes half a second.
        with pyarrow.parquet.ParquetFile(file) as parquet:
            return parquet.read(columns=list(columns)).select(list(columns))
    except (pyarrow.ArrowException, OSError, KeyError) as error:
        raise _damaged(file, error) from error


def _integers(column: Any, file: Path) -> NDArray[np.int64]:
    """A column without nulls. Not by ``to_numpy``, which imports pandas too."""
    import pyarrow  # noqa: PLC0415

    whole = column.combine_chunks() if isinstance(column, pyarrow.ChunkedArray) else column
    try:
        return np.from_dlpack(whole).astype(np.int64)
    except (pyarrow.ArrowException, BufferError, RuntimeError) as error:
        raise _damaged(file, error) from error


def _damaged(file: Path, error: Exception) -> IndexFormatError:
    return IndexFormatError(
        f"{file} is damaged ({(str(error).splitlines() or [''])[0]}); copy the index again or "
        "build it again"
    )
