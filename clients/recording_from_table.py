"""Makes a recording of a table that holds one study a row and one report a column."""

from __future__ import annotations

import csv
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from clients.errors import RecordingError
from clients.recording.study import RecordedCandidate, RecordedStudy, Reference
from clients.recording.writer import RecordingWriter


def table_to_recording(
    table: str | os.PathLike[str],
    recording: str | os.PathLike[str],
    *,
    id_column: str,
    candidate_columns: Sequence[str],
    prompt: str = "",
    prompt_column: str | None = None,
    findings_column: str | None = None,
    impression_column: str | None = None,
) -> int:
    """Write the studies of a table and return how many there are.

    Takes what ``studies_from_table`` takes and raises what it raises; then nothing is written.
    """
    with RecordingWriter(recording) as writer:
        for study in studies_from_table(
            table,
            id_column=id_column,
            candidate_columns=candidate_columns,
            prompt=prompt,
            prompt_column=prompt_column,
            findings_column=findings_column,
            impression_column=impression_column,
        ):
            writer.write(study)
    return len(writer.studies)


def studies_from_table(
    table: str | os.PathLike[str],
    *,
    id_column: str,
    candidate_columns: Sequence[str],
    prompt: str = "",
    prompt_column: str | None = None,
    findings_column: str | None = None,
    impression_column: str | None = None,
) -> Iterator[RecordedStudy]:
    """Yield the studies of a csv or tsv table, a candidate for each of ``candidate_columns``.

    A candidate column may be a pattern (``*_prediction``); columns that it matches are taken in
    the table's order. A candidate has its text, its column's name as ``source``, and no pieces; an
    empty or missing cell is an empty report. ``prompt`` serves every study unless
    ``prompt_column`` gives each its own. Raises ``RecordingError`` for a table that cannot be
    read, has no such column, no rows, or an id that is empty or comes twice.
    """
    path = Path(table)
    seen: set[str] = set()
    for line, row in _rows(path, id_column, prompt_column, findings_column, impression_column):
        study = (row[id_column] or "").strip()
        if not study:
            raise RecordingError(f"{path}, line {line}: found no id in {id_column!r}; add one")
        if study in seen:
            raise RecordingError(
                f"{path}, line {line}: found the id {study!r} again; expected each study once"
            )
        seen.add(study)
        yield RecordedStudy(
            study=study,
            prompt=prompt if prompt_column is None else row[prompt_column] or "",
            reference=_reference(row, findings_column, impression_column),
            candidates=tuple(
                RecordedCandidate.from_text(row[column] or "", source=column)
                for column in _matching(path, list(row), candidate_columns)
            ),
        )
    if not seen:
        raise RecordingError(f"{path} has no rows; expected one study a row under a header")


def _rows(path: Path, *columns: str | None) -> Iterator[tuple[int, dict[str, str | None]]]:
    delimiter = "\t" if path.suffix == ".tsv" else ","
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file, delimiter=delimiter, restkey="", strict=True)
            names = list(reader.fieldnames or ())
            repeated = [name for name, count in Counter(names).items() if count > 1]
            if repeated:
                raise RecordingError(f"{path} has the column {repeated[0]!r} twice; rename one")
            for column in columns:
                if column is not None and column not in names:
                    raise _no_column(path, column, names)
            for row in reader:
                if "" in row and "" not in names:
                    raise RecordingError(
                        f"{path}, line {reader.line_num}: found more cells than columns; "
                        "expected text with commas in quotes"
                    )
                yield reader.line_num, row
    except (csv.Error, UnicodeDecodeError) as error:
        raise RecordingError(
            f"{path} cannot be read as a table ({error}); expected csv or tsv in UTF-8"
        ) from None
    except OSError as error:
        raise RecordingError(
            f"the table {path} cannot be read: {error.strerror or error}; check the path"
        ) from None


def _matching(path: Path, names: list[str], patterns: Sequence[str]) -> list[str]:
    matching: list[str] = []
    for pattern in patterns:
        found = [name for name in names if name == pattern or fnmatchcase(name, pattern)]
        if not found:
            raise _no_column(path, pattern, names)
        matching += [name for name in found if name not in matching]
    return matching


def _no_column(path: Path, column: str, names: list[str]) -> RecordingError:
    return RecordingError(f"{path} has no column {column!r}; it has {', '.join(names) or 'none'}")


def _reference(
    row: dict[str, str | None], findings_column: str | None, impression_column: str | None
) -> Reference | None:
    if findings_column is None and impression_column is None:
        return None
    findings, impression = (
        (row[column] or "") if column else "" for column in (findings_column, impression_column)
    )
    return Reference(findings, impression)
