"""Several candidate streams over one connection: one task reads, and deals out what it reads."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass

from clients.base import CandidateStream, Finish, Piece, SharedRequest, Usage
from clients.errors import ClientError, StreamError
from clients.queued_stream import QueuedStream
from clients.reader import Pace, Reading


@dataclass(frozen=True, slots=True)
class OfChoice:
    """What came for candidate number ``choice`` of a request: a piece, or its end."""

    choice: int
    what: Piece | Finish | StreamError


class SharedReader(Reading[OfChoice], SharedRequest):
    """The ``k`` candidates of the request that ``attempt`` sends.

    ``attempt`` yields what comes for each candidate, and a ``Finish`` of its own once all have
    ended. A candidate that ends is told at once, but the last one only with the request, since the
    token counts come between. What breaks the request off fails all candidates that still ran.
    """

    def __init__(
        self,
        attempt: Callable[[], AsyncGenerator[OfChoice | Usage | Finish]],
        k: int,
        pace: Pace,
        admit: Callable[[Reading[OfChoice]], AbstractAsyncContextManager[object]],
    ) -> None:
        super().__init__(attempt, pace)
        self._admit = admit
        self._streams = tuple(ChoiceStream(self, choice) for choice in range(k))
        self._usage: Usage | None = None
        self._silent = set(range(k))
        self._running = set(range(k))
        self._wanted = set(range(k))
        self._last: OfChoice | None = None
        self._broken_off = False

    @property
    def streams(self) -> tuple[CandidateStream, ...]:
        return self._streams

    @property
    def usage(self) -> Usage | None:
        return self._usage

    async def cancel(self) -> None:
        await asyncio.gather(*(stream.cancel() for stream in self._streams))

    def begin(self) -> None:
        """Send the request, if it has not been sent."""
        self._start()

    def drop(self, choice: int) -> None:
        """Candidate number ``choice`` was cancelled."""
        self._wanted.discard(choice)
        self._break_off_unwanted()

    async def closed(self) -> None:
        """Wait for the connection to close, if nobody wants it any more."""
        if self._broken_off:
            await self._over()

    def _break_off_unwanted(self) -> None:
        if not self._wanted and not self._broken_off:
            self._broken_off = True
            self._break_off()

    def _admitted(self) -> AbstractAsyncContextManager[object]:
        return self._admit(self)

    def _deliver(self, item: OfChoice) -> None:
        self._silent.discard(item.choice)
        if not isinstance(item.what, Piece):
            self._running.discard(item.choice)
            if not self._running:
                self._last = item
                return
            self._wanted.discard(item.choice)
        self._streams[item.choice].put(item.what)
        self._break_off_unwanted()

    def _tell(self, usage: Usage | None) -> None:
        self._usage = usage

    def _end(self, end: Finish | ClientError) -> None:
        if self._last is not None:
            self._streams[self._last.choice].put(self._last.what)
        for choice in self._running:
            self._streams[choice].put(self._end_of(choice, end))

    def _end_of(self, choice: int, end: Finish | ClientError) -> Finish | ClientError:
        ended = len(self._streams) - len(self._running)
        if isinstance(end, StreamError) and choice in self._silent and ended:
            return StreamError(
                f"the server sent {ended} of {len(self._streams)} candidates and none of this one "
                f"({end}); if it takes no n, use the launch plan parallel"
            )
        return end


class ChoiceStream(QueuedStream):
    """One candidate of a shared request."""

    def __init__(self, request: SharedReader, choice: int) -> None:
        super().__init__()
        self._request = request
        self._choice = choice

    async def cancel(self) -> None:
        """Hear no more. Closes the connection, and waits for it, when no other stream wants it."""
        self._stop()
        await self._request.closed()

    def _begin(self) -> None:
        self._request.begin()

    def _halt(self) -> None:
        self._request.drop(self._choice)
