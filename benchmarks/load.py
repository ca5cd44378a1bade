"""Many decodes at once against a paced server on the loopback: does anything leak or get lost, and
how much later than it was sent does a token reach the caller?

    python -m benchmarks.load INDEX [--decodes 64] [--k 8] [--rate 2] [--tokens 60] [--seconds 20]

The server is a process of its own and writes the time of sending into every token, so that the
delay of each is known. The encoder is replaced by one without a model. Bounded by ``--seconds``.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import hashlib
import json
import multiprocessing
import os
import random
import resource
import time
from collections.abc import Sequence
from contextlib import aclosing
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median, quantiles

import numpy as np
from numpy.typing import NDArray

from clients import open_client
from sdr_decode import SDRDecoder
from sdr_decode.corpus import Corpus
from sdr_decode.encoder import Fingerprint
from sdr_decode.events import TokenDelta
from sdr_decode.result import Result

HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"


class HashEncoder:
    """Unit vectors from a hash of the text: costs nothing and needs no weights."""

    over_long = 0
    over_long_texts: tuple[str, ...] = ()

    def __init__(self, fingerprint: Fingerprint) -> None:
        self.fingerprint = fingerprint
        self.dimension = fingerprint.dimension

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        vectors = np.empty((len(texts), self.dimension), np.float32)
        for row, text in enumerate(texts):
            seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8])
            vectors[row] = np.random.default_rng(seed).standard_normal(self.dimension)
        unit: NDArray[np.float32] = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return unit

    def is_over_long(self, texts: Sequence[str]) -> list[bool]:
        return [False] * len(texts)


def serve(answer: Connection, rate: float, tokens: int) -> None:
    """Run the server until the process is ended; sends its port, then counts when asked."""
    asyncio.run(_serve(answer, rate, tokens))


async def _serve(answer: Connection, rate: float, tokens: int) -> None:
    open_now = 0
    phases = random.Random(7)

    async def one(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal open_now
        open_now += 1
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
            await reader.readexactly(length)
            writer.write(HEAD)
            await asyncio.sleep(phases.random() / rate)  # streams do not send in step
            for at in range(tokens):
                stop = "." if at % 12 == 11 else ""
                writer.write(_chunk({"content": f" {time.monotonic_ns()}{stop}"}))
                await writer.drain()
                await asyncio.sleep(1 / rate)
            writer.write(_chunk({}, "stop") + b"data: [DONE]\n\n")
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            open_now -= 1
            writer.close()

    server = await asyncio.start_server(one, "127.0.0.1", 0, backlog=1024)
    answer.send(server.sockets[0].getsockname()[1])
    while await asyncio.to_thread(answer.recv):
        answer.send(open_now)


def _chunk(delta: dict[str, str], finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return b"data: " + json.dumps({"choices": [choice]}).encode() + b"\n\n"


async def decode(decoder: SDRDecoder, k: int, delays: list[float]) -> Result:
    async with aclosing(decoder.stream(k=k)) as events:
        async for event in events:
            if isinstance(event, TokenDelta) and event.text:
                sent = int(event.text.strip(" ."))
                delays.append((time.monotonic_ns() - sent) / 1e6)
            elif isinstance(event, Result):
                return event
    raise AssertionError("a decode ends with its result")


async def load(arguments: argparse.Namespace, port: int) -> None:
    corpus = Corpus.open(arguments.index)
    streams = arguments.decodes * arguments.k
    spec = f"openai:load,base_url=http://127.0.0.1:{port}/v1,max_concurrency={streams}"
    encoder = HashEncoder(corpus.manifest.encoder)
    client = open_client(spec)
    decoder = SDRDecoder(client, corpus, encoder=encoder, prune=arguments.prune)
    await decode(decoder, 1, [])
    before = (_descriptors(), len(asyncio.all_tasks()))
    delays: list[float] = []
    memory: list[int] = []
    results: list[Result] = []
    end = time.monotonic() + arguments.seconds
    while time.monotonic() < end:
        results += await asyncio.gather(
            *(decode(decoder, arguments.k, delays) for _ in range(arguments.decodes))
        )
        gc.collect()
        memory.append(_resident())
    ended = sum(c.state in ("finished", "pruned") for r in results for c in r.candidates)
    print(f"decodes: {len(results)}, candidates that ended as they should: {ended} of "
          f"{len(results) * arguments.k}")  # fmt: skip
    print(f"tokens: {len(delays):,}; delay from sending to the event, in ms: median "
          f"{median(delays):.1f}, 95% {quantiles(delays, n=20)[-1]:.1f}")  # fmt: skip
    print(f"resident memory after each round, in MiB: {memory}")
    await client.aclose()
    await decoder.aclose()
    after = (_descriptors(), len(asyncio.all_tasks()))
    print(f"open files and tasks before: {before}, after: {after}")


def _descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def _resident() -> int:
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") // 2**20


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("index", type=Path)
    parser.add_argument("--decodes", type=int, default=64)
    parser.add_argument("--k", type=int, default=8)
    parser.add_argument("--rate", type=float, default=2.0, help="tokens per second and stream")
    parser.add_argument("--tokens", type=int, default=60, help="tokens of each candidate")
    parser.add_argument("--seconds", type=float, default=20.0, help="start no round after this")
    parser.add_argument("--prune", default="margin:0.05")
    arguments = parser.parse_args()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, 8192)), hard))
    ours, theirs = multiprocessing.Pipe()
    server = multiprocessing.get_context("spawn").Process(
        target=serve, args=(theirs, arguments.rate, arguments.tokens), daemon=True
    )
    server.start()
    try:
        asyncio.run(load(arguments, ours.recv()))
        ours.send(True)
        print(f"connections open at the server afterwards: {ours.recv()}")
    finally:
        server.terminate()
        server.join()


if __name__ == "__main__":
    main()
