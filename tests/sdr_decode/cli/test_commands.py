"""The commands as a user runs them: what they print, write and exit with."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import PIL.Image
import pytest
from typer.testing import CliRunner, Result

from clients.recording import RecordedCandidate, RecordedStudy, RecordingWriter, Reference
from sdr_decode.cli.app import app
from tests.fake_encoder import FakeEncoder
from tests.scripted_client import words

CLEAR = "Findings: The lungs are clear. Heart size is normal.\nImpression: No acute disease."
ODD = "Findings: Purple elephants. They sing loudly to all.\nImpression: Nonsense beyond words."

Run = Callable[..., Result]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setattr("sdr_decode.measure.load_encoder", lambda name: FakeEncoder())
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)

    def run(*words: object) -> Result:
        return CliRunner().invoke(app, [str(word) for word in words])

    return run


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    reference = Reference("The lungs are clear. Heart size is normal.", "No acute disease.")
    odd, clear = (RecordedCandidate(tuple(words(text))) for text in (ODD, CLEAR))
    path = tmp_path / "two.jsonl.gz"
    with RecordingWriter(path) as writer:
        writer.write(RecordedStudy("A", "", reference, (odd, clear)))
        writer.write(RecordedStudy("B", "", reference, (clear, odd)))
    return path


@pytest.fixture
def image(tmp_path: Path) -> Path:
    path = tmp_path / "image.png"
    PIL.Image.fromarray(np.zeros((8, 8), np.uint8)).save(path)
    return path


def refused(result: Result, message: str) -> None:
    assert result.exit_code == 2
    assert message in result.stderr
    assert "Traceback" not in result.output
    assert len(result.stderr.strip().splitlines()) == 1


def test_generate_prints_the_winner_and_the_ledger_and_writes_the_result(
    run: Run, index: Path, recording: Path, image: Path, tmp_path: Path
) -> None:
    written = tmp_path / "result.json"
    result = run(
        *("generate", image, "--index", index, "--client", f"recorded:{recording}", "--k", 2),
        *("--study", "A", "--json", written),
    )
    assert result.exit_code == 0, result.output
    assert "candidate 0 pruned at" in result.stdout
    assert "Findings: The lungs are clear. Heart size is normal." in result.stdout
    assert "saved" in result.stdout
    assert "does not look at the images" in result.stdout
    data = json.loads(written.read_text("utf-8"))
    assert data["winner"] == 1
    assert data["ledger"]["avoided"]["provenance"] == "counted"


def test_generate_without_a_valid_candidate_exits_with_3(
    run: Run, index: Path, tmp_path: Path
) -> None:
    path = tmp_path / "cut.jsonl"
    with RecordingWriter(path) as writer:
        cut = RecordedCandidate(tuple(words(CLEAR)), "length")
        writer.write(RecordedStudy("A", "", None, (cut,)))
    result = run("generate", "--index", index, "--client", f"recorded:{path}", "--k", 1)
    assert result.exit_code == 3
    assert "no candidate is valid" in " ".join(result.stdout.split())


def test_replay_writes_a_row_for_every_combination(
    run: Run, index: Path, recording: Path, tmp_path: Path
) -> None:
    written = tmp_path / "rows.json"
    result = run(
        *("replay", recording, "--index", index, "--k", 2, "--prune", "none"),
        *("--prune", "margin:0.02", "--select", "corpus", "--select", "random:1"),
        *("--json", written),
    )
    assert result.exit_code == 0, result.output
    rows = json.loads(written.read_text("utf-8"))["rows"]
    assert [(row["prune"], row["select"]) for row in rows] == [
        ("none", "corpus"),
        ("none", "random:1"),
        ("margin:0.02", "corpus"),
        ("margin:0.02", "random:1"),
    ]
    # The format is public: these keys, in this order.
    assert (
        list(rows[0])
        == (
            "k prune select launch studies tokens_full tokens_generated saved same_winner "
            "same_distance token_f1 token_f1_random token_f1_full sdr sdr_random sdr_full "
            "prompts_launched prompts_full"
        ).split()
    )
    assert "margin:0.02" in result.stdout


def test_the_files_written_are_the_same_bytes_every_time(
    run: Run, index: Path, recording: Path, tmp_path: Path
) -> None:
    contents = []
    for name in ("first", "second"):
        rows, result = tmp_path / f"{name}-rows.json", tmp_path / f"{name}.json"
        run("replay", recording, "--index", index, "--k", 2, "--json", rows)
        client = ("--client", f"recorded:{recording}", "--study", "B", "--k", 2)
        run("generate", "--index", index, *client, "--seed", 3, "--json", result)
        contents.append((rows.read_bytes(), result.read_bytes()))
    assert contents[0] == contents[1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--k", 0), "k is 0"),
        (("--k", 9), "holds 2 candidates"),
        (("--prune", "often"), "known: all, any, calibrated, halving, language, lossless"),
        (
            ("--select", "best"),
            "known: blend, consensus, corpus, corpus-hausdorff, findings-guard",
        ),
        (("--launch", "late"), "known: auto, parallel, shared, staged, warm-first"),
        (("--index", "nowhere.sdr"), "nowhere.sdr"),
    ],
)
def test_options_that_cannot_be_used_are_one_sentence(
    run: Run, index: Path, recording: Path, tmp_path: Path, options: tuple[str, ...], message: str
) -> None:
    written = tmp_path / "out.json"
    base = ("--index", index, "--json", written)
    refused(run("replay", recording, *base, *options), message)
    client = ("--client", f"recorded:{recording}", "--study", "A")
    refused(run("generate", *base, *client, *options), message)
    assert not written.exists()


@pytest.mark.parametrize(
    ("client", "message"),
    [
        ("gpt:4", "unknown client 'gpt'; known: demo"),
        ("openai:gpt-4o-mini", "OPENAI_API_KEY"),
        ("recorded:nowhere.jsonl", "nowhere.jsonl"),
        ("recorded", "recorded:FILE"),
    ],
)
def test_clients_that_cannot_be_used_are_one_sentence(
    run: Run, index: Path, client: str, message: str
) -> None:
    refused(run("generate", "--index", index, "--client", client), message)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("notes.png", b"no image, just words\n", "looks like text"),
        ("cut.png", b"\x89PNG\r\n\x1a\n" + b"\0" * 20, "cut.png"),
        ("empty.png", b"", "empty"),
        ("pointer.png", b"version https://git-lfs.github.com/spec/v1\n", "Git LFS"),
        (None, b"", "no_such.png"),
    ],
)
def test_images_that_cannot_be_read_are_one_sentence(
    run: Run, index: Path, tmp_path: Path, name: str | None, content: bytes, message: str
) -> None:
    image = tmp_path / (name or "no_such.png")
    if name is not None:
        image.write_bytes(content)
    refused(run("generate", image, "--index", index, "--client", "demo"), message)


def test_a_server_that_is_not_there_is_named(run: Run, index: Path, image: Path) -> None:
    # Port 9 of the loopback is the discard service, which nothing serves here.
    client = "openai:any,base_url=http://127.0.0.1:9/v1"
    result = run("generate", image, "--index", index, "--client", client, "--k", 2)
    refused(result, "no connection to http://127.0.0.1:9/v1")


def test_a_broken_line_is_named_by_its_number(run: Run, index: Path, tmp_path: Path) -> None:
    path = tmp_path / "broken.jsonl"
    good = '{"study": "A", "prompt": "", "candidates": [{"text": "Hm.", "finish_reason": "stop"}]}'
    path.write_text(f"{good}\n{{broken\n")
    refused(run("replay", path, "--index", index, "--k", 1), "line 2")
    refused(run("generate", "--index", index, "--client", f"recorded:{path}"), "line 2")


def test_a_result_is_written_though_nobody_reads_the_output(
    index: Path, recording: Path, tmp_path: Path
) -> None:
    """As in ``sdr-decode generate ... --json FILE | true``, in a process of its own."""
    script = (
        "import sdr_decode.measure, tests.fake_encoder as fake\n"
        "sdr_decode.measure.load_encoder = lambda name: fake.FakeEncoder()\n"
        "from sdr_decode.cli import main\n"
        "main()\n"
    )
    read, write = os.pipe()
    os.close(read)
    written = tmp_path / "result.json"
    options = ("--client", f"recorded:{recording}", "--study", "A", "--k", "2", "--json", written)
    ended = subprocess.run(
        [sys.executable, "-c", script, "generate", "--index", index, *options],
        stdout=write,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    os.close(write)
    assert "Traceback" not in ended.stderr
    assert json.loads(written.read_text("utf-8"))["winner"] == 1


def test_a_device_is_written_to_and_never_replaced(
    run: Run, index: Path, recording: Path, tmp_path: Path
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        result = run("replay", recording, "--index", index, "--k", 2, "--json", pipe)
        assert result.exit_code == 0, result.output
        assert json.loads(os.read(reader, 1 << 16))["rows"]
    finally:
        os.close(reader)
    assert pipe.is_fifo()
    kept = ("--embeddings", pipe)
    refused(run("replay", recording, "--index", index, "--k", 2, *kept), "a device or a pipe")


def test_a_link_is_followed_and_stays(
    run: Run, index: Path, recording: Path, tmp_path: Path
) -> None:
    link, target = tmp_path / "link.json", tmp_path / "target.json"
    target.write_text("old")
    link.symlink_to(target)
    run("replay", recording, "--index", index, "--k", 2, "--json", link)
    assert link.is_symlink()
    assert json.loads(target.read_text("utf-8"))["rows"]


def test_replay_says_where_nothing_is_valid(run: Run, index: Path, tmp_path: Path) -> None:
    path = tmp_path / "cut.jsonl"
    with RecordingWriter(path) as writer:
        cut = RecordedCandidate(tuple(words(CLEAR)), "length")
        writer.write(RecordedStudy("A", "", None, (cut,)))
    assert (
        "in 1 studies no candidate is valid"
        in run("replay", path, "--index", index, "--k", 1).stdout
    )


def test_an_output_folder_that_is_not_there_is_one_sentence(
    run: Run, index: Path, recording: Path, tmp_path: Path
) -> None:
    rows = ("--json", tmp_path / "missing" / "rows.json")
    refused(run("replay", recording, "--index", index, "--k", 2, *rows), "does not exist")
    # Nothing is spent on a result that could not be written: the server is never asked.
    client = ("--client", "openai:any,base_url=http://127.0.0.1:9/v1")
    refused(run("generate", "--index", index, *client, *rows), "does not exist")
