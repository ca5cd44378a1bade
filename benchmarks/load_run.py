"""Many decodes side by side against the paced server, and what became of every candidate."""

from __future__ import annotations

import asyncio
import itertools
import math
import time
from collections import Counter
from contextlib import aclosing
from dataclasses import dataclass, field

from benchmarks.paced_server import report_text
from benchmarks.paced_server_process import PacedServerProcess
from sdr_decode.decoder import SDRDecoder
from sdr_decode.events import TokenDelta
from sdr_decode.result import Result

SHORTEST_SECONDS = 0.00001
STEP = math.log(1.02)


class Delays:
    """Delays in buckets that are 2% apart, so that a long run takes no more memory than a short
    one."""

    def __init__(self) -> None:
        self._buckets: Counter[int] = Counter()

    def add(self, seconds: float) -> None:
        self._buckets[int(math.log(max(seconds, SHORTEST_SECONDS) / SHORTEST_SECONDS) / STEP)] += 1

    @property
    def count(self) -> int:
        return self._buckets.total()

    def quantile(self, share: float) -> float:
        """In seconds; not a number where nothing was measured."""
        left = share * self.count
        for bucket in sorted(self._buckets):
            left -= self._buckets[bucket]
            if left <= 0:
                return SHORTEST_SECONDS * math.exp((bucket + 0.5) * STEP)
        return float("nan")


@dataclass
class LoadReport:
    """What a load run saw.

    ``states`` counts candidates by their end; ``lost`` names those without an end, or with another
    text than the server sent to them. ``delays`` are from the server's send to the event.
    """

    decodes: int = 0
    tokens: int = 0
    states: Counter[str] = field(default_factory=Counter)
    lost: list[str] = field(default_factory=list)
    delays: Delays = field(default_factory=Delays)


async def run_load(
    decoder: SDRDecoder,
    server: PacedServerProcess,
    *,
    side_by_side: int,
    k: int,
    seconds: float | None = None,
    decodes: int | None = None,
    spread: float = 0.0,
    report: LoadReport | None = None,
) -> LoadReport:
    """Keep ``side_by_side`` decodes of ``k`` running until the time is over or so many are done.

    The first ones begin over ``spread`` seconds; delays count when these are over. A decode that
    has begun is brought to its end.
    """
    report = report or LoadReport()
    began = time.monotonic()
    numbers = itertools.count() if decodes is None else iter(range(decodes))

    async def work(place: int) -> None:
        await asyncio.sleep(spread * place / side_by_side)
        for number in numbers:
            if seconds is not None and time.monotonic() - began >= seconds:
                return
            seed = number * k
            moments: list[list[float]] = [[] for _ in range(k)]
            result = await _decode(decoder, k, seed, moments)
            report.decodes += 1
            _check(result, seed, report)
            sent = await server.sent(range(seed, seed + k))
            for candidate, arrived in enumerate(moments):
                report.tokens += len(arrived)
                for left, came in zip(sent[seed + candidate], arrived, strict=False):
                    if left >= began + spread:
                        report.delays.add(came - left)

    async with asyncio.TaskGroup() as workers:
        for place in range(side_by_side):
            workers.create_task(work(place))
    return report


async def _decode(decoder: SDRDecoder, k: int, seed: int, moments: list[list[float]]) -> Result:
    async with aclosing(decoder.stream(k=k, seed=seed)) as events:
        async for event in events:
            if isinstance(event, TokenDelta):
                moments[event.candidate].append(time.monotonic())
            elif isinstance(event, Result):
                return event
    raise AssertionError("a decode ends with its result")


def _check(result: Result, seed: int, report: LoadReport) -> None:
    for candidate in result.candidates:
        whole = report_text(seed + candidate.number)
        report.states[candidate.state] += 1
        complete = candidate.state == "finished" and candidate.text == whole
        cut = candidate.state == "pruned" and whole.startswith(candidate.text)
        if not (complete or cut):
            report.lost.append(
                f"seed {seed + candidate.number} {candidate.state} ({candidate.ended}) after "
                f"{len(candidate.text)} of {len(whole)} characters"
            )
