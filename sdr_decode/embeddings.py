"""Embeddings kept in a file, so that a recording is embedded once and replayed at will."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from sdr_decode.distances import Vectors
from sdr_decode.encoder import Fingerprint
from sdr_decode.errors import EncoderError

_KEY = b"sdr_decode.encoder"


@dataclass(frozen=True, slots=True)
class Embeddings:
    """Texts as they were embedded, their unit vectors (n, d), and the encoder that made them."""

    encoder: Fingerprint
    texts: Sequence[str]
    vectors: Vectors


def read_embeddings(path: str | Path) -> Embeddings:
    """Read a file that ``write_embeddings`` wrote. Raises ``EncoderError`` when it is none."""
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.parquet as pq  # noqa: PLC0415

    try:
        with pq.ParquetFile(path) as file:
            table = file.read()
        encoder = Fingerprint(**json.loads(table.schema.metadata[_KEY]))
        flat = table.column("vector").combine_chunks().flatten()
        vectors = np.asarray(np.from_dlpack(flat), np.float32).reshape(
            len(table), encoder.dimension
        )
        texts = table.column("text").to_pylist()
    except (pa.ArrowException, KeyError, TypeError, ValueError) as error:
        raise EncoderError(
            f"{path} does not hold embeddings of this program ({error}); delete it, and it is made "
            "again"
        ) from error
    return Embeddings(encoder, texts, vectors)


def write_embeddings(path: str | Path, embeddings: Embeddings) -> None:
    """Write the file, whole or not at all."""
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.parquet as pq  # noqa: PLC0415

    vectors = np.ascontiguousarray(embeddings.vectors, np.float32)
    column = pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), vectors.shape[1])
    table = pa.table({"text": pa.array(embeddings.texts, pa.string()), "vector": column})
    table = table.replace_schema_metadata({_KEY: json.dumps(asdict(embeddings.encoder))})
    target = Path(path)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".embeddings-") as folder:
        whole = Path(folder) / target.name
        pq.write_table(table, whole, compression="zstd")
        whole.replace(target)
