"""Time that the contract suite rules."""

from __future__ import annotations

import asyncio

from clients.reader import Pace, Timeouts
from clients.retry import RetryPolicy
from tests.clients.wire_server import SAFETY_SECONDS


class Clock:
    """Time that passes only when someone sleeps."""

    def __init__(self) -> None:
        self.now = 0.0
        self.sleeps: list[float] = []

    async def sleep(self, seconds: float) -> None:
        self.sleeps.append(seconds)
        self.now += seconds
        await asyncio.sleep(0)

    def pace(self, timeouts: Timeouts | None = None, retry: RetryPolicy | None = None) -> Pace:
        return Pace(
            timeouts=timeouts or Timeouts(first=SAFETY_SECONDS, silence=SAFETY_SECONDS),
            retry=retry or RetryPolicy(),
            sleep=self.sleep,
            clock=lambda: self.now,
            jitter=lambda: 0.5,
        )
