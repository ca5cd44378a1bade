from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clients.errors import SpecError
from index_build.readers import open_reader
from index_build.report import CorpusReport
from sdr_decode.errors import CorpusError
from tests.data import real_data

ROWS = [
    {"StudyInstanceUid": "a", "Findings": "Clear lungs.", "Impression": "Normal."},
    {"StudyInstanceUid": "b", "Findings": "Line one,\nline two.", "Impression": ""},
    {"StudyInstanceUid": "c", "Findings": "nan", "Impression": 'A "quoted" word.'},
]
EXPECTED = [
    ("a", "Clear lungs.", "Normal."),
    ("b", "Line one,\nline two.", None),
    ("c", None, 'A "quoted" word.'),
]


def read(source: Path, **options: str) -> list[CorpusReport]:
    return list(open_reader(source, options=options).read(source))


def seen(reports: list[CorpusReport]) -> list[tuple[str, str | None, str | None]]:
    return [(r.id, r.findings, r.impression) for r in reports]


def csv_text(delimiter: str) -> str:
    def cell(text: str) -> str:
        return '"' + text.replace('"', '""') + '"'

    lines = [delimiter.join(ROWS[0]), *(delimiter.join(map(cell, r.values())) for r in ROWS)]
    return "\n".join(lines) + "\n"


def write_all(folder: Path) -> dict[str, Path]:
    lines = "".join(json.dumps(row) + "\n\n" for row in ROWS).encode()
    files = {
        "t.csv": b"\xef\xbb\xbf" + csv_text(",").encode(),
        "semicolon.csv": csv_text(";").replace("\n", "\r\n").replace("one,\r\n", "one,\n").encode(),
        "t.tsv": csv_text("\t").encode(),
        "t.csv.gz": gzip.compress(csv_text(",").encode()),
        "t.jsonl": lines,
        "t.jsonl.gz": gzip.compress(lines),
        "t.json": json.dumps(ROWS).encode(),
        "by_id.json": json.dumps({r["StudyInstanceUid"]: r for r in ROWS}).encode(),
    }
    for name, data in files.items():
        (folder / name).write_bytes(data)
    pq.write_table(pa.Table.from_pylist(ROWS), folder / "t.parquet")
    return {path.name: path for path in folder.iterdir()}


def test_every_format_gives_the_same_reports(tmp_path: Path) -> None:
    for name, path in write_all(tmp_path).items():
        assert seen(read(path)) == EXPECTED, name


@given(st.lists(st.text(st.characters(exclude_characters="\0\r", codec="utf-8")), min_size=1))
def test_csv_keeps_every_text(tmp_path_factory: pytest.TempPathFactory, texts: list[str]) -> None:
    path = tmp_path_factory.mktemp("csv") / "t.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "findings"])
        writer.writerows([f"s{n}", "x" + text + "."] for n, text in enumerate(texts))
    assert [r.findings for r in read(path)] == ["x" + text + "." for text in texts]


def test_an_id_is_what_shows_of_it_and_what_shows_nothing_is_missing(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("id,findings,impression\ns1\u200b,\u200b,No\u00ad mass.\n", "utf-8")
    assert seen(read(path)) == [("s1", None, "No\u00ad mass.")]


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("study_id,subject_id,findings,impression", ("1", "3", "4", None)),
        ("path,id,Section_Findings,section_impression", ("2", "3", "4", None)),
        ("a,b,Report_Text,c", ("1", None, None, "3")),
        ("a,ID,report,Conclusion", ("2", None, "4", None)),
    ],
)
def test_usual_names_are_found(
    tmp_path: Path, header: str, expected: tuple[str | None, ...]
) -> None:
    path = tmp_path / "t.csv"
    path.write_text(header + "\n1,2,3,4\n")
    (report,) = read(path)
    assert (report.id, report.findings, report.impression, report.text) == expected


def test_named_columns_are_taken_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("key,findings,my impression\nk,F.,I.\n")
    options = {"id": "key", "impression": "my impression"}
    assert seen(read(path, **options)) == [("k", None, "I.")]
    reader = open_reader(path, "table:id=key,report=my impression")
    assert [r.text for r in reader.read(path)] == ["I."]


def test_a_missing_column_is_named_with_those_present(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,2\n")
    with pytest.raises(CorpusError, match=r"no column 'Findings'.*--findings-column.*'a', 'b'"):
        read(path, findings="Findings")
    with pytest.raises(CorpusError, match=r"usual name.*--report-column.*'a', 'b'"):
        read(path)


def test_a_missing_id_is_an_error_and_a_missing_id_column_is_the_row(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("id,findings\n,Clear.\n")
    with pytest.raises(CorpusError, match=r"line 2 of .*t\.csv has no id in the column 'id'"):
        read(path)
    path.write_text("findings\nClear.\nDark.\n")
    assert [r.id for r in read(path)] == ["1", "2"]


def test_numbers_are_ids(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"study_id": [50414267.0, 7.0], "findings": ["A.", None]}), path)
    assert seen(read(path)) == [("50414267", "A.", None), ("7", None, None)]


def test_a_key_that_the_first_json_line_lacks_is_still_found(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text('{"id": 1, "findings": "F."}\n{"id": 2, "impression": "I."}\n')
    assert seen(read(path)) == [("1", "F.", None), ("2", None, "I.")]


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        (
            "t.jsonl",
            b'{"findings": "F."}\n{"findings": \n',
            r"line 2 of .*t\.jsonl is not JSON \([^)]* at column 13\)$",
        ),
        ("t.jsonl", b'{"findings": "F."}\n[1]\n', r"line 2 .* not a JSON object"),
        ("t.jsonl", b'{"findings": ["F."]}\n', r"line 1 .* list in the column 'findings'"),
        ("t.json", b'"text"', "not a list of JSON objects"),
        ("t.json", b"[1", r"t\.json is not JSON \([^)]* at column 3\)$"),
        ("t.json", b"[1,\n\n x]", r"t\.json is not JSON \([^)]* at line 3, column 2\)$"),
        ("t.jsonl", b'{"id": true, "findings": "F."}\n', "line 1 .* true or false in .* 'id'"),
        ("t.json", b'[{"id": "a", "findings": false}]', "row 1 .* true or false in .* 'findings'"),
        ("t.csv", b"findings\nab\0c\n", r"line 2 of .*t\.csv holds NUL bytes"),
        (
            "t.csv",
            "findings\nPneumonie b\u00e9nigne\n".encode("latin-1"),
            r"text in UTF-8 \(byte 0xe9",
        ),
        ("t.csv", b'findings\n"never closed\nmore\n', r"line 2 of .* not well-formed"),
        ("t.csv", b"id,findings\n1,Clear, dry.\n", r"line 2 .* 3 cells, and the header 2"),
        ("t.csv", b"findings,findings\na,b\n", "'findings' twice"),
        ("t.csv", b"\n\n", "usual name|no header"),
        ("t.csv.gz", b"findings\nClear.\n", "cannot be read as gzip"),
        (
            "t.csv.gz",
            gzip.compress(b"findings\n" + b"Clear.\n" * 999)[:-20],
            "cannot be read as gz",
        ),
        ("t.parquet", b"PAR1 but not really", "cannot be read as parquet"),
        ("t.csv", b"", "is empty"),
        ("t.csv", b"version https://git-lfs.github.com/spec/v1\noid x\n", "Git LFS pointer"),
    ],
)
def test_what_cannot_be_read_is_said(tmp_path: Path, name: str, data: bytes, message: str) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(CorpusError, match=message) as caught:
        read(path)
    assert str(path) in str(caught.value)


def test_utf_16_is_read_when_named(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes("findings\nClear.\n".encode("utf-16-le"))
    with pytest.raises(CorpusError, match="utf-16"):
        read(path)
    assert [r.findings for r in read(path, encoding="utf-16-le")] == ["Clear."]


def test_a_cell_may_be_longer_than_the_csv_module_allows(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("findings\n" + "Clear. " * 40_000 + "\n")
    assert len(read(path)[0].findings or "") > 250_000


def test_unknown_readers_options_and_sources(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("findings\nClear.\n")
    with pytest.raises(
        SpecError, match="unknown corpus reader 'excel'; known: mimic, openi, table"
    ):
        open_reader(path, "excel")
    with pytest.raises(SpecError, match="openi does not know the option 'findings'"):
        open_reader(path, "openi", {"findings": "x"})
    with pytest.raises(CorpusError, match="found no corpus at"):
        open_reader(tmp_path / "absent")
    (tmp_path / "slides.pptx").write_text("x")
    with pytest.raises(
        CorpusError, match=r"no corpus reader recognises the file .*--reader.*table:"
    ):
        open_reader(tmp_path / "slides.pptx")
    (tmp_path / "empty").mkdir()
    with pytest.raises(CorpusError, match="recognises the folder"):
        open_reader(tmp_path / "empty")


def test_the_real_table_of_seven_models() -> None:
    source = real_data("candidates/rexrank_nih10.csv")
    reports = read(source, report="MedVersa_prediction", id="subject_id")
    assert len({r.id for r in reports}) == 10
    assert all(r.text for r in reports)
