"""The rows of a table file, whatever its format."""

from __future__ import annotations

import csv
import gzip
import json
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from index_build.readers.decoding import json_fault, null_bytes, undecodable
from sdr_decode.errors import CorpusError

Row = Mapping[str, Any]

SUFFIXES = (".csv", ".tsv", ".jsonl", ".ndjson", ".json", ".parquet")


@dataclass(frozen=True, slots=True)
class Table:
    """``rows`` gives each row once, with the place where it stands, for messages."""

    columns: Sequence[str]
    rows: Iterable[tuple[str, Row]]


def open_table(source: Path, encoding: str) -> Table:
    """Open a table by its suffix. Raises ``CorpusError`` for what cannot be read, at once or while
    the rows are read."""
    suffix = Path(source.name.lower().removesuffix(".gz")).suffix
    openers: dict[str, Callable[[Path, str], Table]] = {
        ".csv": _open_csv,
        ".tsv": _open_csv,
        ".jsonl": _open_json_lines,
        ".ndjson": _open_json_lines,
        ".json": _open_json,
        ".parquet": _open_parquet,
    }
    if suffix not in openers:
        known = ", ".join(SUFFIXES)
        raise CorpusError(f"{source} has no suffix of a table; expected one of {known}")
    return openers[suffix](source, encoding)


@contextmanager
def _opened(source: Path, encoding: str) -> Iterator[IO[str]]:
    """The text of ``source``, unpacked if it is gzip, with clear errors for what is damaged."""
    try:
        if source.name.lower().endswith(".gz"):
            with gzip.open(source, "rt", encoding=encoding, newline="") as file:
                yield file
        else:
            with source.open(encoding=encoding, newline="") as file:
                yield file
    except UnicodeError as error:
        raise undecodable(error, encoding, str(source)) from error
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise CorpusError(f"{source} cannot be read as gzip ({error})") from error


def _open_csv(source: Path, encoding: str) -> Table:
    tabs = source.name.lower().removesuffix(".gz").endswith(".tsv")
    with _opened(source, encoding) as file:
        start = file.readline()
        delimiter = "\t" if tabs else max(",;\t", key=start.count)
        file.seek(0)
        header = next(_csv_rows(file, delimiter, source), ("", []))[1]
    if not any(header):
        raise CorpusError(f"{source} has no header line; expected the names of its columns")
    twice = sorted({name for name in header if header.count(name) > 1})
    if twice:
        raise CorpusError(f"{source} names the column {twice[0]!r} twice; rename one")
    return Table(header, _csv_records(source, encoding, delimiter, header))


def _csv_records(
    source: Path, encoding: str, delimiter: str, header: list[str]
) -> Iterator[tuple[str, Row]]:
    with _opened(source, encoding) as file:
        rows = _csv_rows(file, delimiter, source)
        next(rows)
        for where, cells in rows:
            if len(cells) != len(header):
                raise CorpusError(
                    f"{where} has {len(cells)} cells, and the header {len(header)}; expected as "
                    "many (a cell with a delimiter or a line break in it must be quoted)"
                )
            yield where, dict(zip(header, cells, strict=True))


def _csv_rows(file: IO[str], delimiter: str, source: Path) -> Iterator[tuple[str, list[str]]]:
    csv.field_size_limit(min(sys.maxsize, 2**31 - 1))
    # strict: a quote that never closes would silently swallow the rest of the corpus.
    reader = csv.reader(file, delimiter=delimiter, strict=True)
    while True:
        where = f"line {reader.line_num + 1} of {source}"
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise CorpusError(f"the row at {where} is not well-formed ({error})") from error
        if any("\0" in cell for cell in cells):
            raise null_bytes(where)
        if cells:
            yield where, cells


def _open_json_lines(source: Path, encoding: str) -> Table:
    # Rows may leave keys out, so the columns are known only when all have been seen; a broken line
    # is then found before anything is done.
    columns: dict[str, None] = {}
    for _, row in _json_lines(source, encoding):
        columns.update(dict.fromkeys(row))
    return Table(list(columns), _json_lines(source, encoding))


def _json_lines(source: Path, encoding: str) -> Iterator[tuple[str, Row]]:
    with _opened(source, encoding) as file:
        for number, line in enumerate(file, start=1):
            where = f"line {number} of {source}"
            if "\0" in line:
                raise null_bytes(where)
            if line.strip():
                yield where, _object(_json(line.rstrip(), where), where)


def _open_json(source: Path, encoding: str) -> Table:
    """A list of objects, or an object of objects by id."""
    with _opened(source, encoding) as file:
        whole = _json(file.read(), str(source))
    if isinstance(whole, dict) and all(isinstance(value, dict) for value in whole.values()):
        whole = [{"id": key, **value} for key, value in whole.items()]
    if not isinstance(whole, list):
        raise CorpusError(f"{source} is not a list of JSON objects, or an object of them by id")
    rows = [
        (where, _object(item, where))
        for number, item in enumerate(whole, start=1)
        for where in [f"row {number} of {source}"]
    ]
    columns = dict.fromkeys(key for _, row in rows for key in row)
    return Table(list(columns), rows)


def _json(text: str, where: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise CorpusError(f"{where} is not JSON ({json_fault(error)})") from error


def _object(value: Any, where: str) -> Row:
    if not isinstance(value, dict):
        raise CorpusError(f"{where} is not a JSON object; expected one such as {{...}}")
    return value


def _open_parquet(source: Path, encoding: str) -> Table:
    try:
        from pyarrow import ArrowException  # noqa: PLC0415
        from pyarrow.parquet import ParquetFile  # noqa: PLC0415
    except ImportError as error:
        raise CorpusError(
            "reading parquet needs the package pyarrow: pip install pyarrow"
        ) from error
    try:
        columns = list(ParquetFile(source).schema_arrow.names)
    except ArrowException as error:
        raise CorpusError(f"{source} cannot be read as parquet ({error})") from error

    def rows() -> Iterator[tuple[str, Row]]:
        number = 0
        try:
            for batch in ParquetFile(source).iter_batches(batch_size=1024):
                for row in batch.to_pylist():
                    number += 1
                    yield f"row {number} of {source}", row
        except ArrowException as error:
            raise CorpusError(
                f"{source} cannot be read as parquet after row {number} ({error})"
            ) from error

    return Table(columns, rows())
