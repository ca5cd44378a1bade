"""Engines that do not start, and engines that die: errors that say so, and no process left."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import pytest

from clients import CandidateStream, ClientError, Request, Sampling
from clients.errors import StreamError
from clients.vllm import VLLMClient
from tests.data import real_data
from tests.engine.settings import Device, engine_args
from tests.engine.targets import ProcessTarget, ServerTarget, Target, start

pytestmark = [pytest.mark.engine, pytest.mark.asyncio, pytest.mark.timeout(300)]
K = 8
REQUEST = Request("Tags: normal", sampling=Sampling(max_tokens=900, seed=1))


def kill(target: Target) -> None:
    """As the kernel does when memory runs out."""
    if isinstance(target, ServerTarget):
        os.killpg(target.server.process.pid, signal.SIGKILL)
        return
    assert isinstance(target, ProcessTarget)
    for process in target.engine.engine_core.resources.engine_manager.processes:
        process.kill()


async def rest(stream: CandidateStream) -> None:
    async for _ in stream:
        pass


@pytest.mark.parametrize("kind", ["server", "process"])
async def test_every_stream_of_a_killed_engine_ends_with_an_error(
    kind: str, engine_device: Device, tmp_path: Path
) -> None:
    arguments = engine_args(engine_device, dtype="bfloat16")
    async with (
        start(kind, real_data("standin"), tmp_path / "log", arguments) as target,
        target.open(more_sampling={"ignore_eos": True}) as client,
    ):
        streams = [client.stream(REQUEST, number) for number in range(K)]
        await asyncio.gather(*map(anext, streams))
        kill(target)
        ends = await asyncio.gather(*map(rest, streams), return_exceptions=True)
        assert [type(end) for end in ends] == [StreamError] * K
        assert {stream.finish.reason for stream in streams} == {"error"}
        if isinstance(client, VLLMClient):
            with pytest.raises(StreamError, match="engine has died"):
                await rest(client.stream(REQUEST, 0))


async def test_a_model_that_is_not_there_is_named(engine_device: Device, tmp_path: Path) -> None:
    missing = tmp_path / "no-such-model"
    async with VLLMClient(str(missing), engine_args=engine_args(engine_device)) as client:
        for _ in range(2):
            with pytest.raises(ClientError, match="no-such-model"):
                await client.check(REQUEST, 1)
