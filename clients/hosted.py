"""What every client of a server has in common: one event loop, a limit, an orderly close."""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from clients.base import CandidateStream, Client, Finish, Request, SharedRequest, Usage
from clients.errors import ClientClosedError
from clients.reader import Event, Pace, ReaderStream, Reading
from clients.shared_reader import OfChoice, SharedReader


class HostedClient(Client):
    """A client whose candidates are requests to a server.

    At most ``max_concurrency`` requests are open at a time, over all decodes that share the
    client; the others wait for their turn, and a wait between two attempts keeps its place. A
    member of the family gives ``attempt`` (one request) and ``close_transport``.

    The connections belong to the event loop in which the client is first used. Use in another
    loop, or after ``aclose``, raises ``ClientClosedError``.
    """

    def __init__(self, *, max_concurrency: int = 64, pace: Pace | None = None) -> None:
        self.max_concurrency = max_concurrency
        self.pace = pace or Pace()
        self._slots = asyncio.Semaphore(max_concurrency)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._closed = False
        self._live: set[Reading[Any]] = set()

    @abstractmethod
    def attempt(self, request: Request, candidate: int) -> AsyncGenerator[Event, None]:
        """Send one request and yield its events. See ``ReaderStream``."""

    @abstractmethod
    async def close_transport(self) -> None:
        """Close the connections that the client opened itself."""

    def stream(self, request: Request, candidate: int) -> CandidateStream:
        return ReaderStream(partial(self.attempt, request, candidate), self.pace, self._admit)

    def one_request(
        self, attempt: Callable[[], AsyncGenerator[OfChoice | Usage | Finish]], k: int
    ) -> SharedRequest:
        """The shared request that ``attempt`` sends. See ``SharedReader``."""
        return SharedReader(attempt, k, self.pace, self._admit)

    async def check(self, request: Request, k: int) -> None:
        self._bind()

    async def aclose(self) -> None:
        """Cancel the streams that still run and close the connections. Idempotent."""
        if self._closed:
            return
        self._closed = True
        loop = asyncio.get_running_loop()
        if self._loop is None or self._loop is loop:
            await self._close()
        elif self._loop.is_running():
            await asyncio.wrap_future(
                asyncio.run_coroutine_threadsafe(self._close(), self._loop), loop=loop
            )
        # Else the loop is gone, and its tasks and connections with it.

    async def _close(self) -> None:
        await asyncio.gather(*(reading.cancel() for reading in tuple(self._live)))
        await self.close_transport()

    def _bind(self) -> None:
        if self._closed:
            raise ClientClosedError(f"the client {self.name} is closed; open a new one")
        loop = asyncio.get_running_loop()
        if self._loop is None:
            self._loop = loop
        elif self._loop is not loop:
            raise ClientClosedError(
                f"the client {self.name} was used in another event loop before; open one client "
                "for each loop (each asyncio.run makes a loop of its own)"
            )

    @asynccontextmanager
    async def _admit(self, reading: Reading[Any]) -> AsyncIterator[None]:
        self._bind()
        self._live.add(reading)
        try:
            async with self._slots:
                yield
        finally:
            self._live.discard(reading)
