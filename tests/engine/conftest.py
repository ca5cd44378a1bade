"""Engines, each started once for all tests that use it."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.data import real_data
from tests.engine.settings import ENVIRONMENT, Device, device
from tests.engine.tiny_vlm import make_tiny_vlm


@pytest.fixture(
    scope="session",
    params=["cpu", pytest.param("gpu", marks=pytest.mark.gpu)],
)
def engine_device(request: pytest.FixtureRequest) -> Iterator[Device]:
    """What the engine runs on. Skips where vLLM is not installed, or is built for the other."""
    if importlib.util.find_spec("vllm") is None:
        reason = "vLLM is not installed in this environment; run make test-vllm"
        if os.environ.get("SDR_TEST_VLLM"):
            pytest.fail(reason)
        pytest.skip(reason)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in ENVIRONMENT.items():
            patch.setenv(name, value)
        wanted: Device = request.param
        if device() != wanted:
            pytest.skip(f"the installed vLLM runs on the {device()}, not on the {wanted}")
        yield wanted


@pytest.fixture(scope="session")
def report_model() -> Path:
    return real_data("standin")


@pytest.fixture(scope="session")
def tiny_vlm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_tiny_vlm(tmp_path_factory.mktemp("model") / "tiny-vlm")
