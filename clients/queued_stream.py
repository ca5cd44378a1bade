"""A candidate stream whose pieces another task puts into a queue."""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections import deque

from clients.base import CandidateStream, Finish, Piece
from clients.errors import ClientError


class QueuedStream(CandidateStream):
    """The consumer's end of a queue without a bound.

    A bounded one would leave whoever reads the connection waiting on the queue instead; what lies
    in it was generated, and is paid for, either way. A consumer's task that is cancelled while it
    waits for a piece cancels the stream.
    """

    def __init__(self) -> None:
        self._arrived: deque[Piece | Finish | ClientError] = deque()
        self._news = asyncio.Event()

    @property
    def undelivered(self) -> tuple[Piece, ...]:
        return tuple(item for item in self._arrived if isinstance(item, Piece))

    async def __anext__(self) -> Piece:
        if self.finish is not None:
            raise StopAsyncIteration
        self._begin()
        try:
            while not self._arrived:
                self._news.clear()
                await self._news.wait()
        except asyncio.CancelledError:
            self._stop()
            raise
        if self.finish is not None:  # cancelled meanwhile
            raise StopAsyncIteration
        item = self._arrived.popleft()
        if isinstance(item, Piece):
            return item
        if isinstance(item, Finish):
            self.finish = item
            raise StopAsyncIteration
        self.finish = Finish("error", str(item))
        raise item

    def put(self, item: Piece | Finish | ClientError) -> None:
        """Hand the consumer a piece, or the end."""
        self._arrived.append(item)
        self._news.set()

    @abstractmethod
    def _begin(self) -> None:
        """See to it that pieces come. Called before each is taken."""

    @abstractmethod
    def _halt(self) -> None:
        """See to it that none come any more. Called once."""

    def _stop(self) -> None:
        if self.finish is None:
            self.finish = Finish("cancelled")
            # The reader's task may never have begun, and then wakes nobody.
            self.put(self.finish)
            # Only once: a second cancel would interrupt the closing that the first began.
            self._halt()
