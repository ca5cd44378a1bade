"""A limit on how long nothing may come, which costs next to nothing to push back."""

from __future__ import annotations

import asyncio
import math
from types import TracebackType
from typing import Self


class SilenceLimit:
    """As ``asyncio.timeout(seconds)``, with a limit that starts anew with each ``restart``.

    A stream restarts it with every piece. So there is one timer for many pieces: when it goes off
    too early, it is set to what is left. ``seconds`` is the limit that holds; ``None`` is none.
    """

    def __init__(self, seconds: float | None) -> None:
        self.seconds = seconds
        self._timer: asyncio.TimerHandle | None = None

    async def __aenter__(self) -> Self:
        self._loop = asyncio.get_running_loop()
        self._timeout = asyncio.timeout(None)
        await self._timeout.__aenter__()
        self.restart(self.seconds)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._timer is not None:
            self._timer.cancel()
        await self._timeout.__aexit__(kind, error, trace)

    def restart(self, seconds: float | None) -> None:
        """From now on it may be silent for ``seconds``."""
        self.seconds = seconds
        self._due = math.inf if seconds is None else self._loop.time() + seconds
        if self._timer is not None and self._due < self._timer.when():
            self._timer.cancel()
            self._timer = None
        if self._timer is None and self._due < math.inf:
            self._timer = self._loop.call_at(self._due, self._look)

    def _look(self) -> None:
        self._timer = None
        if self._due == math.inf:
            return
        now = self._loop.time()
        # A loop may call a little early, within the resolution of its clock.
        if self._due - now > 0.001:
            self._timer = self._loop.call_at(self._due, self._look)
        else:
            self._timeout.reschedule(now)
