"""An engine to test, in this process or behind a server: the tests are the same."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import psutil

from clients import Client
from clients.vllm import VLLMClient
from clients.vllm_server import VLLMServerClient
from tests.engine.metrics import Metrics, read_metrics
from tests.engine.server import Server, serve

NAME = "model-under-test"


class Target(Protocol):
    def open(self, **options: Any) -> Client:
        """A new client of the engine, which it does not own."""

    def metrics(self) -> Metrics: ...


@dataclass(frozen=True, slots=True)
class ServerTarget:
    server: Server

    def open(self, **options: Any) -> VLLMServerClient:
        return VLLMServerClient(self.server.model, base_url=self.server.base_url, **options)

    def metrics(self) -> Metrics:
        return self.server.metrics()


@dataclass(frozen=True, slots=True)
class ProcessTarget:
    engine: Any

    def open(self, **options: Any) -> VLLMClient:
        return VLLMClient(NAME, engine=self.engine, **options)

    def metrics(self) -> Metrics:
        from prometheus_client import REGISTRY, generate_latest

        return read_metrics(generate_latest(REGISTRY).decode())


@contextlib.asynccontextmanager
async def start(
    kind: str, model: Path, log: Path, arguments: dict[str, Any]
) -> AsyncIterator[Target]:
    """Start ``model`` behind a server or in this process; stop it at the end."""
    if kind == "server":
        # Without the details the server keeps cached and image tokens to itself.
        with serve(model, NAME, log, arguments | {"enable_prompt_tokens_details": True}) as server:
            yield ServerTarget(server)
        return
    async with VLLMClient(str(model), engine_args=arguments) as owner:
        # Whoever asks while it starts gets the same engine.
        engine, same = await asyncio.gather(owner.start(), owner.start())
        assert engine is same
        process = psutil.Process(engine.engine_core.resources.engine_manager.processes[0].pid)
        yield ProcessTarget(engine)
    _, alive = await asyncio.to_thread(psutil.wait_procs, [process], timeout=30)
    assert not alive, "the engine outlives its client"
