from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from index_build import atomic
from index_build.report import CorpusReport
from sdr_decode.corpus import Corpus
from sdr_decode.errors import CorpusError, EncoderError
from sdr_decode.sentences import as_embedded
from tests.fake_encoder import FakeEncoder
from tests.small_corpus import REPORTS, build_small


def names(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


def test_every_distinct_sentence_stands_once_with_its_counts(tmp_path: Path) -> None:
    summary = build_small(tmp_path)
    corpus = Corpus.open(tmp_path / "small.sdr")

    row = corpus.lookup("lungs are clear")
    assert row == 0, "the most frequent sentence comes first"
    assert corpus.text(row) == "Lungs are clear."
    assert (corpus.count(row), corpus.count(row, "findings"), corpus.count(row, "impression")) == (
        5,
        5,
        0,
    )
    effusion = corpus.lookup("small left effusion")
    assert effusion is not None
    assert (corpus.count(effusion, "findings"), corpus.count(effusion, "impression")) == (1, 1)
    assert (summary.reports, summary.sentences_distinct, summary.sentences_total) == (5, 7, 13)
    assert (summary.findings, summary.impression, summary.unsectioned) == (8, 4, 1)
    assert (summary.fragments_dropped, summary.reports_without_section) == (2, 0)
    assert summary.bytes == sum(f.stat().st_size for f in (tmp_path / "small.sdr").iterdir())
    assert corpus.counts.model_dump().items() >= {"sentences_total": 13, "reports": 5}.items()


def test_reports_are_kept_as_rows_in_order(tmp_path: Path) -> None:
    build_small(tmp_path)
    corpus = Corpus.open(tmp_path / "small.sdr")
    reports = {report.id: report for report in corpus.reports()}

    assert [corpus.text(row) for row in reports["r2"].findings] == [
        "Lungs are clear.",
        "Lungs are clear.",
        "Small left effusion.",
    ]
    assert [corpus.text(row) for row in reports["r5"].unsectioned] == ["Stable chest."]
    assert next(corpus.report_texts()) == (
        "Findings: The heart is normal in size. Lungs are clear.\nImpression: No acute disease."
    )
    assert list(corpus.report_texts())[4] == "Stable chest.\nFindings: Cardiomegaly."


def test_each_distinct_sentence_is_embedded_once_in_its_normalised_form(tmp_path: Path) -> None:
    encoder = FakeEncoder()
    build_small(tmp_path, encoder=encoder)
    corpus = Corpus.open(tmp_path / "small.sdr")

    embedded = [text for batch in encoder.batches for text in batch]
    assert len(embedded) == len(set(embedded)) == len(corpus)
    assert "lungs are clear." in embedded
    row = corpus.lookup("cardiomegaly")
    assert row is not None
    np.testing.assert_array_equal(
        corpus.vector(row), FakeEncoder().encode([as_embedded("cardiomegaly")])[0]
    )


def test_the_form_seen_first_wins_a_tie(tmp_path: Path) -> None:
    build_small(tmp_path, [CorpusReport("a", "CLEAR LUNGS. Clear lungs.")])
    assert Corpus.open(tmp_path / "small.sdr").text(0) == "CLEAR LUNGS."


@pytest.mark.parametrize("precision", ["float32", "float16"])
def test_the_same_corpus_gives_the_same_bytes(tmp_path: Path, precision: str) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        build_small(tmp_path / name, precision=precision)
    for name in ("sentences.parquet", "reports.parquet", "vectors.faiss"):
        one, two = (tmp_path / n / "small.sdr" / name for n in ("one", "two"))
        assert one.read_bytes() == two.read_bytes()


def test_the_manifest_says_what_is_in_the_index(tmp_path: Path) -> None:
    options: dict[str, object] = {"source": Path("reports.csv")}

    def reading() -> Iterator[CorpusReport]:
        yield from REPORTS
        options["excluded_ids"] = 3  # known only when the corpus has been read

    build_small(tmp_path, reading(), options=options)
    manifest = json.loads((tmp_path / "small.sdr" / "manifest.json").read_text())
    assert manifest["format_version"] == 1
    assert manifest["encoder"]["name"] == "fake"
    assert manifest["metric"] == "cosine distance (1 - a·b)/2"
    assert manifest["options"] == {"source": "reports.csv", "excluded_ids": 3, "sections": True}
    assert set(manifest["files"]) == {"sentences.parquet", "reports.parquet", "vectors.faiss"}


def test_progress_is_told_to_the_end(tmp_path: Path) -> None:
    told: list[tuple[str, int, int | None]] = []
    build_small(tmp_path, progress=lambda *step: told.append(step))
    assert ("read", 5, None) in told
    assert ("embed", 7, 7) in told
    assert told[-1] == ("write", 1, 1)


def test_over_long_sentences_are_counted(tmp_path: Path) -> None:
    summary = build_small(tmp_path, encoder=FakeEncoder(max_tokens=3))
    assert summary.over_long == 1
    assert summary.over_long_texts == ("the heart is normal in size.",)
    assert Corpus.open(tmp_path / "small.sdr").counts.over_long == 1


def test_without_sections_every_sentence_compares_with_all(tmp_path: Path) -> None:
    reports = [CorpusReport("a", text="Clear lungs. Normal heart.")]
    with pytest.raises(CorpusError, match="pass --no-sections"):
        build_small(tmp_path, reports)
    assert names(tmp_path) == []
    summary = build_small(tmp_path, reports, sections=False)
    assert (summary.unsectioned, summary.findings, summary.impression) == (2, 0, 0)
    corpus = Corpus.open(tmp_path / "small.sdr")
    assert corpus.stands_in(0, "findings")
    assert corpus.stands_in(0, "impression")


@pytest.mark.parametrize(
    ("reports", "message"),
    [
        ([], "the corpus is empty"),
        ([CorpusReport("a", "XXXX. XXXX XXXX.")], r"no sentence in the 1 reports .*2 fragments"),
        (
            [
                CorpusReport("a", "Clear.", source="x.csv line 2"),
                CorpusReport("a", "Clear.", source="x.csv line 9"),
            ],
            r"'a' stands twice in the corpus \(x.csv line 2 and x.csv line 9\)",
        ),
        ([CorpusReport("a", "Clear."), CorpusReport("a", "Clear.")], "'a' stands twice"),
    ],
)
def test_a_corpus_that_cannot_become_an_index_leaves_nothing(
    tmp_path: Path, reports: list[CorpusReport], message: str
) -> None:
    with pytest.raises(CorpusError, match=message):
        build_small(tmp_path, reports)
    assert names(tmp_path) == []


def test_an_unknown_precision_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="known: float32, float16"):
        build_small(tmp_path, precision="int8")


def test_an_encoder_that_fails_leaves_nothing(tmp_path: Path) -> None:
    class Failing(FakeEncoder):
        def encode(self, texts: object) -> object:
            raise EncoderError("no vector")

    with pytest.raises(EncoderError, match="no vector"):
        build_small(tmp_path, encoder=Failing())
    assert names(tmp_path) == []


def test_an_index_is_replaced_only_on_demand(tmp_path: Path) -> None:
    build_small(tmp_path)
    with pytest.raises(CorpusError, match="pass --overwrite"):
        build_small(tmp_path)
    build_small(tmp_path, REPORTS[:2], overwrite=True)
    assert len(list(Corpus.open(tmp_path / "small.sdr").reports())) == 2
    assert names(tmp_path) == ["small.sdr"]


class MeanwhileBuilt(FakeEncoder):
    """Another build of the same output is faster by the time that this one embeds."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.folder = folder

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if not (self.folder / "small.sdr").exists():
            build_small(self.folder, REPORTS[:2])
        return super().encode(texts)


def test_an_index_that_appears_meanwhile_is_left_and_said_so(tmp_path: Path) -> None:
    def reports() -> Iterator[CorpusReport]:
        yield from REPORTS
        build_small(tmp_path, REPORTS[:3])

    with pytest.raises(CorpusError, match="appeared while this index was being built"):
        build_small(tmp_path, reports())
    assert len(list(Corpus.open(tmp_path / "small.sdr").reports())) == 3
    assert names(tmp_path) == ["small.sdr"]


def test_an_index_that_appears_while_embedding_is_left(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="appeared while this index was being built"):
        build_small(tmp_path, encoder=MeanwhileBuilt(tmp_path))
    assert len(list(Corpus.open(tmp_path / "small.sdr").reports())) == 2
    assert names(tmp_path) == ["small.sdr"]
    build_small(tmp_path, overwrite=True, encoder=MeanwhileBuilt(tmp_path))
    assert len(list(Corpus.open(tmp_path / "small.sdr").reports())) == 5


def test_an_index_that_appears_at_the_last_moment_is_left(tmp_path: Path) -> None:
    other = tmp_path / "small.sdr"
    with (
        pytest.raises(CorpusError, match="appeared while this index was being built"),
        atomic.new_directory(other, replace=False),
    ):
        build_small(tmp_path, REPORTS[:2])
    assert len(list(Corpus.open(other).reports())) == 2
    assert names(tmp_path) == ["small.sdr"]


def test_what_is_no_index_and_appears_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    def reports() -> Iterator[CorpusReport]:
        yield from REPORTS
        (tmp_path / "small.sdr").write_text("mine")

    with pytest.raises(CorpusError, match="is not an index directory"):
        build_small(tmp_path, reports(), overwrite=True)
    assert (tmp_path / "small.sdr").read_text() == "mine"


def test_a_failed_replacement_leaves_the_old_index(tmp_path: Path) -> None:
    build_small(tmp_path)
    with pytest.raises(CorpusError):
        build_small(tmp_path, [], overwrite=True)
    assert len(list(Corpus.open(tmp_path / "small.sdr").reports())) == 5
    assert names(tmp_path) == ["small.sdr"]


def test_where_the_system_cannot_swap_the_old_one_is_moved_aside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(atomic, "_swap", lambda first, second: False)
    build_small(tmp_path)
    build_small(tmp_path, REPORTS[:2], overwrite=True)
    assert len(list(Corpus.open(tmp_path / "small.sdr").reports())) == 2
    assert names(tmp_path) == ["small.sdr"]


def test_what_an_interrupted_replacement_moved_away_is_put_back(tmp_path: Path) -> None:
    build_small(tmp_path)
    (tmp_path / "small.sdr").rename(tmp_path / ".small.sdr.replaced-0123456789ab")
    with pytest.raises(CorpusError, match="empty"):
        build_small(tmp_path, [])
    assert len(list(Corpus.open(tmp_path / "small.sdr").reports())) == 5


def test_overwrite_never_removes_what_is_no_index(tmp_path: Path) -> None:
    precious = tmp_path / "small.sdr" / "thesis.txt"
    precious.parent.mkdir()
    precious.write_text("mine")
    with pytest.raises(CorpusError, match="is not an index directory and is not overwritten"):
        build_small(tmp_path, overwrite=True)
    assert precious.read_text() == "mine"


def test_a_damaged_index_can_be_overwritten(tmp_path: Path) -> None:
    build_small(tmp_path)
    (tmp_path / "small.sdr" / "manifest.json").write_text("{")
    build_small(tmp_path, overwrite=True)
    Corpus.open(tmp_path / "small.sdr")


@pytest.mark.parametrize("folder", ["absent", "absent/deeper", "file", "file/deeper"])
def test_an_absent_folder_is_refused_before_the_corpus_is_read(tmp_path: Path, folder: str) -> None:
    def reports() -> Iterator[CorpusReport]:
        raise AssertionError("read")
        yield

    (tmp_path / "file").write_text("")
    with pytest.raises(CorpusError, match=r"found no folder .* to write small\.sdr into"):
        build_small(tmp_path / folder, reports())
    assert names(tmp_path) == ["file"]


KILLED = """
import sys
from pathlib import Path
from tests.small_corpus import REPORTS, build_small

def reports():
    yield from REPORTS
    print("reading", flush=True)
    sys.stdin.read()

build_small(Path(sys.argv[1]), reports(), overwrite=True)
"""


def test_a_killed_build_leaves_the_old_index_and_is_cleaned_up(tmp_path: Path) -> None:
    build_small(tmp_path)
    child = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[2],
    )
    assert child.stdin is not None
    assert child.stdout is not None
    assert child.stdout.readline() == b"reading\n"
    half = [name for name in names(tmp_path) if name.startswith(".small.sdr.building-")]
    assert len(half) == 1

    build_small(tmp_path, REPORTS[:3], overwrite=True)
    assert set(half) < set(names(tmp_path)), "the directory of a living build is left alone"
    child.send_signal(signal.SIGKILL)
    child.wait()
    child.stdin.close()
    child.stdout.close()
    assert len(list(Corpus.open(tmp_path / "small.sdr").reports())) == 3
    build_small(tmp_path, REPORTS[:2], overwrite=True)
    assert names(tmp_path) == ["small.sdr"]


def test_a_lone_surrogate_in_a_report_is_replaced(tmp_path: Path) -> None:
    build_small(tmp_path, [CorpusReport("a", "Cl\ud800ear lungs.", "No acute disease.")])
    assert Corpus.open(tmp_path / "small.sdr").lookup("cl\ufffdear lungs") is not None
