"""Ratings in a file."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from pathlib import Path

import pytest

from sdr_decode.errors import RewardError
from sdr_decode.rewards.judge import Judge
from sdr_decode.rewards.judge.cache import RatingCache, cache_key
from sdr_decode.rewards.judge.rating import rating_from_weights
from tests.scripted_client import ScriptedClient
from tests.sdr_decode.rewards.judge.speaking import REPORT, scripted

RATING = rating_from_weights({4: 0.7, 5: 0.3})


def test_a_rating_comes_back_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "ratings.jsonl"
    RatingCache(path).put("k", RATING)
    assert RatingCache(path).get("k") == RATING
    assert RatingCache(path).get("other") is None


async def test_a_second_run_asks_nothing_and_the_file_holds_no_report(tmp_path: Path) -> None:
    path = tmp_path / "ratings.jsonl"
    client = ScriptedClient(scripted("4", {"4": 1.0}))
    first = await Judge(client, reference=None, cache=path)(completions=[REPORT])
    again = ScriptedClient()
    assert await Judge(again, reference=None, cache=path)(completions=[REPORT]) == first == [0.75]
    assert not again.requests
    assert "lungs" not in path.read_text()


@pytest.mark.parametrize(
    "line",
    [
        "{", "null", "[]", '{"key": "x"}', '{"key": 1, "probabilities": [0, 0, 0, 0, 1]}',
        '{"key": "x", "probabilities": [1]}', '{"key": "x", "probabilities": [0, 0, 0, 0, NaN]}',
        '{"key": "x", "probabilities": [2, 0, 0, 0, -1]}', "\udcff\udcfe",
    ],
)  # fmt: skip
def test_a_damaged_line_is_told_once_and_skipped(
    tmp_path: Path, line: str, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "ratings.jsonl"
    RatingCache(path).put("k", RATING)
    damaged = path.read_bytes() + line.encode("utf-8", "surrogateescape") + b"\n"
    path.write_bytes(damaged)
    RatingCache(path).put("after", RATING)
    caplog.clear()
    with caplog.at_level(logging.WARNING):
        cache = RatingCache(path)
    (record,) = caplog.records
    assert "line 2 is not a rating and was skipped" in record.getMessage()
    assert (cache.get("k"), cache.get("after"), len(cache)) == (RATING, RATING, 2)
    assert path.read_bytes().startswith(damaged)


def test_a_line_that_broke_off_does_not_take_the_next_with_it(tmp_path: Path) -> None:
    path = tmp_path / "ratings.jsonl"
    path.write_text('{"key": "half", "proba')
    RatingCache(path).put("k", RATING)
    assert RatingCache(path).get("k") == RATING


def test_processes_can_share_a_file(tmp_path: Path) -> None:
    path = tmp_path / "ratings.jsonl"
    program = (
        "import sys; from sdr_decode.rewards.judge.cache import RatingCache\n"
        "from sdr_decode.rewards.judge.rating import LOWEST\n"
        "cache = RatingCache(sys.argv[1])\n"
        "for number in range(200): cache.put(f'{sys.argv[2]}-{number}', LOWEST)"
    )
    running = [
        subprocess.Popen([sys.executable, "-c", program, str(path), name]) for name in ("a", "b")
    ]
    assert [process.wait(60) for process in running] == [0, 0]
    lines = [json.loads(line)["key"] for line in path.read_text().splitlines()]
    assert sorted(lines) == sorted(f"{name}-{at}" for name in ("a", "b") for at in range(200))


def test_a_path_that_cannot_be_used(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "absent" / "ratings.jsonl"):
        with pytest.raises(RewardError, match="cannot be kept"):
            RatingCache(path)


def test_a_key_depends_on_every_part_and_on_their_order() -> None:
    parts = [
        ("a", "b"),
        ("b", "a"),
        ("ab",),
        ("a", None),
        ("a", "None"),
        ("a",),
        ("a", 1),
        ("a", "1"),
    ]
    assert len({cache_key(*each) for each in parts}) == len(parts)
