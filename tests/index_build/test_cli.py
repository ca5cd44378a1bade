from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import Result
from rich.console import Console
from typer.testing import CliRunner

from index_build import display
from index_build.builder import BuildSummary
from index_build.cli.app import app
from index_build.fetch import Fetched
from sdr_decode.errors import EncoderError
from tests.data import real_data
from tests.fake_encoder import FakeEncoder

TABLE = """study_id,findings,impression
s1,The lungs are clear. The heart is normal.,No acute disease.
s2,The lungs are clear. Small effusion on the left.,Left effusion.
s3,The lungs are clear.,
s4,The heart is large.,No acute disease.
"""


def run(*args: object) -> Result:
    return CliRunner().invoke(app, [str(arg) for arg in args])


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "reports.csv"
    path.write_text(TABLE)
    return path


@pytest.fixture(autouse=True)
def fake_encoder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("index_build.builder.load_encoder", lambda name: FakeEncoder())
    monkeypatch.setattr("sdr_decode.encoder.load_encoder", lambda name: FakeEncoder())
    monkeypatch.setattr("sdr_decode.encoder_files.find_encoder", Path)


@pytest.fixture
def index(table: Path, tmp_path: Path) -> Path:
    made = tmp_path / "small.sdr"
    result = run("build", table, "-o", made, "--require", "any")
    assert result.exit_code == 0, result.output
    return made


def lines(text: str) -> list[list[str]]:
    return [line.split() for line in text.splitlines()]


def test_build_says_what_it_took_and_left(table: Path, tmp_path: Path) -> None:
    splits = tmp_path / "splits.json"
    splits.write_text('{"val": ["s4"], "test": ["s9", "s2"]}')
    made = tmp_path / "small.sdr"
    result = run(
        *("build", table, "-o", made),
        *("--exclude-ids", f"{splits}#val", "--exclude-ids", f"{splits}#test"),
    )
    assert result.exit_code == 0, result.output
    said = lines(result.stdout)
    assert ["reports", "read", "4"] in said
    assert ["excluded", "2"] in said
    assert ["without", "both", "sections", "1"] in said
    assert ["reports", "kept", "1"] in said
    assert ["sentences", "3,", "3", "distinct"] in said
    size = sum(path.stat().st_size for path in made.iterdir())
    assert ["size", "on", "disk", f"{size / 1000:.1f}", "KB,", "float32"] in said
    assert "Warning: 1 of the 2 ids of" in result.stderr
    assert "reading reports" in result.stderr

    manifest = json.loads((made / "manifest.json").read_text())
    assert manifest["options"]["reader"] == "table"
    assert manifest["options"]["require"] == "both"
    assert manifest["options"]["exclude_ids"] == {"splits.json#val": 1, "splits.json#test": 2}
    assert manifest["options"]["reports_excluded"] == 2
    assert str(tmp_path) not in json.dumps(manifest)


def test_info_shows_the_counts_and_the_most_frequent_sentences(index: Path) -> None:
    result = run("info", index, "--top", 2)
    assert result.exit_code == 0
    assert ["reports", "4"] in lines(result.stdout)
    assert result.stdout.splitlines()[-2].split(maxsplit=2) == [
        *("3", "findings", "The lungs are clear.")
    ]
    assert "No acute disease." in result.stdout.splitlines()[-1]

    manifest = json.loads(run("info", index, "--json").stdout)
    assert manifest["counts"]["reports"] == 4


def test_query_looks_up_what_stands_there_without_an_encoder(
    index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_encoder(name: str) -> FakeEncoder:
        raise EncoderError("must not be loaded")

    monkeypatch.setattr("sdr_decode.encoder.load_encoder", no_encoder)
    result = run("query", index, "the lungs are clear", "-k", 2)
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines()[0] == "stands in the corpus 3 times: distance 0"
    assert result.stdout.splitlines()[2].split(maxsplit=3) == [
        *("0.0000", "3", "findings", "The lungs are clear.")
    ]
    assert len(result.stdout.splitlines()) == 4

    elsewhere = run("query", index, "the lungs are clear", "--section", "impression")
    assert elsewhere.exit_code == 0
    assert "stands" not in elsewhere.stdout
    assert len(elsewhere.stdout.splitlines()) == 1 + 2

    unknown = run("query", index, "A sentence that nobody wrote.")
    assert unknown.exit_code == 2
    assert unknown.stderr == "Error: must not be loaded\n"


def test_query_embeds_what_does_not_stand_there(index: Path) -> None:
    result = run("query", index, "A sentence that nobody wrote.", "-k", 99)
    assert result.exit_code == 0, result.output
    distances = [float(line.split()[0]) for line in result.stdout.splitlines()[1:]]
    assert len(distances) == 6
    assert distances == sorted(distances)
    assert distances[0] > 0


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["build", "{tmp}/absent.csv", "-o", "{tmp}/x.sdr"], "found no corpus at"),
        (["build", "{table}", "-o", "{tmp}/x.sdr", "--reader", "excel"], "known: mimic, openi"),
        (["build", "{table}", "-o", "{tmp}/x.sdr", "--id-column", "no"], "no column 'no'"),
        (["build", "{table}", "-o", "{tmp}/x.sdr", "--exclude-ids", "no"], "no file of ids"),
        (["build", "{table}", "-o", "{tmp}/x.sdr", "--exclude-ids", "{other}"], "none of the 1"),
        (["build", "{empty}", "-o", "{tmp}/x.sdr"], "corpus is empty"),
        (["build", "{findings}", "-o", "{tmp}/x.sdr"], "--require any"),
        (["build", "{twice}", "-o", "{tmp}/x.sdr"], "id 's1' twice"),
        (["build", "{table}", "-o", "{tmp}/x.sdr", "--require", "most"], "'most'"),
        (["build", "{table}", "-o", "{table}"], "reports.csv"),
        (["build", "{table}", "-o", "{tmp}/no/x.sdr"], "found no folder"),
        (["fetch", "openi", "-o", "{tmp}/no/x.tgz"], "found no folder"),
        (["info", "{tmp}/absent.sdr"], "absent.sdr"),
        (["info", "{table}"], "reports.csv"),
        (["query", "{tmp}/absent.sdr", "Clear."], "absent.sdr"),
        (["query", "{index}", " . "], "at least one word"),
        (["query", "{index}", "Clear.", "-k", "0"], "for '-k'"),
        (["query", "{index}", "Clear.", "--section", "history"], "history"),
        (["fetch", "encoder", "bert"], "known here: all-mpnet-base-v2, all-MiniLM-L6-v2"),
        (["fetch", "openi", "-o", "{table}"], "reports.csv is there and is not openi"),
        (["nonsense"], "nonsense"),
    ],
)
def test_bad_input_is_one_clear_error_and_nothing_written(
    args: list[str], message: str, table: Path, index: Path, tmp_path: Path
) -> None:
    places = {"tmp": tmp_path, "table": table, "index": index}
    for name, text in {
        "other": "s77",
        "empty": "findings,impression\n",
        "findings": "findings\nClear.\n",
        "twice": TABLE + "s1,Other.,Other.\n",
    }.items():
        places[name] = tmp_path / f"{name}.csv"
        places[name].write_text(text)
    before = sorted(tmp_path.rglob("*"))
    result = run(*(arg.format(**places) for arg in args))
    assert result.exit_code == 2
    assert message in result.stderr
    assert "Traceback" not in result.output
    assert result.stdout == ""
    assert sorted(tmp_path.rglob("*")) == before


def test_files_that_are_taken_for_no_report_are_counted(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    (corpus / "s1.txt").write_text("FINDINGS: Clear.\nIMPRESSION: No mass.")
    (corpus / "s2.txt").write_text(" \n" * 40_000)
    (corpus / "LICENSE.txt").write_text(" \n" * 400_000)
    result = run("build", corpus, "-o", tmp_path / "x.sdr")
    assert result.exit_code == 0, result.output
    said = [" ".join(line) for line in lines(result.stdout)]
    assert {"files of other names 1", "reports read 2", "without both sections 1"} < set(said)


def test_an_index_is_not_replaced_unless_told(table: Path, index: Path) -> None:
    again = run("build", table, "-o", index, "--require", "any")
    assert again.exit_code == 2
    assert "--overwrite" in again.stderr
    assert run("build", table, "-o", index, "--require", "any", "--overwrite").exit_code == 0


def test_ctrl_c_while_reading_leaves_nothing(
    table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(self: object, source: Path) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("index_build.readers.table.TableReader.read", interrupted)
    result = run("build", table, "-o", tmp_path / "x.sdr")
    assert result.exit_code == 130
    assert sorted(path.name for path in tmp_path.iterdir()) == ["reports.csv"]


def test_without_sections_all_sentences_are_pooled(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text('{"report": "The lungs are clear. The heart is normal."}\n')
    sectioned = run("build", path, "-o", tmp_path / "x.sdr")
    assert sectioned.exit_code == 2
    assert "1 are without both" in sectioned.stderr
    pooled = run("build", path, "-o", tmp_path / "x.sdr", "--no-sections")
    assert pooled.exit_code == 0, pooled.output
    assert ["without", "a", "section", "2"] in lines(pooled.stdout)


def test_fetching_prints_the_place_and_the_licence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []

    def fetched(pin: object, place: Path, **_: object) -> Fetched:
        asked.append(place)
        return Fetched(place, len(asked) == 1, "CC BY-NC-ND 4.0")

    monkeypatch.setattr("index_build.fetch.fetch_corpus", fetched)
    monkeypatch.setattr("index_build.fetch.fetch_encoder", fetched)
    monkeypatch.setenv("SDR_DECODE_HOME", str(tmp_path))
    first = run("fetch", "openi", "-o", tmp_path / "r.tgz")
    assert first.stdout == f"{tmp_path}/r.tgz: fetched and verified\nLicence: CC BY-NC-ND 4.0\n"
    assert "already there, and verified" in run("fetch", "encoder", "all-MiniLM-L6-v2").stdout
    assert asked == [tmp_path / "r.tgz", tmp_path / "encoders"]


def test_progress_is_a_bar_on_a_terminal_and_lines_elsewhere() -> None:
    def shown(terminal: bool) -> str:
        console = Console(file=io.StringIO(), force_terminal=terminal, width=100)
        with display.Progress(console) as progress:
            progress("read", 1, None)
            for done in range(0, 1001, 10):
                progress("embed", done, 1000)
            progress("write", 0, 1)
            progress("write", 1, 1)
        assert isinstance(console.file, io.StringIO)
        return console.file.getvalue()

    plain = shown(terminal=False)
    assert "\x1b" not in plain
    assert plain.splitlines() == [
        "reading reports",
        *(f"embedding sentences {done} of 1,000" for done in ("0", "250", "500", "750", "1,000")),
        "writing",
    ]
    assert "\x1b" in shown(terminal=True)
    assert "1000/1000" in shown(terminal=True)


def test_progress_moves_while_reports_are_read_whose_number_nobody_knows() -> None:
    now = 0.0
    console = Console(file=io.StringIO(), width=100)
    with display.Progress(console, clock=lambda: now) as progress:
        for done in range(1, 3501):
            now = done * 0.01
            progress("read", done, None)
    assert isinstance(console.file, io.StringIO)
    assert console.file.getvalue().splitlines() == [
        "reading reports",
        "reading reports: 1,000 so far",
        "reading reports: 2,000 so far",
        "reading reports: 3,000 so far",
    ]


def test_every_help_names_the_exit_codes() -> None:
    for command in ([], ["build"], ["fetch"], ["fetch", "openi"], ["info"], ["query"]):
        assert "130 interrupted" in " ".join(run(*command, "--help").stdout.split())


def test_the_command_starts_without_torch() -> None:
    code = (
        "import sys, index_build.cli.app\n"
        "sys.exit(any(name in sys.modules for name in ('torch', 'faiss')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_real_train_split(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    splits = real_data("openi/splits.json")
    seen: list[BuildSummary] = []
    show = display.print_summary
    monkeypatch.setattr(
        display,
        "print_summary",
        lambda *args, **kwargs: (seen.append(args[1]), show(*args, **kwargs)),
    )
    result = run(
        *("build", real_data("openi/NLMCXR_reports.tgz"), "-o", tmp_path / "openi.sdr"),
        *("--exclude-ids", f"{splits}#val", "--exclude-ids", f"{splits}#test"),
    )
    assert result.exit_code == 0, result.output
    assert seen[0].reports == 2533
    assert seen[0].reports_without_section == seen[0].over_long == 0
    assert 5000 < seen[0].sentences_distinct < seen[0].sentences_total < 20_000
    assert ["excluded", "886"] in lines(result.stdout)
    assert [path.name for path in tmp_path.iterdir()] == ["openi.sdr"]
