"""Engines, each started once for all tests that use it."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio

from tests.data import real_data
from tests.engine.settings import ENVIRONMENT, Device, device, engine_args
from tests.engine.targets import Target, start
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


@pytest_asyncio.fixture(scope="session", loop_scope="session", params=["server", "process"])
async def reporter(
    request: pytest.FixtureRequest,
    engine_device: Device,
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncIterator[Target]:
    """A small model that writes reports, text only."""
    model = real_data("standin")
    log = tmp_path_factory.mktemp("log") / "server.log"
    arguments = engine_args(engine_device, dtype="bfloat16")
    async with start(request.param, model, log, arguments) as target:
        yield target


@pytest_asyncio.fixture(scope="session", loop_scope="session", params=["server", "process"])
async def viewer(
    request: pytest.FixtureRequest,
    engine_device: Device,
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncIterator[Target]:
    """A vision-language model of random weights."""
    real_data("images")  # where they are absent, no engine need be started to find out
    model = make_tiny_vlm(tmp_path_factory.mktemp("model") / "tiny-vlm")
    log = tmp_path_factory.mktemp("log") / "server.log"
    arguments = engine_args(engine_device, dtype="float32")
    async with start(request.param, model, log, arguments) as target:
        yield target
