from __future__ import annotations

import hashlib
import os
import shutil
import socket
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sdr_decode.encoder import SentenceTransformerEncoder, load_encoder, unit_rows
from sdr_decode.encoder_files import encoder_name, encoders_folder, find_encoder, hash_weights
from sdr_decode.errors import EncoderError
from tests.fake_encoder import FakeEncoder
from tests.small_corpus import build_small

MINILM = "all-MiniLM-L6-v2"
FETCH = "sdr-index fetch encoder all-mpnet-base-v2"


@pytest.fixture(scope="module")
def minilm() -> SentenceTransformerEncoder:
    return load_encoder(MINILM)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SDR_DECODE_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def test_encoders_are_kept_in_the_cache_folder(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert encoders_folder() == home / "encoders"
    monkeypatch.delenv("SDR_DECODE_HOME")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert encoders_folder() == tmp_path / "sdr-decode" / "encoders"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert encoders_folder() == Path.home() / ".cache" / "sdr-decode" / "encoders"


def test_a_folder_comes_before_a_fetched_encoder(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetched = home / "encoders" / "some-encoder"
    fetched.mkdir(parents=True)
    assert find_encoder("some-encoder") == fetched
    assert find_encoder("sentence-transformers/some-encoder") == fetched
    monkeypatch.chdir(tmp_path)
    (tmp_path / "some-encoder").mkdir()
    assert find_encoder("some-encoder").resolve() == tmp_path / "some-encoder"
    assert encoder_name("sentence-transformers/some-encoder") == "some-encoder"
    assert encoder_name(str(tmp_path / "some-encoder/")) == "some-encoder"


@pytest.mark.parametrize("name", ["", "./absent", "/absent/encoder", "~/absent", "a/b/c"])
def test_a_path_without_an_encoder_never_asks_the_hub(name: str) -> None:
    with pytest.raises(EncoderError, match=FETCH):
        find_encoder(name)


def test_a_file_is_no_encoder(tmp_path: Path) -> None:
    file = tmp_path / "model.safetensors"
    file.write_bytes(b"")
    with pytest.raises(EncoderError, match="found the file"):
        find_encoder(str(file))


@pytest.mark.parametrize("offline", [True, False])
def test_a_hub_that_does_not_answer_is_one_clear_error(tmp_path: Path, offline: bool) -> None:
    with socket.socket() as silent:  # takes connections and never says a word
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        environment = {
            "HF_ENDPOINT": f"http://127.0.0.1:{silent.getsockname()[1]}",
            "HF_HOME": str(tmp_path),
            "HF_HUB_OFFLINE": "1" if offline else "0",
        }
        code = (
            "import sdr_decode.encoder_files as files, sdr_decode.errors as errors\n"
            "files.HUB_TIMEOUT = 0.2\n"
            "try: files.find_encoder('all-mpnet-base-v2')\n"
            "except errors.EncoderError as error: print(error)"
        )
        run = subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | environment,
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
            cwd=Path(__file__).parents[2],
        )
    assert FETCH in run.stdout
    assert run.stdout.count("\n") == 1


def test_the_hash_is_that_of_the_one_weights_file(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"weights")
    (tmp_path / "onnx").mkdir()
    (tmp_path / "onnx" / "model.safetensors").write_bytes(b"the same again")
    assert hash_weights(tmp_path) == hashlib.sha256(b"weights").hexdigest()
    (tmp_path / "2_Dense").mkdir()
    (tmp_path / "2_Dense" / "model.safetensors").write_bytes(b"more")
    both = hash_weights(tmp_path)
    (tmp_path / "2_Dense" / "model.safetensors").write_bytes(b"other")
    assert both != hash_weights(tmp_path)


def test_pickled_weights_are_never_loaded(tmp_path: Path) -> None:
    (tmp_path / "pytorch_model.bin").write_bytes(b"")
    with pytest.raises(EncoderError, match="pickled weights"):
        hash_weights(tmp_path)
    (tmp_path / "model.safetensors").write_bytes(b"weights")
    hash_weights(tmp_path)  # beside safetensors it is never looked at
    (tmp_path / "2_Dense").mkdir()
    (tmp_path / "2_Dense" / "pytorch_model.bin").write_bytes(b"")
    with pytest.raises(EncoderError, match="2_Dense"):
        hash_weights(tmp_path)


def test_a_folder_without_weights_or_with_a_pointer_is_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(EncoderError, match=r"no model.safetensors"):
        load_encoder(tmp_path)
    (tmp_path / "model.safetensors").write_text("version https://git-lfs.github.com/spec/v1\n")
    with pytest.raises(EncoderError, match="Git LFS pointer"):
        load_encoder(tmp_path)


def test_a_vector_without_a_direction_is_an_error() -> None:
    vectors = np.array([[3, 4], [0, 0]], dtype=np.float32)
    np.testing.assert_allclose(unit_rows(vectors[:1], ["a"]), [[0.6, 0.8]], atol=1e-7)
    with pytest.raises(EncoderError, match="vector of length 0"):
        unit_rows(vectors, ["a", "b"])
    with pytest.raises(EncoderError, match="nan"):
        unit_rows(np.full((1, 2), np.nan, dtype=np.float32), ["a"])


def test_the_same_weights_under_another_name_are_the_same_encoder() -> None:
    fingerprint = FakeEncoder().fingerprint
    assert fingerprint.matches(replace(fingerprint, name="elsewhere"))
    assert not fingerprint.matches(replace(fingerprint, max_tokens=1))


@pytest.mark.weights
def test_a_real_encoder_gives_unit_vectors_near_for_near_sentences(
    minilm: SentenceTransformerEncoder,
) -> None:
    vectors = minilm.encode(["no pleural effusion.", "there is no effusion.", "normal heart size."])
    assert vectors.dtype == np.float32
    assert vectors.shape == (3, minilm.dimension) == (3, 384)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2]
    assert minilm.encode([]).shape == (0, 384)
    assert minilm.fingerprint.name == MINILM
    assert minilm.fingerprint.max_tokens == 256


@pytest.mark.weights
def test_over_long_sentences_are_counted_once_and_still_embedded(
    minilm: SentenceTransformerEncoder,
) -> None:
    long = "clear lungs " * 200
    before = minilm.over_long
    assert minilm.is_over_long(["clear lungs.", long]) == [False, True]
    minilm.encode([long, long, "clear lungs."])
    minilm.encode([long])
    assert minilm.over_long == before + 1
    assert long in minilm.over_long_texts


@pytest.mark.weights
def test_a_damaged_encoder_is_one_clear_error(
    minilm: SentenceTransformerEncoder, tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(find_encoder(MINILM), tmp_path / "copy"))
    weights = folder / "model.safetensors"
    os.truncate(weights, weights.stat().st_size // 2)
    with pytest.raises(EncoderError, match="cannot be loaded") as caught:
        load_encoder(folder)
    assert "\n" not in str(caught.value)


@pytest.mark.weights
def test_an_index_built_opened_and_asked_with_a_real_encoder(
    minilm: SentenceTransformerEncoder, tmp_path: Path
) -> None:
    from sdr_decode.corpus import Corpus

    build_small(tmp_path, encoder=minilm)
    corpus = Corpus.open(tmp_path / "small.sdr")
    corpus.check_encoder(load_encoder(find_encoder(MINILM)).fingerprint)
    queries = ["the lungs are clear.", "enlarged heart."]
    nearest = corpus.nearest(minilm.encode(queries), "findings")
    assert [corpus.text(row) for row in nearest.rows[:, 0]] == ["Lungs are clear.", "Cardiomegaly."]
    known = corpus.lookup("lungs are clear")
    assert known is not None
    again = corpus.nearest(minilm.encode(["lungs are clear."]))
    assert again.rows[0, 0] == known
    assert again.distances[0, 0] < 1e-6
