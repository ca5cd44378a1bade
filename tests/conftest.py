from __future__ import annotations

from pathlib import Path

import pytest

from index_build import build
from index_build.report import CorpusReport
from tests.fake_encoder import FakeEncoder

REPORTS = [
    CorpusReport("1", "The lungs are clear. Heart size is normal.", "No acute disease."),
    CorpusReport("2", "The lungs are clear. There is a small effusion.", "Small left effusion."),
    CorpusReport("3", "Heart size is normal. No pneumothorax.", "No acute disease."),
]


@pytest.fixture(scope="session")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of three reports, embedded by ``FakeEncoder``."""
    path = tmp_path_factory.mktemp("index") / "tiny.sdr"
    build(REPORTS, path, encoder=FakeEncoder())
    return path
