"""A loopback server of chat completions that sends known reports at a known pace.

    python -m benchmarks.paced_server [--rate 20] [--first 0.05]

Prints its port. The text of an answer is ``report_text(seed)`` of the request's seed, one word a
chunk, so that whoever reads it knows what must have come. ``GET /sent/SEED,SEED`` tells, once, at
which moments the words of these answers were handed to the kernel, on the clock that all processes
of a machine share; ``GET /stats`` what is open, and how the answers so far ended. It ends when its
standard input closes.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
import time
from dataclasses import asdict, dataclass

FINDINGS = (
    "The lungs are clear.",
    "Heart size is within normal limits.",
    "No pleural effusion or pneumothorax is seen.",
    "There is mild elevation of the left hemidiaphragm.",
    "The mediastinal contours are unremarkable.",
    "Streaky opacity at the right base may reflect atelectasis.",
    "No acute bony abnormality.",
    "A small calcified granuloma projects over the left upper lobe.",
)
IMPRESSIONS = (
    "No acute cardiopulmonary disease.",
    "Mild basilar atelectasis without focal consolidation.",
    "Stable appearance of the chest.",
)
Moments = dict[int, list[float]]
SITES = ("right apex", "left base", "lingula", "right hilum", "left costophrenic angle")


def report_text(seed: int) -> str:
    """The report of one candidate. One of its sentences, of 200 such, stands in no corpus."""
    chance = random.Random(seed)
    findings = chance.sample(FINDINGS, 5)
    size = chance.randint(3, 42)
    findings.insert(chance.randint(1, 4), f"A nodule of {size} mm at the {chance.choice(SITES)}.")
    return f"Findings: {' '.join(findings)}\nImpression: {chance.choice(IMPRESSIONS)}"


def words_of(text: str) -> list[str]:
    """The chunks of a text: words with the space before them."""
    first, *rest = text.split(" ")
    return [first, *(f" {word}" for word in rest)]


@dataclass
class Stats:
    """What is open now, and how many answers there were and how they ended."""

    connections: int = 0
    answering: int = 0
    begun: int = 0
    finished: int = 0
    hung_up: int = 0
    cpu_seconds: float = 0.0


class PacedServer(asyncio.Protocol):
    """One connection. Answers one request at a time."""

    def __init__(self, rate: float, first: float, stats: Stats, sent: Moments) -> None:
        self._rate = rate
        self._first = first
        self._stats = stats
        self._sent = sent
        self._received = b""
        self._next: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._stats.connections += 1

    def connection_lost(self, error: Exception | None) -> None:
        self._stats.connections -= 1
        if self._next is not None:
            self._next.cancel()
            self._over("hung_up")

    def data_received(self, data: bytes) -> None:
        self._received += data
        head, found, body = self._received.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").lower().split("\r\n")
        lengths = [line.partition(":")[2] for line in lines if line.startswith("content-length:")]
        if not found or len(body) < int(lengths[0] if lengths else 0):
            return
        self._received = b""
        path = lines[0].split(" ")[1]
        if path.startswith("/sent/"):
            seeds = path.removeprefix("/sent/").split(",")
            self._tell({seed: self._sent.pop(int(seed), []) for seed in seeds})
        elif path == "/stats":
            self._stats.cpu_seconds = time.process_time()
            self._tell(asdict(self._stats))
        else:
            self._answer(int(json.loads(body)["seed"]))

    def _tell(self, what: dict[str, object]) -> None:
        body = json.dumps(what).encode()
        self._transport.write(
            b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\nconnection: close\r\n\r\n%b"
            % (len(body), body)
        )
        self._transport.close()

    def _answer(self, seed: int) -> None:
        self._stats.begun += 1
        self._stats.answering += 1
        self._words = words_of(report_text(seed))
        self._at = 0
        self._moments = self._sent[seed] = []
        self._transport.write(
            b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n"
            b"transfer-encoding: chunked\r\n\r\n"
        )
        loop = asyncio.get_running_loop()
        # Each stream at a moment of its own within the step, as on a server that is not in step.
        begin = loop.time() + self._first + random.random() / self._rate
        self._due = begin
        self._next = loop.call_at(begin, self._step)

    def _step(self) -> None:
        if self._at == len(self._words):
            finish = {"index": 0, "delta": {}, "finish_reason": "stop"}
            usage = {"prompt_tokens": 700, "completion_tokens": len(self._words)}
            self._send([finish])
            self._send([], usage=usage)
            self._write(b"data: [DONE]\n\n")
            self._transport.write(b"0\r\n\r\n")
            self._next = None
            self._over("finished")
            return
        delta = {"content": self._words[self._at]}
        self._moments.append(time.monotonic())
        self._send([{"index": 0, "delta": delta, "finish_reason": None}])
        self._at += 1
        self._due += 1 / self._rate
        self._next = asyncio.get_running_loop().call_at(self._due, self._step)

    def _send(self, choices: list[dict[str, object]], **fields: object) -> None:
        head = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
        event = json.dumps(head | {"choices": choices} | fields)
        self._write(b"data: %b\n\n" % event.encode())

    def _write(self, event: bytes) -> None:
        self._transport.write(b"%x\r\n%b\r\n" % (len(event), event))

    def _over(self, how: str) -> None:
        self._next = None
        self._stats.answering -= 1
        setattr(self._stats, how, getattr(self._stats, how) + 1)


async def serve(rate: float, first: float) -> None:
    loop = asyncio.get_running_loop()
    stats, sent = Stats(), Moments()
    server = await loop.create_server(
        lambda: PacedServer(rate, first, stats, sent), "127.0.0.1", 0, backlog=1024
    )
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.to_thread(sys.stdin.read)
    server.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rate", type=float, default=20.0, help="words a second and stream")
    parser.add_argument("--first", type=float, default=0.05, help="seconds to the first word")
    arguments = parser.parse_args()
    asyncio.run(serve(arguments.rate, arguments.first))


if __name__ == "__main__":
    main()
