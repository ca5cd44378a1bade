from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from clients.errors import RecordingError
from clients.recording import RecordedCandidate, Reference, read_recording
from clients.recording_from_table import table_to_recording
from tests.data import real_data

TABLE = """\
case,history,one_report,two_report,found
7,"Cough, fever","Findings:Clear.
Impression: Normal.",,Clear lungs.
8,,Effusion.
"""


def convert(folder: Path, text: str | bytes, name: str = "a.csv", **options: Any) -> Path:
    table, recording = folder / name, folder / "out" / "a.jsonl"
    recording.parent.mkdir()
    table.write_bytes(text.encode() if isinstance(text, str) else text)
    table_to_recording(
        table, recording, **({"id_column": "case", "candidate_columns": ["*_report"]} | options)
    )
    return recording


def test_each_column_is_a_candidate(tmp_path: Path) -> None:
    recording = convert(tmp_path, TABLE, prompt_column="history", findings_column="found")
    first, second = read_recording(recording)
    assert (first.study, first.prompt) == ("7", "Cough, fever")
    assert first.reference == Reference("Clear lungs.", "")
    assert first.candidates == (
        RecordedCandidate.from_text("Findings:Clear.\nImpression: Normal.", source="one_report"),
        RecordedCandidate.from_text("", source="two_report"),
    )
    assert (second.study, second.prompt) == ("8", "")
    assert [candidate.text for candidate in second.candidates] == ["Effusion.", ""]


def test_one_prompt_serves_all_and_columns_can_be_named(tmp_path: Path) -> None:
    columns = ["two_report", "*_report"]
    recording = convert(tmp_path, TABLE, prompt="Describe.", candidate_columns=columns)
    studies = list(read_recording(recording))
    assert {study.prompt for study in studies} == {"Describe."}
    assert [candidate.source for candidate in studies[0].candidates] == ["two_report", "one_report"]
    assert studies[0].reference is None


def test_tabs_and_a_byte_order_mark_are_read(tmp_path: Path) -> None:
    recording = convert(tmp_path, "\ufeffcase\ta_report\n7\tClear, normal.\n", "a.tsv")
    (study,) = read_recording(recording)
    assert study.candidates[0].text == "Clear, normal."


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        (TABLE, {"id_column": "id"}, "no column 'id'; it has case, history"),
        (TABLE, {"candidate_columns": ["x_*"]}, r"no column 'x_\*'"),
        (TABLE, {"prompt_column": "x"}, "no column 'x'"),
        ("case,a_report,a_report\n7,x,y\n", {}, "'a_report' twice"),
        ("case,a_report\n7,x\n7,y\n", {}, "line 3: found the id '7' again"),
        ("case,a_report\n ,x\n", {}, "line 2: found no id in 'case'"),
        ("case,a_report\n7,x,y\n", {}, "line 2: found more cells than columns"),
        ("case,a_report\n", {}, "has no rows"),
        ("", {}, "no column 'case'; it has none"),
        ('case,a_report\n7,"x\n', {}, "cannot be read as a table"),
        (b"case,a_report\n7,\xff\n", {}, "cannot be read as a table"),
    ],
)
def test_a_faulty_table_is_named_and_nothing_is_written(
    tmp_path: Path, text: str | bytes, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(RecordingError, match=rf"a\.csv.*{message}"):
        convert(tmp_path, text, **options)
    assert list((tmp_path / "out").iterdir()) == []


def test_a_missing_table_is_named(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match=r"the table .*absent\.csv cannot be read"):
        table_to_recording(
            tmp_path / "absent.csv", tmp_path / "a", id_column="x", candidate_columns=["y"]
        )


def test_a_real_table_becomes_a_recording(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl.gz"
    count = table_to_recording(
        real_data("candidates/rexrank_nih10.csv"),
        path,
        id_column="subject_id",
        candidate_columns=["*_prediction"],
        prompt_column="context",
    )
    studies = list(read_recording(path))
    assert count == len(studies) == 10
    for study in studies:
        assert study.prompt
        assert len({candidate.source for candidate in study.candidates}) == 7
        assert all(candidate.text for candidate in study.candidates)
