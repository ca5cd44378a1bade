"""A table of synonyms."""

from __future__ import annotations

import codecs
from pathlib import Path

import pytest

from clients.errors import SpecError
from sdr_decode.concepts import linkers
from sdr_decode.errors import ConceptError


def linked(path: Path, text: str) -> list[str]:
    return [concept.identifier for concept in linkers.make(f"table:{path}").link([text])[0]]


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_synonyms_have_one_identifier(tmp_path: Path) -> None:
    table = written(tmp_path / "t.csv", "Heart attack,D1\n\nmyocardial infarction,D1\nstroke,D2\n")
    assert linked(table, "Heart attacks. Myocardial infarction. Stroke.") == ["D1", "D1", "D2"]


def test_the_longest_synonym_is_found(tmp_path: Path) -> None:
    table = written(tmp_path / "t.csv", "hypertension,D1\npulmonary hypertension,D2\n")
    assert linked(table, "Pulmonary hypertension.") == ["D2"]


def test_a_header_says_where_the_columns_are(tmp_path: Path) -> None:
    table = written(tmp_path / "t.tsv", "Identifier\tnote\tSynonym\nD1\tx\tgout\n")
    assert linked(table, "Gout.") == ["D1"]


def test_a_byte_order_mark_and_quotes_are_read(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_bytes(codecs.BOM_UTF8 + b'synonym,identifier\r\n"pneumonia, viral",D1\r\n')
    assert linked(table, "Pneumonia, viral.") == ["D1"]


def test_a_synonym_given_twice_alike_is_no_error(tmp_path: Path) -> None:
    table = written(tmp_path / "t.csv", "nodule,D1\nNodules,D1\n")
    assert linked(table, "Nodules.") == ["D1"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("gout,D1\nstroke\n", "line 2: found 1 column;"),
        ("gout,D1\n,D2\n", "line 2: found an empty synonym"),
        ("gout,\n", "line 1: found an empty identifier"),
        ("gout,D1\n?,D2\n", "line 2: found the synonym '?'"),
        ("nodule,D1\n\nNodules,D2\n", "line 3: gives 'Nodules' the identifier 'D2', line 1 'D1'"),
        ('"a\nb",D1\n"x,D2\n', "line 3: cannot be read"),
        ("synonym,identifier\n", "found no synonym in"),
        ("", "found no synonym in"),
    ],
)
def test_a_wrong_row_is_named(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ConceptError) as raised:
        linked(written(tmp_path / "t.csv", text), "Gout.")
    assert message in str(raised.value)


def test_bytes_that_are_not_utf8_are_named(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_bytes(b"gout,D1\nna\xefve,D2\n")
    with pytest.raises(ConceptError, match="UTF-8"):
        linked(table, "Gout.")


@pytest.mark.parametrize("name", ["absent.csv", ".", "t.parquet"])
def test_what_is_no_table_is_said(tmp_path: Path, name: str) -> None:
    with pytest.raises(ConceptError, match=r"cannot read|expected a name"):
        linked(tmp_path / name, "Gout.")


def test_a_table_needs_a_file() -> None:
    with pytest.raises(SpecError, match="table:FILE"):
        linkers.make("table")
