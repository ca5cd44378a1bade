"""The files of an index directory."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from index_build.collect import Collection
from sdr_decode.encoder import Fingerprint
from sdr_decode.errors import CorpusError
from sdr_decode.manifest import (
    FILES,
    FORMAT_VERSION,
    MANIFEST,
    METRIC,
    REPORTS,
    SENTENCES,
    VECTORS,
    Counts,
    FileRecord,
    Manifest,
    Precision,
    hash_file,
)
from sdr_decode.sentences import Section
from sdr_decode.version import __version__


def write_tables(folder: Path, corpus: Collection, order: list[str]) -> None:
    """Write the sentence and the report table. ``order`` gives the normalised text of each row."""
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.parquet as pq  # noqa: PLC0415

    distinct = [corpus.sentences[key] for key in order]
    sentences = pa.table(
        {
            "text": pa.array([sentence.text for sentence in distinct], pa.string()),
            "normalised": pa.array(order, pa.string()),
            "count": pa.array([sentence.count for sentence in distinct], pa.int64()),
            "count_findings": pa.array([s.sections["findings"] for s in distinct], pa.int64()),
            "count_impression": pa.array([s.sections["impression"] for s in distinct], pa.int64()),
            "count_none": pa.array([s.sections[None] for s in distinct], pa.int64()),
        }
    )
    row_of = {key: row for row, key in enumerate(order)}
    rows = pa.list_(pa.int32())
    columns: tuple[tuple[str, Section | None], ...] = (
        ("findings", "findings"),
        ("impression", "impression"),
        ("unsectioned", None),
    )
    reports = pa.table(
        {
            "id": pa.array([report.id for report in corpus.reports], pa.string()),
            **{
                name: pa.array(
                    [
                        [row_of[key] for key in report.sentences[section]]
                        for report in corpus.reports
                    ],
                    rows,
                )
                for name, section in columns
            },
        }
    )
    pq.write_table(sentences, folder / SENTENCES, compression="zstd")
    pq.write_table(reports, folder / REPORTS, compression="zstd")


def new_vector_index(dimension: int, precision: Precision) -> Any:
    """An empty FAISS index of inner products that keeps every vector in full."""
    try:
        import faiss  # noqa: PLC0415
    except ImportError as error:
        raise CorpusError(
            f"faiss is needed to build an index ({error}): pip install faiss-cpu"
        ) from error
    if precision == "float32":
        return faiss.IndexFlatIP(dimension)
    if precision == "float16":
        return faiss.IndexScalarQuantizer(
            dimension, faiss.ScalarQuantizer.QT_fp16, faiss.METRIC_INNER_PRODUCT
        )
    raise CorpusError(f"unknown precision {precision!r}; known: float32, float16")


def write_vectors(folder: Path, vectors: NDArray[np.float32], index: Any) -> None:
    """Write the vectors (n, d) with the empty FAISS index that is to hold them."""
    import faiss  # noqa: PLC0415

    index.add(vectors)
    faiss.write_index(index, str(folder / VECTORS))


def write_manifest(
    folder: Path,
    *,
    encoder: Fingerprint,
    precision: Precision,
    counts: Counts,
    options: dict[str, Any],
) -> Manifest:
    """Write the manifest over the files that stand in ``folder``."""
    files = {
        name: FileRecord(sha256=hash_file(folder / name), bytes=(folder / name).stat().st_size)
        for name in FILES
    }
    manifest = Manifest(
        format_version=FORMAT_VERSION,
        created_by=f"sdr-decode {__version__}",
        created=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        encoder=encoder,
        dimension=encoder.dimension,
        metric=METRIC,
        precision=precision,
        counts=counts,
        options=options,
        files=files,
    )
    (folder / MANIFEST).write_text(manifest.to_json(), encoding="utf-8")
    return manifest
