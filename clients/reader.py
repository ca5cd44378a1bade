"""A candidate stream over a network: one task reads, the consumer takes from a queue.

Vendors' streams close their connection dependably in one way only: when the task that is reading
is cancelled while it reads. So exactly one task reads, and does nothing but move what it reads
into a queue. The queue has no bound, since a bounded one would leave the reader waiting on the
queue instead of the connection; what lies in it was generated, and is paid for, either way.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, aclosing
from dataclasses import dataclass, field

from clients.base import CandidateStream, Finish, Piece, Usage
from clients.errors import ClientError, StreamError, StreamTimeoutError
from clients.retry import RetryPolicy
from clients.silence import SilenceLimit

Event = Piece | Usage | Finish


@dataclass(frozen=True, slots=True)
class Timeouts:
    """How long a stream may stay silent, in seconds.

    ``first`` is from sending the request to the first event, ``silence`` is between events.
    Keep-alive lines are silence. After the finish reason only the token counts are awaited, for
    ``usage`` seconds: a report that is complete does not fail because they are late.
    """

    first: float = 120.0
    silence: float = 60.0
    usage: float = 5.0


@dataclass(frozen=True, slots=True)
class Pace:
    """What a stream goes by. The callables are seams for tests."""

    timeouts: Timeouts = Timeouts()
    retry: RetryPolicy = field(default_factory=RetryPolicy)
    sleep: Callable[[float], Awaitable[object]] = field(default=asyncio.sleep, repr=False)
    clock: Callable[[], float] = field(default=time.monotonic, repr=False)
    jitter: Callable[[], float] = field(default=random.random, repr=False)


class ReaderStream(CandidateStream):
    """The stream that ``attempt`` gives, tried again while nothing of it has been delivered.

    ``attempt()`` sends one request and yields pieces, usage and the finish (of these two a later
    one replaces an earlier one); it raises ``StreamError``, and closes its connection however it
    is left.
    ``admit(stream)`` is entered before the first attempt and left when the reading is over.

    After a cancel ``usage`` is what the provider had told until then: exact where the report was
    already complete, a lower bound otherwise. A consumer's task that is cancelled while it waits
    for a piece cancels the stream too.
    """

    def __init__(
        self,
        attempt: Callable[[], AsyncGenerator[Event, None]],
        pace: Pace,
        admit: Callable[[ReaderStream], AbstractAsyncContextManager[object]],
    ) -> None:
        self.attempts = 0
        self._attempt = attempt
        self._pace = pace
        self._admit = admit
        self._arrived: deque[Piece | Finish | ClientError] = deque()
        self._news = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._delivered = False

    @property
    def undelivered(self) -> tuple[Piece, ...]:
        return tuple(item for item in self._arrived if isinstance(item, Piece))

    async def __anext__(self) -> Piece:
        if self.finish is not None:
            raise StopAsyncIteration
        if self._task is None:
            self._task = asyncio.create_task(self._read())
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

    async def cancel(self) -> None:
        self._stop()
        if self._task is not None and not self._task.done():
            await asyncio.wait((self._task,))

    def _put(self, item: Piece | Finish | ClientError) -> None:
        self._arrived.append(item)
        self._news.set()

    def _stop(self) -> None:
        if self.finish is None:
            self.finish = Finish("cancelled")
            # The reader's task may never have begun, and then wakes nobody.
            self._put(self.finish)
            # Only once: a second cancel would interrupt the closing that the first began.
            if self._task is not None:
                self._task.cancel()

    async def _read(self) -> None:
        end: Finish | ClientError = Finish("cancelled")
        try:
            async with self._admit(self):
                end = await self._attempts()
        except ClientError as error:
            end = error
        except Exception as error:  # noqa: BLE001 - the consumer must hear of it
            end = StreamError(
                f"the stream could not be read: {type(error).__name__}; this is a fault of the "
                "client, please report it"
            )
            end.__cause__ = error
        finally:
            self._put(end)

    async def _attempts(self) -> Finish:
        pace, began = self._pace, self._pace.clock()
        while True:
            self.attempts += 1
            try:
                return await self._one_attempt()
            except StreamError as error:
                failure = error
            if self._delivered or not failure.retryable:
                raise failure
            wait = pace.retry.wait(
                self.attempts,
                elapsed=pace.clock() - began,
                retry_after=failure.retry_after,
                jitter=pace.jitter(),
            )
            if wait is None:
                raise type(failure)(self._given_up(failure), retry_after=failure.retry_after)
            await pace.sleep(wait)

    def _given_up(self, failure: StreamError) -> str:
        tries = "1 attempt" if self.attempts == 1 else f"{self.attempts} attempts"
        asked = failure.retry_after
        wish = f", the server asks for a wait of {asked:g} s" if asked else ""
        return f"{failure} (gave up after {tries}{wish})"

    async def _one_attempt(self) -> Finish:
        timeouts = self._pace.timeouts
        finish: Finish | None = None
        self.usage = None
        async with aclosing(self._attempt()) as events:
            try:
                async with SilenceLimit(timeouts.first) as silence:
                    while (event := await anext(events, None)) is not None:
                        if isinstance(event, Piece):
                            self._delivered = True
                            self._put(event)
                            silence.restart(timeouts.silence)
                        elif isinstance(event, Usage):
                            self.usage = event
                            silence.restart(silence.seconds)
                        else:
                            finish = event
                            silence.restart(timeouts.usage)
            except TimeoutError:
                if finish is None:
                    when = "after the last piece" if self._delivered else "after the request"
                    raise StreamTimeoutError(
                        f"nothing came for {silence.seconds:g} s {when}; try again, or allow a "
                        "longer timeout",
                        retryable=True,
                    ) from None
            except StreamError:
                if finish is None:
                    raise
        if finish is None:
            raise StreamError(
                "the connection ended before the report did; try again", retryable=True
            )
        return finish
