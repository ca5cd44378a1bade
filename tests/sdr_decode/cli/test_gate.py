"""``--gate`` of generate and replay."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from clients.recording import RecordedCandidate, RecordedStudy, RecordingWriter, Reference
from sdr_decode.cli.app import app
from tests.fake_encoder import FakeEncoder
from tests.scripted_client import words

BARE = "The lungs are clear. Heart size is normal. No acute disease."
FAR = "Findings: Purple elephants.\nImpression: Nonsense beyond words."


@pytest.fixture
def recording(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("sdr_decode.measure.load_encoder", lambda name: FakeEncoder())
    path = tmp_path / "two.jsonl"
    candidates = tuple(RecordedCandidate(tuple(words(text))) for text in (BARE, FAR))
    with RecordingWriter(path) as writer:
        writer.write(RecordedStudy("A", "", Reference("Clear lungs.", "Clear."), candidates))
    return path


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_what_a_gate_refuses_does_not_win(recording: Path, index: Path, tmp_path: Path) -> None:
    common = ("--index", index, "--k", 2, "--prune", "none", "--json", tmp_path / "out.json")
    for gates, winner in (((), 0), (("--gate", "format"), 1)):
        result = run("generate", "--client", f"recorded:{recording}", *common, *gates)
        assert result.exit_code == 0, result.output
        assert json.loads((tmp_path / "out.json").read_text("utf-8"))["winner"] == winner
    rows = []
    for gates in ((), ("--gate", "format")):
        result = run("replay", recording, *common, *gates)
        assert result.exit_code == 0, result.output
        rows += json.loads((tmp_path / "out.json").read_text("utf-8"))["rows"]
    assert rows[0]["sdr_full"] != rows[1]["sdr_full"]


@pytest.mark.parametrize(
    ("gate", "message"),
    [
        ("unheard", "unknown reward 'unheard'"),
        ("sdr", "needs a reference"),
        ("format:at_least=much", "expected a number"),
    ],
)
def test_a_gate_that_cannot_be_used_is_refused_in_one_line(
    recording: Path, index: Path, gate: str, message: str
) -> None:
    for command in (("generate", "--client", f"recorded:{recording}"), ("replay", recording)):
        result = run(*command, "--index", index, "--k", 2, "--gate", gate)
        assert result.exit_code == 2
        assert message in result.stderr
        assert len(result.stderr.strip().splitlines()) == 1
