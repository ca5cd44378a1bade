"""What is read as a result, and what is refused with one sentence."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sdr_decode import ResultFormatError, SDRDecoder
from sdr_decode.explain import parse_result, read_result
from sdr_decode.explain.saved import MAX_BYTES, SavedCount, SavedDollars
from tests.fake_encoder import FakeEncoder
from tests.scripted_client import ScriptedClient, words
from tests.sdr_decode.explain.example import example, saved

CLEAR = "Findings: The lungs are clear. Heart size is normal.\nImpression: No acute disease."
ODD = "Findings: Purple elephants. They sing loudly to all.\nImpression: Nonsense beyond words."


def test_what_a_decode_writes_is_read_back(index: Path, tmp_path: Path) -> None:
    client = ScriptedClient(words(ODD), words(CLEAR), words(CLEAR), lockstep=True)
    with SDRDecoder(client, index, encoder=FakeEncoder(), prune="margin:0.02") as decoder:
        result = decoder.generate(k=3)
    path = tmp_path / "result.json"
    path.write_text(result.to_json(), "utf-8")
    read = read_result(path)
    assert read.winner == result.winner
    assert [c.text for c in read.candidates] == [c.text for c in result.candidates]
    for was, now in zip(result.candidates, read.candidates, strict=True):
        assert [s.distance for s in was.sentences] == [s.distance for s in now.sentences]
        assert [s.nearest and s.nearest.count for s in was.sentences] == [
            s.nearest and s.nearest.count for s in now.sentences
        ]
    observed = [row.__pydantic_extra__["observed"].value for row in read.ledger.rows]
    assert observed == [row.observed.value for row in result.ledger.rows]


def test_the_ledgers_numbers_are_told_by_their_shape() -> None:
    data = example()
    data["ledger"]["rows"][0]["something new"] = {"value": 3, "provenance": "counted"}
    entries = saved(data).ledger.rows[0].__pydantic_extra__
    assert isinstance(entries["something new"], SavedCount)
    assert isinstance(entries["dollars"], SavedDollars)
    assert entries["launched"] is True


Change = Callable[[dict[str, Any]], Any]

DAMAGE: list[tuple[str, Change]] = [
    ("candidates", lambda data: data.pop("candidates")),
    ("winner 9 is none of the candidates", lambda data: data.update(winner=9)),
    ("winner", lambda data: data.update(winner=True)),
    ("same number", lambda data: data["candidates"][1].update(number=0)),
    ("candidates.0.sentences.1.distance", lambda d: sentence(d).update(distance=1.5)),
    ("candidates.0.sentences.1.tokens", lambda d: sentence(d).update(tokens=10**30)),
    ("does not stand", lambda d: sentence(d).update(end=10**6)),
    ("does not stand", lambda d: sentence(d).update(start=0)),
    ("ledger.rows", lambda data: data["ledger"].update(rows="none")),
    ("observed", lambda data: data["ledger"]["rows"][0]["observed"].update(value=-1)),
    ("cannot be counted", lambda data: data["ledger"]["rows"][1]["observed"].update(value=None)),
    ("dollars", lambda d: d["ledger"]["rows"][0].update(dollars={"low": "NaN", "high": None})),
    ("dollars", lambda d: d["ledger"]["rows"][0].update(dollars={"low": "1E+999", "high": None})),
    ("candidates", lambda data: data.update(candidates=data["candidates"] * 400)),
]


def sentence(data: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = data["candidates"][0]["sentences"][1]
    return found


@pytest.mark.parametrize(("told", "change"), DAMAGE)
def test_damage_is_named_with_its_place(told: str, change: Change) -> None:
    data = example()
    change(data)
    with pytest.raises(ResultFormatError, match=r"r\.json is damaged") as error:
        parse_result(json.dumps(data), "r.json")
    assert told in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "is not whole JSON"),
        (b'{"format_version": 1, "report": ', "is not whole JSON"),
        (b"\xff\xfe\x00binary", "is not whole JSON"),
        (b"[" * 100_000, "is not whole JSON"),
        (b'{"format_version": 1, "study": "\\ud800"}', "is not whole JSON"),
        (b"null", "has no format_version"),
        (b"[1, 2]", "has no format_version"),
        (b'{"rows": []}', "has no format_version"),
        (b'{"format_version": "1"}', "has no format_version"),
        (b'{"format_version": true}', "has no format_version"),
        (b'{"format_version": 2}', "format 2; this sdr-decode reads 1: update sdr-decode"),
        (b'{"format_version": 0}', "format 0; this sdr-decode reads 1: write it again"),
        (b'{"format_version": ' + b"9" * 4000 + b"}", "a nonsense number"),
        (b'{"format_version": 1}', "is damaged: report: Field required"),
        (b" " * (MAX_BYTES + 1), "is larger than 32 MiB"),
    ],
)
def test_what_is_no_result_is_refused(content: bytes, told: str, tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    path.write_bytes(content)
    with pytest.raises(ResultFormatError) as error:
        read_result(path)
    assert told in str(error.value)
    assert "\n" not in str(error.value)


def test_keys_of_a_later_day_are_passed_over() -> None:
    data = example()
    data["later"] = {"a": 1}
    data["candidates"][0]["later"] = [1]
    assert saved(data) == saved()
