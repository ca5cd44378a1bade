"""A stream whose pieces are made on this machine: replayed or sampled, not received."""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import Generator, Iterable
from dataclasses import dataclass

from clients.base import CandidateStream, Finish, Piece, SharedRequest, Usage
from clients.errors import ClientError, StreamError


@dataclass(frozen=True, slots=True)
class Ending:
    """How a local stream ends. A stream whose finish is an error raises its ``detail``
    once its pieces are out."""

    finish: Finish
    usage: Usage | None = None


# Yields each piece with the seconds after the start at which it is due, ``None`` for at once,
# and returns how the stream ended.
Pieces = Generator[tuple[float | None, Piece], None, Ending]


class LocalStream(CandidateStream):
    """Plays the pieces of ``open_pieces`` when they are due, on the event loop's clock."""

    def __init__(self) -> None:
        self._pieces: Pieces | None = None
        self._started = 0.0
        self._cancelled: asyncio.Future[None] | None = None
        self._ahead: tuple[float | None, Piece] | None = None
        self._failure: str | None = None

    @abstractmethod
    async def open_pieces(self) -> Pieces:
        """Everything slow that comes before the first piece. Raises ``ClientError``."""

    async def __anext__(self) -> Piece:
        if self._ahead is None and self.finish is None:
            if self._pieces is None:
                await self._open()
            self._ahead = self._take()
        if self._ahead is None:
            failure, self._failure = self._failure, None
            if failure is not None:
                raise StreamError(failure)
            raise StopAsyncIteration
        (due, content), self._ahead = self._ahead, None
        if due is not None:
            await self._wait_until(self._started + due)
            if self._has_finished():
                raise StopAsyncIteration
        else:  # without a time of its own, the end comes together with the last piece
            self._ahead = self._take()
        return content

    async def cancel(self) -> None:
        self._ahead = self._failure = None
        if self.finish is None:
            self.finish = Finish("cancelled")
            if self._pieces is not None:
                self._pieces.close()
            if self._cancelled is not None and not self._cancelled.done():
                self._cancelled.set_result(None)

    async def _open(self) -> None:
        """Open the pieces, unless a cancel comes first."""
        loop = asyncio.get_running_loop()
        self._cancelled = loop.create_future()
        self._started = loop.time()
        opening = loop.create_task(self.open_pieces())
        try:
            await asyncio.wait((opening, self._cancelled), return_when=asyncio.FIRST_COMPLETED)
            if not self._has_finished():
                self._pieces = opening.result()
        except ClientError as error:
            self.finish = Finish("error", str(error))
            raise StreamError(str(error)) from error
        finally:
            if not opening.cancel() and not opening.cancelled():
                opening.exception()  # read, so that a failure after a cancel is not logged

    def _take(self) -> tuple[float | None, Piece] | None:
        """The next piece, or ``None`` at the end, which is then known."""
        if self._pieces is None:
            return None
        try:
            return next(self._pieces)
        except StopIteration as stop:
            ending: Ending = stop.value
        self.finish, self.usage = ending.finish, ending.usage
        if ending.finish.reason == "error":
            self._failure = ending.finish.detail or "the stream failed"
        return None

    async def _wait_until(self, due: float) -> None:
        """Wait for a moment of the loop's clock, or for a cancel."""
        loop = asyncio.get_running_loop()
        if due > loop.time():
            assert self._cancelled is not None
            await asyncio.wait({self._cancelled}, timeout=due - loop.time())

    def _has_finished(self) -> bool:
        """A cancel from another task may have set ``finish`` during an ``await``."""
        return self.finish is not None


class LocalRequest(SharedRequest):
    """Local streams as if one request had brought them. They keep token counts of their own."""

    def __init__(self, streams: Iterable[CandidateStream]) -> None:
        self._streams = tuple(streams)

    @property
    def streams(self) -> tuple[CandidateStream, ...]:
        return self._streams

    @property
    def usage(self) -> Usage | None:
        return None
