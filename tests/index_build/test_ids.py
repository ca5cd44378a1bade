from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from index_build.ids import read_ids
from sdr_decode.errors import CorpusError


def test_a_text_file_of_ids_a_line(tmp_path: Path) -> None:
    path = tmp_path / "ids.txt"
    path.write_text("\ufeffCXR1\r\n\r\n  CXR2 \n\u200b\nCXR1\u200b\n", "utf-8")
    assert read_ids(str(path)) == {"CXR1", "CXR2"}


def test_json_lists_and_keys(tmp_path: Path) -> None:
    path = tmp_path / "splits.json"
    path.write_text('{"val": ["CXR1"], "test": [2, 3], "note": "x"}')
    assert read_ids(f"{path}#val") == {"CXR1"}
    assert read_ids(f"{path}#test") == {"2", "3"}
    path.write_text('["a"]')
    assert read_ids(str(path)) == {"a"}
    path.write_text('{"only": ["b"]}')
    assert read_ids(str(path)) == {"b"}


def test_a_name_with_a_hash_in_it(tmp_path: Path) -> None:
    path = tmp_path / "run#2.json"
    path.write_text('{"val": ["x"], "test": ["y"]}')
    assert read_ids(f"{path}#test") == {"y"}


def test_a_key_longer_than_any_file_name(tmp_path: Path) -> None:
    path = tmp_path / "splits.json"
    path.write_text(json.dumps({"k" * 300: ["x"], "test": ["y"]}))
    assert read_ids(f"{path}#{'k' * 300}") == {"x"}


@given(st.dictionaries(st.text(min_size=1), st.lists(st.integers(), min_size=1), min_size=2))
def test_any_key_of_any_object(
    tmp_path_factory: pytest.TempPathFactory, lists: dict[str, list[int]]
) -> None:
    path = tmp_path_factory.mktemp("ids") / "splits.json"
    path.write_text(json.dumps(lists))
    for key, ids in lists.items():
        if "#" not in key:
            assert read_ids(f"{path}#{key}") == set(map(str, ids))


@pytest.mark.parametrize(
    ("text", "key", "message"),
    [
        ('{"val": ["a"], "test": ["b"]}', "", r"several lists.*Its keys are val, test"),
        ('{"val": ["a"], "test": ["b"]}', "#dev", r"no key 'dev'; its keys are val, test"),
        ('["a"]', "#val", "is a JSON list, so it has no key 'val'"),
        ("CXR1\nCXR2\n", "#val", "not a JSON object, so it has no key 'val'"),
        ('{"val": "a"}', "#val", r"ids\.json#val is not a JSON list of ids"),
        ('{"val": [{"id": 1}]}', "", "not a JSON list of ids"),
        ("[1.5]", "", "not a JSON list of ids"),
        ("[true]", "", "not a JSON list of ids"),
        ("[1", "", r"is not JSON \([^)]* at column 3\)"),
        ("{}", "", "Its keys are none"),
        ("[]", "", "holds no ids"),
        ("\n\n", "", "holds no ids"),
    ],
)
def test_what_names_no_ids_is_an_error(tmp_path: Path, text: str, key: str, message: str) -> None:
    path = tmp_path / "ids.json"
    path.write_text(text)
    with pytest.raises(CorpusError, match=message):
        read_ids(f"{path}{key}")


def test_absent_and_undecodable_files(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"no file of ids at .*absent\.json"):
        read_ids(f"{tmp_path}/absent.json#val")
    (tmp_path / "ids.txt").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(CorpusError, match=r"in UTF-8 text \(byte 0xff"):
        read_ids(str(tmp_path / "ids.txt"))
