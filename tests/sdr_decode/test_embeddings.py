from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sdr_decode.embeddings import Embeddings, read_embeddings, write_embeddings
from sdr_decode.errors import EncoderError, EncoderMismatchError
from sdr_decode.load import open_measure
from tests.fake_encoder import FakeEncoder


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    encoder = FakeEncoder()
    texts = ["no effusion.", "épanchement.", ""]
    write_embeddings(
        tmp_path / "kept", Embeddings(encoder.fingerprint, texts, encoder.encode(texts))
    )
    kept = read_embeddings(tmp_path / "kept")
    assert kept.encoder == encoder.fingerprint
    assert kept.texts == texts
    np.testing.assert_array_equal(kept.vectors, encoder.encode(texts))
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]


def test_a_second_run_embeds_nothing_anew(index: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept.parquet"
    with open_measure(index, encoder=FakeEncoder(), embeddings=kept) as measure:
        first = measure.measure_now([measure.query("Unheard of.", "findings")])
        assert measure.encoder.embedded == 1
    with open_measure(index, encoder="no such encoder", embeddings=kept) as measure:
        assert measure.measure_now([measure.query("Unheard of.", "findings")]) == first
        assert measure.encoder.embedded == 0


def test_embeddings_of_another_encoder_are_refused(index: Path, tmp_path: Path) -> None:
    other = FakeEncoder(dimension=8)
    path = tmp_path / "other"
    write_embeddings(path, Embeddings(other.fingerprint, ["a."], other.encode(["a."])))
    with pytest.raises(EncoderMismatchError), open_measure(index, embeddings=path):
        pass


def test_a_file_that_holds_no_embeddings_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_text("not parquet")
    with pytest.raises(EncoderError, match="delete it"):
        read_embeddings(path)
