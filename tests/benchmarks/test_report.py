from __future__ import annotations

import gzip
import json
from itertools import islice
from pathlib import Path

import pytest

from benchmarks.contenders import Entry
from benchmarks.markdown import Report
from benchmarks.report import main, run
from clients.recording import RecordedCandidate, RecordedStudy, RecordingWriter, Reference
from tests.data import real_data
from tests.fake_encoder import FakeEncoder
from tests.scripted_client import words

GOOD = "Findings: The lungs are clear. Heart size is normal.\nImpression: No acute disease."
EFFUSION = "Findings: There is a small effusion.\nImpression: Small left effusion."
ODD = "Findings: Purple elephants. They sing loudly to all.\nImpression: Nonsense beyond words."

GRID = (
    Entry(("none", "margin:0.02"), ("parallel", "staged:1,accept=0.02"), ("corpus", "consensus")),
    Entry(("speculative-rejection:0.5",), ("parallel",), ("corpus",)),
    Entry(("st-bon",), ("parallel",), ("st-bon",)),
    Entry(("deepconf:0.9",), ("after-warm-up",), ("deepconf",)),
    Entry(("none",), ("parallel",), ("log-probability",)),
)
SEARCH = (Entry(("margin:0", "margin:0.02"), ("parallel", "staged:1"), ("corpus",)),)


def candidate(text: str, logprob: float) -> RecordedCandidate:
    pieces = tuple(words(text))
    return RecordedCandidate(pieces, logprobs=(logprob,) * len(pieces))


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("bench") / "few.jsonl.gz"
    normal = Reference("The lungs are clear. Heart size is normal.", "No acute disease.")
    abnormal = Reference("There is a small effusion.", "Small left effusion.")
    with RecordingWriter(path) as writer:
        for number in range(8):
            texts = (ODD, GOOD, EFFUSION, GOOD) if number % 2 else (EFFUSION, ODD, GOOD, ODD)
            candidates = tuple(candidate(t, -0.1 * at) for at, t in enumerate(texts))
            reference = normal if number % 2 else abnormal
            writer.write(RecordedStudy(f"study {number}", "", reference, candidates))
    return path


def report(recording: Path, index: Path, folder: Path) -> Report:
    return run(
        recording,
        index,
        folder,
        encoder=FakeEncoder(),
        sizes=(2, 4),
        grid=GRID,
        search=SEARCH,
        resamples=200,
        command="the command",
    )


def test_the_report_holds_every_contender_and_the_lines(
    index: Path, recording: Path, tmp_path: Path
) -> None:
    made = report(recording, index, tmp_path)
    assert made.tuning + made.reported == 8
    by_name = {(r.k, r.prune, r.launch, r.select): r for r in made.rows}
    full = by_name[4, "none", "parallel", "corpus"]
    assert (full.saved.value, full.same_winner, full.distance_regret) == (0.0, 1.0, 0.0)
    assert full.difference["token_f1"].value == 0.0
    pruned = by_name[4, "margin:0.02", "parallel", "corpus"]
    assert pruned.saved.value is not None
    assert 0.0 < pruned.saved.value < 1.0
    assert pruned.saved.low is not None
    assert pruned.saved.low <= pruned.saved.value
    staged = by_name[4, "none", "staged:1,accept=0.02", "corpus"]
    assert staged.prompts < 4.0 == full.prompts
    assert full.steps == max(len(words(text)) for text in (GOOD, EFFUSION, ODD))
    line = made.lines[4]
    assert line.oracle["token_f1"] == 1.0
    assert line.random["token_f1"] is not None
    assert line.random["token_f1"] < 1.0
    assert line.oracle["names_any"] in (None, 1.0)
    text = (tmp_path / "RESULTS.md").read_text("utf-8")
    for words_of_it in ("the command", "speculative-rejection", "st-bon", "deepconf", "## Limits"):
        assert words_of_it in text
    data = json.loads((tmp_path / "results.json").read_text("utf-8"))
    assert len(data["rows"]) == len(made.rows)
    for plot in made.plots:
        assert (tmp_path / plot).read_bytes().startswith(b"\x89PNG")


def test_the_same_inputs_give_the_same_bytes(index: Path, recording: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        report(recording, index, tmp_path / name)
    for file in (tmp_path / "one").iterdir():
        assert file.read_bytes() == (tmp_path / "two" / file.name).read_bytes(), file.name


def test_a_slice_of_the_real_recording_is_reported(index: Path, tmp_path: Path) -> None:
    source = real_data("traces/standin_val.jsonl.gz")
    slice_of_it = tmp_path / "slice.jsonl.gz"
    with gzip.open(source, "rt", encoding="utf-8") as lines, gzip.open(slice_of_it, "wt") as out:
        out.writelines(islice(lines, 8))
    made = report(slice_of_it, index, tmp_path / "out")
    assert made.tuning > 0
    assert made.reported > 0
    full = [row for row in made.rows if (row.prune, row.launch) == ("none", "parallel")]
    assert {row.difference["token_f1"].value for row in full} == {0.0}


def test_bad_input_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    missing = str(tmp_path / "nothing.jsonl")
    assert main([missing, "--index", str(tmp_path / "no.sdr"), "-o", str(tmp_path / "out")]) == 2
    assert capsys.readouterr().err.startswith("error: ")
