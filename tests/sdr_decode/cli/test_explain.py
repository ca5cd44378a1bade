"""``sdr-decode explain`` as a user runs it."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from sdr_decode.cli.app import app
from sdr_decode.explain import parse_result, render_page
from tests.sdr_decode.explain.example import HOSTILE, example, made_hostile


def run(*words: object) -> Result:
    return CliRunner().invoke(app, ["explain", *map(str, words)])


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "result.json"
    path.write_text(json.dumps(example()), "utf-8")
    return path


def test_it_prints_the_story_and_writes_the_page_beside_the_result(saved: Path) -> None:
    result = run(saved)
    assert result.exit_code == 0, result.output
    told = result.stdout
    places = [
        told.index(words)
        for words in (
            "Candidate 0 was chosen: least directed Chamfer distance",
            "Candidate 0: finished with 3 sentences, at 15 tokens (chosen)",
            "  0.0000 The lungs are clear. (in the corpus, 1,200 times)",
            "  0.0600 Mild odd haze. (nearest, 3 times: Mild haze.)",
            "Candidate 1: pruned after sentence 1, at 8 tokens: distance 0.3000",
            "  0.3000 Purple elephants sing. (no corpus sentence to compare with)",
            "Candidate 2: invalid with 0 sentences, at 7 tokens: truncated",
            "candidate  state",
            "23 or more",
            "note: the client demo does not look at the images",
        )
    ]
    assert places == sorted(places)
    page = saved.with_suffix(".html")
    assert f"page: {page}" in told
    assert page.read_text("utf-8") == render_page(parse_result(saved.read_bytes()))


def test_the_page_goes_where_it_is_told(saved: Path, tmp_path: Path) -> None:
    page = tmp_path / "other.htm"
    assert run(saved, "-o", page).exit_code == 0
    assert page.exists()
    assert not saved.with_suffix(".html").exists()


@pytest.mark.parametrize("words", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_texts_do_nothing_to_a_terminal(words: str, saved: Path) -> None:
    saved.write_text(json.dumps(made_hostile(words)), "utf-8")
    result = run(saved)
    assert result.exit_code == 0, result.output
    assert not set(result.stdout) & set("\x1b\x00\u202e\u2066\u200b\ufeff\r")


@pytest.mark.parametrize("content", ["", "{", '{"rows": []}', '{"format_version": 99}'])
def test_no_result_is_one_sentence_and_no_page(content: str, saved: Path) -> None:
    saved.write_text(content, "utf-8")
    result = run(saved)
    assert result.exit_code == 2
    assert len(result.stderr.strip().splitlines()) == 1
    assert str(saved) in result.stderr
    assert result.stdout == ""
    assert list(saved.parent.iterdir()) == [saved]


def test_an_old_page_outlives_a_failure(saved: Path) -> None:
    run(saved)
    page = saved.with_suffix(".html")
    before = page.read_bytes()
    saved.write_text("{", "utf-8")
    assert run(saved).exit_code == 2
    assert page.read_bytes() == before


@pytest.mark.parametrize("given", ["absent.json", "."])
def test_what_cannot_be_read_is_one_sentence(given: str, tmp_path: Path) -> None:
    result = run(tmp_path / given, "-o", tmp_path / "page.html")
    assert result.exit_code == 2
    assert len(result.stderr.strip().splitlines()) == 1
    assert not (tmp_path / "page.html").exists()


def test_a_page_that_cannot_be_written_is_one_sentence(saved: Path, tmp_path: Path) -> None:
    result = run(saved, "-o", tmp_path / "absent" / "page.html")
    assert result.exit_code == 2
    assert "the folder for this file does not exist" in result.stderr


def test_the_result_is_never_replaced_by_its_page(saved: Path, tmp_path: Path) -> None:
    text = saved.read_text("utf-8")
    (tmp_path / "link.html").symlink_to(saved)
    misnamed = tmp_path / "result.html"
    misnamed.write_text(text, "utf-8")
    for arguments in ((saved, "-o", saved), (saved, "-o", tmp_path / "link.html"), (misnamed,)):
        result = run(*arguments)
        assert result.exit_code == 2
        assert "would replace" in result.stderr
        assert len(result.stderr.strip().splitlines()) == 1
    assert saved.read_text("utf-8") == misnamed.read_text("utf-8") == text


def test_a_pipe_needs_a_name_for_its_page(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    result = run(pipe)
    assert result.exit_code == 2
    assert "-o" in result.stderr
