from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

from index_build import build
from index_build.report import CorpusReport
from tests.fake_encoder import FakeEncoder

# New examples are for people to find; continuous integration tries the same ones every time.
settings.register_profile("ci", derandomize=True, deadline=None)
settings.register_profile("person", deadline=None)
settings.load_profile("ci" if os.environ.get("CI") else "person")

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
