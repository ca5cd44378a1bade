"""Corpora that are tables: csv, tsv, jsonl, json and parquet, one report a row."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from clients.spec import Spec, allow_options
from index_build.readers.base import CorpusReader
from index_build.readers.decoding import check_encoding
from index_build.readers.markup import without_markup
from index_build.readers.table_rows import SUFFIXES, open_table
from index_build.report import CorpusReport
from sdr_decode.errors import CorpusError
from sdr_decode.invisible import visible

# Column names of ReXGradient, CheXpert Plus, MIMIC-CXR tables and their like, best first. Case and
# punctuation do not matter.
_USUAL: Mapping[str, tuple[str, ...]] = {
    "id": ("study_id", "StudyInstanceUid", "study_uid", "study", "report_id", "id", "uid"),
    "findings": ("findings", "findings_section", "section_findings", "report_findings"),
    "impression": (
        *("impression", "impression_section", "section_impression", "report_impression"),
        *("impressions", "conclusion"),
    ),
    "report": ("report", "report_text", "full_report", "original_report", "text"),
}

# What exports of a missing cell look like.
_MISSING = frozenset({"", "nan", "none", "null", "na", "n/a", "<na>"})


@dataclass(frozen=True, slots=True)
class Columns:
    """The names of the columns to read. ``None`` is: find the usual one, or do without."""

    id: str | None = None
    findings: str | None = None
    impression: str | None = None
    report: str | None = None


class TableReader(CorpusReader):
    """Reads one report a row.

    The id is that of the id column, or the number of the row, from 1, where there is none. A
    report column (a whole report, with headings or without) is read where neither a findings nor
    an impression column is found, or where it is named. Cells in HTML are read as its readers do.
    """

    name = "table"
    expects = "a table as " + ", ".join(SUFFIXES) + ", or text tables with .gz behind"

    def __init__(self, columns: Columns = Columns(), encoding: str = "utf-8") -> None:
        self.columns = columns
        self.encoding = check_encoding(encoding)

    def recognises(self, source: Path) -> bool:
        name = source.name.lower().removesuffix(".gz")
        return source.is_file() and name.endswith(SUFFIXES)

    def read(self, source: Path) -> Iterator[CorpusReport]:
        table = open_table(source, self.encoding)
        columns = choose_columns(self.columns, table.columns, source)
        for number, (where, row) in enumerate(table.rows, start=1):
            cells = {
                column: _text(row.get(column), column, where)
                for column in (columns.id, columns.findings, columns.impression, columns.report)
                if column is not None
            }
            name = str(number) if columns.id is None else cells[columns.id]
            if name is None:
                raise CorpusError(f"{where} has no id in the column {columns.id!r}")
            yield CorpusReport(
                id=visible(name).strip(),  # so that it is the one that a list of ids names
                findings=_plain_cell(cells, columns.findings),
                impression=_plain_cell(cells, columns.impression),
                text=_plain_cell(cells, columns.report),
                source=where,
            )


def _plain_cell(cells: Mapping[str, str | None], column: str | None) -> str | None:
    cell = None if column is None else cells[column]
    return None if cell is None else without_markup(cell) or None


def open_from_spec(spec: Spec) -> CorpusReader:
    allow_options(spec, "id", "findings", "impression", "report", "encoding")
    options = spec.options
    columns = Columns(*(options.get(key) for key in ("id", "findings", "impression", "report")))
    return TableReader(columns, options.get("encoding", "utf-8"))


def choose_columns(asked: Columns, present: Sequence[str], source: Path) -> Columns:
    """The columns to read: the named ones, and the usual ones for what is not named.

    Raises ``CorpusError`` for a named column that is absent, and when there is nothing to read.
    """
    for option, column in (
        ("--id-column", asked.id),
        ("--findings-column", asked.findings),
        ("--impression-column", asked.impression),
        ("--report-column", asked.report),
    ):
        if column is not None and column not in present:
            raise CorpusError(
                f"{source} has no column {column!r}, which {option} names; {_list(present)}"
            )
    named = (asked.findings, asked.impression, asked.report) != (None, None, None)
    findings = asked.findings or (None if named else _usual("findings", present))
    impression = asked.impression or (None if named else _usual("impression", present))
    report = asked.report
    if (findings, impression, report) == (None, None, None):
        report = _usual("report", present)
    if (findings, impression, report) == (None, None, None):
        raise CorpusError(
            f"{source} has no column with a usual name for findings, impression or a report; "
            f"name one with --findings-column, --impression-column or --report-column; "
            f"{_list(present)}"
        )
    return Columns(asked.id or _usual("id", present), findings, impression, report)


def _usual(kind: str, present: Sequence[str]) -> str | None:
    plain: dict[str, str] = {}
    for column in present:
        plain.setdefault(_plain(column), column)
    return next((plain[_plain(name)] for name in _USUAL[kind] if _plain(name) in plain), None)


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _list(present: Sequence[str]) -> str:
    return "its columns are " + (", ".join(map(repr, present)) or "none")


def _text(value: object, column: str, where: str) -> str | None:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    # Numeric ids become floats where a neighbour is missing.
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else str(value)
    if not isinstance(value, str | int) or isinstance(value, bool):
        kind = "true or false" if isinstance(value, bool) else f"a {type(value).__name__}"
        raise CorpusError(f"{where} holds {kind} in the column {column!r}; expected text")
    text = str(value).strip()
    return None if visible(text).strip().casefold() in _MISSING else text
