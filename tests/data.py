"""The real data that some tests read in place. Nothing of it is part of the project."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

DATA = Path(
    os.environ.get("SDR_TEST_DATA", Path(__file__).resolve().parents[2] / "shared" / "data")
)


def real_data(name: str) -> Path:
    """The path of a test data file. Skips with the reason where it is absent, and fails in CI
    (``CI`` set), where it has to be there."""
    path = DATA / name
    if not path.exists():
        reason = f"test data {path} is absent; set SDR_TEST_DATA to the folder that holds {name}"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    return path
