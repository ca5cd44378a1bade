"""What many decodes at once cost and keep: delay a token, memory, and whatever should be closed.

    python -m benchmarks.load [--seconds 20] [--decodes 64] [--k 8] [--rate 4]

A server in a process of its own sends known reports over loopback, ``--rate`` words a second to
each stream, through the real OpenAI SDK. The delay of a token is from the server's send to the
decoder's event. By default the encoder is one that costs nothing, so that the streams are what is
measured; ``--encoder`` takes a real one. Exits with 1 where something leaked or was lost.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import os
import tempfile
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.hash_encoder import HashEncoder
from benchmarks.load_run import LoadReport, run_load
from benchmarks.paced_server import FINDINGS, IMPRESSIONS
from benchmarks.paced_server_process import PacedServerProcess, started
from clients import Client
from clients.openai import OpenAIClient
from index_build.builder import build
from index_build.report import CorpusReport
from sdr_decode.decoder import SDRDecoder
from sdr_decode.encoder import Encoder

WARM_UP = 0.25  # of the run; memory is judged after it
PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True, slots=True)
class Held:
    """What this process holds: file descriptors, tasks of this loop, threads."""

    descriptors: int
    tasks: int
    threads: int


def held() -> Held:
    gc.collect()
    return Held(
        len(list(Path("/proc/self/fd").iterdir())),
        len(asyncio.all_tasks()),
        threading.active_count(),
    )


def resident_mib() -> float:
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE / 2**20


def slope(points: list[tuple[float, float]]) -> float:
    """Least squares, in units of y for each of x."""
    x = sum(p[0] for p in points) / len(points)
    y = sum(p[1] for p in points) / len(points)
    square = sum((p[0] - x) ** 2 for p in points)
    return sum((p[0] - x) * (p[1] - y) for p in points) / square if square else 0.0


def build_index(folder: Path, encoder: Encoder | str) -> Path:
    """An index of the sentences that stand in every report of the server."""
    path = folder / "load.sdr"
    reports = [CorpusReport(str(n), text, IMPRESSIONS[n % 3]) for n, text in enumerate(FINDINGS)]
    build(reports, path, encoder=encoder)
    return path


async def sampled(memory: list[tuple[float, float]]) -> None:
    began = time.monotonic()
    while True:
        memory.append((time.monotonic() - began, resident_mib()))
        await asyncio.sleep(1.0)


@asynccontextmanager
async def opened(url: str, streams: int, *, aiohttp: bool) -> AsyncIterator[Client]:
    """A client over the SDK's usual transport, or over aiohttp, which the SDK can use too."""
    from openai import AsyncOpenAI, DefaultAioHttpClient, DefaultAsyncHttpxClient  # noqa: PLC0415

    transport = DefaultAioHttpClient() if aiohttp else DefaultAsyncHttpxClient()
    async with (
        AsyncOpenAI(base_url=url, api_key="none", http_client=transport) as sdk,
        OpenAIClient("load", sdk=sdk, max_concurrency=streams) as client,
    ):
        yield client


async def measure(arguments: argparse.Namespace, server: PacedServerProcess, index: Path) -> bool:
    """One run with its figures printed. True where nothing leaked and nothing was lost."""
    before, memory = held(), list[tuple[float, float]]()
    streams = arguments.decodes * arguments.k
    encoder = arguments.encoder or HashEncoder()
    report = LoadReport()
    busy, began = time.process_time(), time.monotonic()
    async with (
        opened(server.url, streams, aiohttp=arguments.aiohttp) as client,
        SDRDecoder(client, index, encoder=encoder, prune=arguments.prune) as decoder,
    ):
        sampling = asyncio.create_task(sampled(memory))
        try:
            await run_load(
                decoder,
                server,
                side_by_side=arguments.decodes,
                k=arguments.k,
                seconds=arguments.seconds + arguments.spread,
                spread=arguments.spread,
                report=report,
            )
        finally:
            sampling.cancel()
    busy, took = time.process_time() - busy, time.monotonic() - began
    await asyncio.sleep(0.2)  # until the server has seen the last hang-ups
    after, stats = held(), await server.stats()

    print(f"{streams} streams side by side, {took:.1f} s")
    print_report(report, took)
    print(
        f"processor: {busy / report.tokens * 1e6:.0f} us a token, {busy / took:.0%} of one "
        f"core; the server's {stats['cpu_seconds'] / took:.0%}"
    )
    steady = [point for point in memory if point[0] >= WARM_UP * took]
    print(
        f"memory: {steady[0][1]:.1f} MiB after the warm-up, {steady[-1][1]:.1f} at the end, "
        f"{slope(steady) * 60:+.2f} MiB a minute"
    )
    print(f"held before: {before}\nheld after:  {after}")
    open_now = stats["connections"], stats["answering"]
    print("server: {:.0f} connections and {:.0f} answers open".format(*open_now))
    leaked = after.descriptors > before.descriptors or after.tasks > before.tasks
    return not (report.lost or any(open_now) or leaked)


def print_report(report: LoadReport, took: float) -> None:
    ends = ", ".join(f"{count:,} {state}" for state, count in report.states.most_common())
    print(f"{report.decodes:,} decodes; candidates: {ends}")
    print(f"candidates lost: {len(report.lost)}", *report.lost[:5], sep="\n  ")
    delays = report.delays
    half, most, nearly_all = (delays.quantile(share) * 1000 for share in (0.5, 0.95, 0.99))
    print(
        f"delay of a token in ms: median {half:.2f}, 95% {most:.2f}, 99% {nearly_all:.2f}; "
        f"{report.tokens:,} tokens, {report.tokens / took:,.0f} a second"
    )


async def run(arguments: argparse.Namespace) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        index = build_index(Path(folder), arguments.encoder or HashEncoder())
        async with started(arguments.rate) as server:
            return await measure(arguments, server, index)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--decodes", type=int, default=64, help="how many run side by side")
    parser.add_argument("--k", type=int, default=8)
    parser.add_argument("--rate", type=float, default=4.0, help="words a second and stream")
    parser.add_argument(
        "--spread", type=float, default=10.0, help="seconds over which the first decodes begin"
    )
    parser.add_argument("--prune", default="none")
    parser.add_argument("--aiohttp", action="store_true", help="the SDK's other transport")
    parser.add_argument("--encoder", help="a real encoder, such as all-MiniLM-L6-v2")
    raise SystemExit(0 if asyncio.run(run(parser.parse_args())) else 1)


if __name__ == "__main__":
    main()
