"""``sdr-decode plan --recording``: expectations that are measured, not assumed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from clients.recording import RecordedCandidate, RecordedStudy, RecordingWriter
from sdr_decode.cli.app import app
from sdr_decode.defaults import DEFAULT_PRUNE
from tests.fake_encoder import FakeEncoder
from tests.scripted_client import words

CLEAR = "Findings: The lungs are clear. Heart size is normal.\nImpression: No acute disease."
ODD = "Findings: Purple elephants. They sing loudly to all.\nImpression: Nonsense beyond words."
HEARD = len(words("Findings: The lungs are clear. Heart"))
"""How far the odd one comes, side by side with the clear one."""

Plan = Callable[..., Result]


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    odd, clear = (RecordedCandidate(tuple(words(text))) for text in (ODD, CLEAR))
    path = tmp_path / "two.jsonl.gz"
    with RecordingWriter(path) as writer:
        writer.write(RecordedStudy("A", "", None, (odd, clear)))
        writer.write(RecordedStudy("B", "", None, (clear, odd)))
    return path


@pytest.fixture
def plan(monkeypatch: pytest.MonkeyPatch) -> Plan:
    monkeypatch.setattr("sdr_decode.measure.load_encoder", lambda name: FakeEncoder())
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)

    def plan(*words: object) -> Result:
        asked = ("plan", "--client", "openai:gpt-4o-mini", "--size", "1024x1024", "--k", 2)
        return CliRunner().invoke(app, [str(word) for word in (*asked, *words)])

    return plan


def test_what_is_expected_is_measured(
    plan: Plan, index: Path, recording: Path, tmp_path: Path
) -> None:
    written = tmp_path / "plan.json"
    result = plan("--recording", recording, "--index", index, "--json", written)
    assert result.exit_code == 0, result.output
    data = json.loads(written.read_text())
    clear, odd = len(words(CLEAR)), len(words(ODD))
    pruned = (odd - HEARD) / (clear + odd)
    assert data["measured"] == {
        "studies": 2,
        "tokens": (clear + odd) / 2,
        "pruned": pytest.approx(pruned),
        # Study A needs both candidates, study B is content with its first.
        "launches": 1.5,
    }
    assert data["expected_launches"] == 1.5
    assert data["expected_tokens"] == (clear + odd) / 2
    assert data["expected_pruned"] == pytest.approx(pruned)
    row = next(line for line in result.stdout.splitlines() if line.startswith("staged launch"))
    assert row.split()[2] == "1.50"
    assert not any("is an assumption" in remark for remark in data["remarks"])
    assert f"Measured on 2 studies of two.jsonl.gz, K = 2, {DEFAULT_PRUNE}: " in result.stdout
    assert "1.50 of 2 prompts sent by staged:1,accept=0.03." in result.stdout


def test_what_is_given_comes_before_what_is_measured(
    plan: Plan, index: Path, recording: Path, tmp_path: Path
) -> None:
    written = tmp_path / "plan.json"
    given = ("--expected-tokens", 80, "--expected-launches", 2, "--prune", "none")
    result = plan("--recording", recording, "--index", index, *given, "--json", written)
    assert result.exit_code == 0, result.output
    data = json.loads(written.read_text())
    assert (data["expected_tokens"], data["expected_launches"]) == (80, 2)
    assert data["expected_pruned"] == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "give --index NAME.sdr"),
        (("--index", "none.sdr"), "none.sdr"),
        (("--index", "INDEX", "--prune", "often"), "unknown prune policy 'often'"),
        (("--index", "INDEX", "--k", 3), "holds 2 candidates"),
    ],
)
def test_what_cannot_be_measured_is_one_sentence(
    plan: Plan, index: Path, recording: Path, words: tuple[object, ...], message: str
) -> None:
    given = [index if word == "INDEX" else word for word in words]
    result = plan("--recording", recording, *given)
    assert result.exit_code == 2
    assert message in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


def test_a_recording_without_output_measures_nothing(
    plan: Plan, index: Path, tmp_path: Path
) -> None:
    path = tmp_path / "empty.jsonl"
    with RecordingWriter(path) as writer:
        writer.write(RecordedStudy("A", "", None, (RecordedCandidate(()),) * 2))
    result = plan("--recording", path, "--index", index)
    assert result.exit_code == 2
    assert "holds no output" in result.stderr


def test_a_replay_cannot_choose_for_a_client(plan: Plan, index: Path, recording: Path) -> None:
    asked = ("replay", recording, "--index", index, "--launch", "auto", "--k", 2)
    result = CliRunner().invoke(app, [str(word) for word in asked])
    assert result.exit_code == 2
    assert "name a plan, such as parallel or shared" in result.stderr
