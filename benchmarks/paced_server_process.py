"""The paced server in a process of its own, so that its work is not the decoder's."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from subprocess import PIPE
from typing import Any

ROOT = Path(__file__).resolve().parents[1]


class PacedServerProcess:
    """A running server. It may be killed; leaving ``started`` ends it anyway."""

    def __init__(self, process: asyncio.subprocess.Process, port: int) -> None:
        self.process = process
        self.port = port
        self.url = f"http://127.0.0.1:{port}/v1"

    async def stats(self) -> dict[str, float]:
        """What is open (the connection of this question not counted) and what was."""
        told: dict[str, float] = await self._ask("/stats")
        return told | {"connections": told["connections"] - 1}

    async def sent(self, seeds: Iterable[int]) -> dict[int, list[float]]:
        """When each word of these answers was sent. Told once."""
        told = await self._ask(f"/sent/{','.join(map(str, seeds))}")
        return {int(seed): moments for seed, moments in told.items()}

    def kill(self) -> None:
        """End the server at once. One that has ended already stays so."""
        with suppress(ProcessLookupError):
            self.process.kill()

    async def _ask(self, path: str) -> Any:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        try:
            writer.write(f"GET {path} HTTP/1.1\r\n\r\n".encode())
            answer = await reader.read()
        finally:
            writer.close()
            await writer.wait_closed()
        return json.loads(answer.partition(b"\r\n\r\n")[2])


@asynccontextmanager
async def started(rate: float, first: float = 0.05) -> AsyncIterator[PacedServerProcess]:
    """A server that sends ``rate`` words a second to each stream, from ``first`` seconds on."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "benchmarks.paced_server", "--rate", str(rate), "--first", str(first)),
        cwd=ROOT,
        stdin=PIPE,
        stdout=PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    server = PacedServerProcess(process, int(await process.stdout.readline()))
    try:
        yield server
    finally:
        process.stdin.close()
        server.kill()
        await process.wait()
