from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import faiss
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from index_build.report import CorpusReport
from sdr_decode import manifest
from sdr_decode.corpus import Corpus
from sdr_decode.errors import EncoderMismatchError, IndexFormatError
from sdr_decode.manifest import Manifest, hash_file, read_manifest
from sdr_decode.sentences import SECTIONS, Section
from tests.fake_encoder import FakeEncoder
from tests.small_corpus import build_small

FILES = ("manifest.json", "sentences.parquet", "reports.parquet", "vectors.faiss")
LFS = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n"
WORDS = ("lungs", "heart", "effusion", "clear", "normal", "left", "right", "small", "large", "no")


def many_reports(n: int = 40) -> list[CorpusReport]:
    rng = np.random.default_rng(7)

    def draw() -> str:
        return " ".join(rng.choice(WORDS, 4)) + "."

    return [
        CorpusReport(f"r{i}", f"{draw()} {draw()}", draw() if i % 2 else None) for i in range(n)
    ] + [CorpusReport("none", text=f"{draw()} {draw()}")]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpus")
    build_small(folder, many_reports())
    return folder / "small.sdr"


@pytest.fixture(scope="module")
def half(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpus16")
    build_small(folder, many_reports(), precision="float16")
    return folder / "small.sdr"


@pytest.fixture(scope="module")
def corpus(built: Path) -> Corpus:
    return Corpus.open(built)


@pytest.fixture
def copy(built: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(built, tmp_path / "copy.sdr"))


def rewrite_manifest(index: Path, **changes: Any) -> None:
    """Write the manifest anew over the files as they are now, with a hash that is right."""
    manifest = read_manifest(index)
    files = {
        name: {"sha256": hash_file(index / name), "bytes": (index / name).stat().st_size}
        for name in manifest.files
    }
    content = manifest.model_dump() | {"files": files} | changes
    (index / "manifest.json").write_text(Manifest.model_validate(content).to_json())


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    section=st.sampled_from([None, *SECTIONS]),
    k=st.integers(1, 12),
    n=st.integers(1, 30),
)
def test_nearest_agrees_with_brute_force(
    corpus: Corpus, seed: int, section: Section | None, k: int, n: int
) -> None:
    queries = FakeEncoder().encode([f"query {seed} {i}" for i in range(n)])
    nearest = corpus.nearest(queries, section, k)
    rows = [row for row in range(len(corpus)) if corpus.stands_in(row, section)]
    products = queries.astype(np.float64) @ corpus.vectors(rows).T.astype(np.float64)
    expected = np.sort(np.clip((1 - products) / 2, 0, 1), axis=1)[:, :k]
    assert nearest.distances.shape == nearest.rows.shape == (n, k)
    np.testing.assert_allclose(nearest.distances, expected, atol=1e-6)
    assert set(nearest.rows.ravel()) <= set(rows)
    for distances, found in zip(nearest.distances, nearest.rows, strict=True):
        assert len(set(found)) == k
        assert np.all(np.diff(distances) > -1e-6)


def test_nearest_does_not_depend_on_how_many_are_asked_at_once(corpus: Corpus) -> None:
    queries = FakeEncoder().encode([f"query {i}" for i in range(300)])
    together = corpus.nearest(queries, "findings", 3)
    for i in (0, 17, 255, 256, 299):
        alone = corpus.nearest(queries[i : i + 1], "findings", 3)
        np.testing.assert_array_equal(alone.rows[0], together.rows[i])
        np.testing.assert_array_equal(alone.distances[0], together.distances[i])


@pytest.mark.parametrize("wider", [0, 3, 10_000])
def test_many_queries_find_what_single_ones_find_however_wide_the_search(
    corpus: Corpus, monkeypatch: pytest.MonkeyPatch, wider: int
) -> None:
    queries = FakeEncoder().encode([f"query {i}" for i in range(40)])
    alone = [corpus.nearest(query[None], "impression", 3) for query in queries]
    monkeypatch.setattr("sdr_decode.corpus._WIDER", wider)
    together = corpus.nearest(queries, "impression", 3)
    np.testing.assert_array_equal(together.rows, np.concatenate([each.rows for each in alone]))


def test_a_vector_of_the_corpus_finds_itself(corpus: Corpus, half: Path) -> None:
    for opened in (corpus, Corpus.open(half)):
        rows = np.arange(len(opened))
        vectors = opened.vectors(rows)
        np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
        nearest = opened.nearest(vectors)
        np.testing.assert_array_equal(nearest.rows[:, 0], rows)
        assert nearest.distances.max() < 1e-6
        np.testing.assert_array_equal(opened.vector(3), vectors[3])


def test_half_precision_is_near_full_precision(corpus: Corpus, half: Path) -> None:
    queries = FakeEncoder().encode([f"query {i}" for i in range(50)])
    full, rounded = corpus.nearest(queries, k=5), Corpus.open(half).nearest(queries, k=5)
    np.testing.assert_allclose(full.distances, rounded.distances, atol=1e-3)


def test_where_fewer_stand_in_the_section_the_rest_is_none_found(tmp_path: Path) -> None:
    build_small(tmp_path, [CorpusReport("a", "Clear lungs. Normal heart.", "Normal chest.")])
    opened = Corpus.open(tmp_path / "small.sdr")
    nearest = opened.nearest(FakeEncoder().encode(["query"]), "impression", k=4)
    assert nearest.rows.tolist() == [[opened.lookup("normal chest"), -1, -1, -1]]
    assert nearest.distances[0, 1:].tolist() == [1.0, 1.0, 1.0]


def test_a_section_that_the_corpus_lacks_compares_with_all(tmp_path: Path) -> None:
    build_small(tmp_path, [CorpusReport("a", "Clear lungs. Normal heart.")])
    opened = Corpus.open(tmp_path / "small.sdr")
    assert opened.stands_in(0, "impression")
    assert (opened.nearest(FakeEncoder().encode(["query"]), "impression", k=2).rows >= 0).all()


def test_a_sentence_without_a_section_stands_in_every_section(tmp_path: Path) -> None:
    build_small(
        tmp_path,
        [CorpusReport("a", "Clear lungs.", "Normal chest."), CorpusReport("b", text="Stable.")],
    )
    opened = Corpus.open(tmp_path / "small.sdr")
    rows = {name: opened.lookup(name) for name in ("stable", "clear lungs", "normal chest")}
    standing = {
        name: [opened.stands_in(row, section) for section in (None, *SECTIONS)]
        for name, row in rows.items()
        if row is not None
    }
    assert standing == {
        "stable": [True, True, True],
        "clear lungs": [True, True, False],
        "normal chest": [True, False, True],
    }


def test_of_equally_near_sentences_the_lowest_row_comes_first(tmp_path: Path) -> None:
    class Same(FakeEncoder):
        def encode(self, texts: Any) -> Any:
            return super().encode(["the same"] * len(texts))

    text = "Lungs are clear. Heart is normal. Bones are intact. Bones are intact."
    build_small(tmp_path, [CorpusReport("a", text)], encoder=Same())
    nearest = Corpus.open(tmp_path / "small.sdr").nearest(FakeEncoder().encode(["other"]), k=3)
    assert nearest.rows.tolist() == [[0, 1, 2]]


def test_queries_of_the_wrong_shape_are_refused(corpus: Corpus) -> None:
    with pytest.raises(ValueError, match=r"shape \(n, 32\)"):
        corpus.nearest(np.zeros((2, 31), dtype=np.float32))
    with pytest.raises(ValueError, match="at least 1"):
        corpus.nearest(np.zeros((2, 32), dtype=np.float32), k=0)
    with pytest.raises(IndexError):
        corpus.vectors([len(corpus)])
    assert corpus.nearest(np.empty((0, 32), dtype=np.float32)).rows.shape == (0, 1)
    assert corpus.vectors([]).shape == (0, 32)


def test_lookup_takes_the_normalised_form(tmp_path: Path) -> None:
    build_small(tmp_path, [CorpusReport("a", "Clear  LUNGS . Normal heart.")])
    opened = Corpus.open(tmp_path / "small.sdr")
    assert opened.lookup("clear lungs") == 0
    assert opened.text(0) == "Clear LUNGS ."
    assert opened.lookup("Clear  LUNGS .") is None
    assert opened.lookup("never written") is None


def test_opening_and_asking_loads_neither_torch_nor_pandas(built: Path) -> None:
    code = (
        "import sys; from sdr_decode.corpus import Corpus; import numpy as np\n"
        f"c = Corpus.open({str(built)!r}); c.nearest(c.vectors([0]), 'findings'); c.text(0)\n"
        "heavy = {'torch', 'sentence_transformers', 'transformers', 'pandas'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    run = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[2],
    )
    assert run.stdout.strip() == "[]"


def test_the_encoder_is_checked(corpus: Corpus) -> None:
    fingerprint = FakeEncoder().fingerprint
    corpus.check_encoder(fingerprint)
    corpus.check_encoder(replace(fingerprint, name="the same weights elsewhere"))
    with pytest.raises(
        EncoderMismatchError, match=r"built with the encoder fake .*found the encoder other"
    ):
        corpus.check_encoder(FakeEncoder(name="other").fingerprint)
    for change in ({"max_tokens": 9}, {"normalised": False}, {"text_form": "raw"}):
        with pytest.raises(EncoderMismatchError):
            corpus.check_encoder(replace(fingerprint, **change))


def open_error(path: Path, **options: Any) -> str:
    with pytest.raises(IndexFormatError) as caught:
        Corpus.open(path, **options)
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_a_path_without_an_index_is_one_clear_error(tmp_path: Path) -> None:
    assert "found no index" in open_error(tmp_path / "absent.sdr")
    (tmp_path / "file.sdr").write_text("hello")
    assert "found the file" in open_error(tmp_path / "file.sdr")
    (tmp_path / "pointer.sdr").write_text(LFS)
    assert "Git LFS pointer" in open_error(tmp_path / "pointer.sdr")
    (tmp_path / "empty.sdr").mkdir()
    assert "found no manifest.json" in open_error(tmp_path / "empty.sdr")


@pytest.mark.parametrize("name", FILES)
def test_a_git_lfs_pointer_inside_is_called_by_its_name(copy: Path, name: str) -> None:
    (copy / name).write_text(LFS)
    message = open_error(copy)
    assert name in message
    assert "Git LFS pointer" in message


@pytest.mark.parametrize("name", FILES)
def test_a_missing_file_is_named(copy: Path, name: str) -> None:
    (copy / name).unlink()
    assert name in open_error(copy)


@pytest.mark.parametrize("verify", [True, False])
@pytest.mark.parametrize("name", FILES)
def test_a_truncated_file_is_named(copy: Path, name: str, verify: bool) -> None:
    content = (copy / name).read_bytes()
    (copy / name).write_bytes(content[: len(content) // 2])
    message = open_error(copy, verify=verify)
    assert name in message
    assert "damaged" in message


@settings(max_examples=60, deadline=None)
@given(data=st.data(), name=st.sampled_from(FILES))
def test_a_changed_byte_is_found_in_every_file(
    built: Path, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, name: str
) -> None:
    index = Path(shutil.copytree(built, tmp_path_factory.mktemp("changed") / "copy.sdr"))
    content = bytearray((index / name).read_bytes())
    place = data.draw(st.integers(0, len(content) - 1))
    if name == "manifest.json" and chr(content[place]).isspace():
        return  # the layout of the manifest is not part of it
    content[place] ^= data.draw(st.integers(1, 255))
    (index / name).write_bytes(content)
    message = open_error(index)
    assert name in message or re.search("index format", message)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{", "not JSON"),
        ("[]", "without a format_version"),
        ('{"format_version": "1"}', "without a format_version"),
        ('{"format_version": 2}', "upgrade sdr-decode"),
        ('{"format_version": 0}', "build the index again"),
        ('{"format_version": 1}', "sha256 differs"),
        (b"\xff\xfe{", "not JSON"),
    ],
)
def test_a_manifest_that_is_none_is_one_clear_error(
    copy: Path, text: str | bytes, expected: str
) -> None:
    (copy / "manifest.json").write_bytes(text if isinstance(text, bytes) else text.encode())
    assert expected in open_error(copy)


def test_a_manifest_with_a_wrong_field_says_which(copy: Path) -> None:
    content = json.loads((copy / "manifest.json").read_text())
    content["counts"]["reports"] = -1
    content["sha256"] = manifest._hash_of(content)
    (copy / "manifest.json").write_text(json.dumps(content))
    assert "wrong at counts.reports" in open_error(copy)


def test_another_metric_is_refused(copy: Path) -> None:
    rewrite_manifest(copy, metric="euclidean")
    assert "metric 'euclidean'" in open_error(copy)


def test_a_file_that_the_manifest_does_not_know_is_refused(copy: Path) -> None:
    rewrite_manifest(copy, files={})
    assert "silent about sentences.parquet" in open_error(copy)


def test_tables_and_vectors_that_do_not_fit_are_refused(copy: Path) -> None:
    index = faiss.read_index(str(copy / "vectors.faiss"))
    index.add(index.reconstruct_n(0, 1))
    faiss.write_index(index, str(copy / "vectors.faiss"))
    rewrite_manifest(copy)
    assert "does not fit together" in open_error(copy)

    faiss.write_index(faiss.IndexFlatL2(32), str(copy / "vectors.faiss"))
    rewrite_manifest(copy)
    assert "expected 32 and the inner product" in open_error(copy)

    (copy / "vectors.faiss").write_bytes(b"nothing of the kind")
    rewrite_manifest(copy)
    assert "not a FAISS index" in open_error(copy)


def test_reports_that_point_nowhere_are_refused(copy: Path) -> None:
    table = pq.read_table(copy / "reports.parquet")
    rows = table["findings"].to_pylist()
    rows[3] = [100_000]
    column = table.schema.get_field_index("findings")
    changed = table.set_column(
        column,
        table.schema.field(column),
        pa.array(rows, table["findings"].type),
    )
    pq.write_table(changed, copy / "reports.parquet")
    rewrite_manifest(copy)
    assert "points at sentence 100000" in open_error(copy)


def test_a_sentence_that_stands_twice_is_refused(copy: Path) -> None:
    table = pq.read_table(copy / "sentences.parquet")
    pq.write_table(pa.concat_tables([table, table[:1]]), copy / "sentences.parquet")
    rewrite_manifest(copy)
    assert "stands twice" in open_error(copy)


def test_a_table_without_a_column_is_refused(copy: Path) -> None:
    table = pq.read_table(copy / "sentences.parquet")
    pq.write_table(table.drop_columns(["count"]), copy / "sentences.parquet")
    rewrite_manifest(copy)
    assert "sentences.parquet is damaged" in open_error(copy)
