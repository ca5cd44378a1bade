"""``sdr-decode calibrate`` as a user runs it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from clients.recording import recording_fingerprint
from sdr_decode.calibration.file import read_calibration
from sdr_decode.cli.app import app
from tests.fake_encoder import FakeEncoder
from tests.sdr_decode.calibration.made import record

Run = Callable[..., Result]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setattr("sdr_decode.measure.load_encoder", lambda name: FakeEncoder())

    def run(*words: object) -> Result:
        return CliRunner().invoke(app, [str(word) for word in words])

    return run


CORPUS = ("--select", "corpus")


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    return record(tmp_path / "alike.jsonl.gz", 60)


@pytest.fixture
def output(tmp_path: Path) -> Path:
    return tmp_path / "calibration.json"


def refused(result: Result, message: str, output: Path) -> None:
    assert result.exit_code == 2, result.output
    assert message in result.stderr
    assert result.stderr.count("\n") == 1
    assert "Traceback" not in result.output
    assert not output.exists()


def test_the_most_saving_policy_is_written_and_used(
    run: Run, recording: Path, index: Path, output: Path
) -> None:
    result = run(
        "calibrate", recording, "--index", index, "--k", 2, *CORPUS, "--risk", 0.1, "-o", output
    )
    assert result.exit_code == 0, result.output
    found = read_calibration(output)
    # Nothing is ever lost, so that every policy is certified and the most saving one is taken.
    saved = {tried.spec: tried.saved for tried in found.policies}
    assert all(tried.level is not None and tried.risk == 0 for tried in found.policies)
    assert saved[found.prune] == max(saved.values())
    assert (found.k, found.studies, found.client, found.proved) == (2, 60, "model", False)
    assert found.recording.sha256 == recording_fingerprint(recording)
    assert found.promise in result.stdout
    assert "changes the winner in at most 0.1 of studies" in found.promise
    assert f"--prune calibrated:{output}" in result.stdout
    # Of each sequence the end is printed, the rest stands in the file.
    assert "margin:0,warmup=1" in result.stdout
    assert "margin:0.1,warmup=1" not in result.stdout

    replayed = output.with_name("rows.json")
    result = run(
        *("replay", recording, "--index", index, "--k", 2, "--json", replayed),
        *("--prune", f"calibrated:{output}", "--prune", found.prune),
    )
    assert result.exit_code == 0, result.output
    first, second = json.loads(replayed.read_text("utf-8"))["rows"]
    assert first["tokens_generated"] == second["tokens_generated"] < first["tokens_full"]
    assert first["saved"] == pytest.approx(saved[found.prune])


def test_the_same_input_gives_the_same_bytes(
    run: Run, recording: Path, index: Path, output: Path
) -> None:
    command = (
        "calibrate",
        recording,
        "--index",
        index,
        "--k",
        2,
        *CORPUS,
        "--loss",
        "quality",
        "-o",
    )
    again = output.with_name("again.json")
    assert run(*command, output).exit_code == run(*command, again).exit_code == 0
    assert output.read_bytes() == again.read_bytes()


def test_generate_says_where_it_differs(
    run: Run, recording: Path, index: Path, output: Path
) -> None:
    run("calibrate", recording, "--index", index, "--k", 2, *CORPUS, "--risk", 0.1, "-o", output)
    result = run(
        *("generate", "--index", index, "--client", f"recorded:{recording}", "--study", "S1"),
        *("--k", 1, "--prune", f"calibrated:{output}"),
    )
    assert result.exit_code == 0, result.output
    said = " ".join(result.stdout.split())
    assert "note: the calibration of" in said
    assert "K is 1, not 2" in said


def test_only_the_policies_given_are_tried(
    run: Run, recording: Path, index: Path, output: Path
) -> None:
    result = run(
        *("calibrate", recording, "--index", index, "--k", 2, *CORPUS, "--risk", 0.1, "-o", output),
        *("--sequence", "margin:0.3 margin:0.1", "--sequence", "threshold:0.2"),
    )
    assert result.exit_code == 0, result.output
    found = read_calibration(output)
    assert [sequence.specs for sequence in found.sequences] == [
        ("margin:0.3", "margin:0.1"),
        ("threshold:0.2",),
    ]
    assert [tried.spec for tried in found.policies] == [
        "lossless",
        "margin:0.3",
        "margin:0.1",
        "threshold:0.2",
    ]


def test_too_few_studies_leave_the_policy_that_is_lossless_by_proof(
    run: Run, tmp_path: Path, index: Path, output: Path
) -> None:
    few = record(tmp_path / "few.jsonl", 5)
    result = run("calibrate", few, "--index", index, "--k", 2, *CORPUS, "-o", output)
    assert result.exit_code == 0, result.output
    found = read_calibration(output)
    assert (found.prune, found.proved) == ("lossless", True)
    assert "by proof, not by test" in result.stdout


@pytest.mark.parametrize(
    "options", [("--select", "consensus"), ("--launch", "staged:1"), ("--select", "random:3")]
)
def test_where_nothing_is_certified_nothing_is_written(
    run: Run, tmp_path: Path, index: Path, output: Path, options: tuple[str, ...]
) -> None:
    few = record(tmp_path / "few.jsonl", 5)
    result = run("calibrate", few, "--index", index, "--k", 2, *CORPUS, "-o", output, *options)
    refused(result, "no policy can be certified at risk 0.05 with confidence 0.95 from 5", output)
    assert "that takes at least 77; record more, or allow a higher risk" in result.stderr


def test_a_first_policy_that_loses_is_named(
    run: Run, recording: Path, index: Path, output: Path
) -> None:
    result = run(
        *("calibrate", recording, "--index", index, "--k", 2, "-o", output, "--select", "shortest"),
        *("--sequence", "threshold:0", "--risk", 0.2),
    )
    refused(result, "of threshold:0; begin with more careful policies", output)


def test_a_recording_that_names_no_client_is_noted(
    run: Run, tmp_path: Path, index: Path, output: Path
) -> None:
    untold = record(tmp_path / "untold.jsonl", 60, source=None)
    command = ("calibrate", untold, "--index", index, "--k", 2, *CORPUS, "-o", output)
    result = run(*command)
    assert "does not say what client it came from" in " ".join(result.stdout.split())
    assert read_calibration(output).client is None
    result = run(*command, "--client", "openai:gpt-4o-mini")
    assert "does not say" not in result.stdout
    assert read_calibration(output).client == "openai:gpt-4o-mini"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--risk", "1.5"), "the risk is 1.5; expected a number above 0 and below 1"),
        (("--confidence", "1"), "the confidence is 1; expected a number between 0 and 1"),
        (("--clip", "0.5"), "the loss winner, which is 0 or 1"),
        (("--sequence", "  "), "found an empty sequence"),
        (("--sequence", "margin:0.1 magic:2"), "unknown prune policy 'magic'"),
        (("--select", "magic"), "unknown selector 'magic'"),
        (("--launch", "magic"), "unknown launch plan 'magic'"),
        (("--launch", "auto"), "auto"),
        (("--k", "3"), "holds 2 candidates"),
        (("--max-tokens", "5"), "holds a candidate of 12 tokens, and the token cap is 5"),
        (("--select", "longest", "--loss", "distance"), "does not minimise a distance"),
    ],
)
def test_bad_input_is_one_sentence(
    run: Run, recording: Path, index: Path, output: Path, options: tuple[str, ...], message: str
) -> None:
    command = ("calibrate", recording, "--index", index, "--k", 2, *CORPUS, "-o", output)
    refused(run(*command, *options), message, output)


def test_the_loss_quality_needs_references(
    run: Run, tmp_path: Path, index: Path, output: Path
) -> None:
    bare = record(tmp_path / "bare.jsonl", 60, reference=False)
    result = run(
        "calibrate", bare, "--index", index, "--k", 2, *CORPUS, "--loss", "quality", "-o", output
    )
    refused(result, "no recorded study has a reference", output)


def test_a_bad_calibration_is_one_sentence(
    run: Run, recording: Path, index: Path, output: Path
) -> None:
    result = run("replay", recording, "--index", index, "--k", 2, "--prune", f"calibrated:{output}")
    refused(result, "found no calibration at", output)
