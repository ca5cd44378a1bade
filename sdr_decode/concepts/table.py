"""``table:FILE``: the names of any table of synonym and identifier."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from clients.errors import SpecError
from clients.spec import Spec, allow_options
from sdr_decode.concepts.exact import ExactLinker
from sdr_decode.concepts.vocabulary import Name, Vocabulary
from sdr_decode.concepts.word_forms import folded, spelled
from sdr_decode.errors import ConceptError

_COLUMNS = ("synonym", "identifier")
_DELIMITERS = {".csv": ",", ".tsv": "\t", ".txt": "\t"}
_EXPECTED = "expected a synonym and an identifier"

_Rows = Iterator[tuple[int, list[str]]]


def from_spec(spec: Spec) -> ExactLinker:
    allow_options(spec)
    if spec.value is None:
        raise SpecError("table needs a file; expected table:FILE, a .csv or .tsv of synonyms")
    return ExactLinker(str(spec), partial(read_table, Path(spec.value)))


def read_table(path: Path) -> Vocabulary:
    """The names of a .csv (commas) or .tsv or .txt (tabs) in UTF-8.

    A first row that names the columns ``synonym`` and ``identifier`` says where they are; without
    it they are the first two. Raises ``ConceptError``, with the line, where a row lacks one of
    them, or gives an identifier other than an earlier one to the same words.
    """
    seen: dict[tuple[str, ...], tuple[str, int]] = {}
    names = []
    for line, synonym, identifier in _entries(path):
        words = tuple(folded(spelled(synonym)))
        if not any(word.isalnum() for word in words):
            raise _wrong(path, line, f"found the synonym {synonym!r}; expected a word")
        known, first = seen.setdefault(words, (identifier, line))
        if known != identifier:
            raise _wrong(
                path,
                line,
                f"gives {synonym!r} the identifier {identifier!r}, line {first} {known!r}; "
                "give each synonym one",
            )
        names.append(Name(synonym, identifier))
    if not names:
        raise ConceptError(f"found no synonym in {path}; {_EXPECTED} in each row")
    return Vocabulary(names)


def _entries(path: Path) -> Iterator[tuple[int, str, str]]:
    rows = _rows(path)
    synonym, identifier = 0, 1
    for at, (line, row) in enumerate(rows):
        cells = [cell.strip() for cell in row]
        named = [cell.casefold() for cell in cells]
        if at == 0 and set(_COLUMNS) <= set(named):
            synonym, identifier = map(named.index, _COLUMNS)
        elif any(cells):
            if len(cells) <= max(synonym, identifier):
                raise _wrong(path, line, f"found {_counted(len(cells))}; {_EXPECTED}")
            if not cells[synonym] or not cells[identifier]:
                empty = "synonym" if not cells[synonym] else "identifier"
                raise _wrong(path, line, f"found an empty {empty}; {_EXPECTED}")
            yield line, cells[synonym], cells[identifier]


def _rows(path: Path) -> _Rows:
    delimiter = _DELIMITERS.get(path.suffix.lower())
    if delimiter is None:
        known = ", ".join(_DELIMITERS)
        raise ConceptError(f"found the table {path}; expected a name that ends in one of {known}")
    line = 0
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.reader(file, delimiter=delimiter, strict=True)
            for row in reader:
                yield line + 1, row
                line = reader.line_num
    except OSError as error:
        raise ConceptError(f"cannot read {path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise _wrong(
            path, line + 1, "found, here or soon after, bytes that are not UTF-8; save it as UTF-8"
        ) from error
    except csv.Error as error:
        raise _wrong(
            path, line + 1, f"cannot be read ({error}); expected rows of a table"
        ) from error


def _wrong(path: Path, line: int, message: str) -> ConceptError:
    return ConceptError(f"{path}, line {line}: {message}")


def _counted(columns: int) -> str:
    return f"{columns} column{'s' * (columns != 1)}"
