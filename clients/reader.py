"""A candidate stream over a network: one task reads, the consumer takes from a queue.

Vendors' streams close their connection dependably in one way only: when the task that is reading
is cancelled while it reads. So exactly one task reads, and does nothing but move what it reads
into a queue.
"""

from __future__ import annotations

import asyncio
import random
import time
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, aclosing
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from clients.base import Finish, Piece, Usage
from clients.errors import ClientError, StreamError, StreamTimeoutError
from clients.queued_stream import QueuedStream
from clients.retry import RetryPolicy
from clients.silence import SilenceLimit

Event = Piece | Usage | Finish
Item = TypeVar("Item")


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


class Reading(ABC, Generic[Item]):
    """One request, read by one task, and tried again while nothing of it has been delivered.

    ``attempt()`` sends the request once and yields items to deliver, usage and the finish (of
    these two a later one replaces an earlier one); it raises ``StreamError``, and closes its
    connection however it is left. The members say where each of these goes.
    """

    def __init__(self, attempt: Callable[[], AsyncGenerator[Item | Usage | Finish]], pace: Pace):
        self.attempts = 0
        self._attempt = attempt
        self._pace = pace
        self._task: asyncio.Task[None] | None = None
        self._delivered = False

    @abstractmethod
    async def cancel(self) -> None:
        """Stop, and return when the connection is closed. Idempotent."""

    @abstractmethod
    def _admitted(self) -> AbstractAsyncContextManager[object]:
        """Entered before the first attempt and left when the reading is over."""

    @abstractmethod
    def _deliver(self, item: Item) -> None: ...

    @abstractmethod
    def _tell(self, usage: Usage | None) -> None:
        """The token counts that hold now."""

    @abstractmethod
    def _end(self, end: Finish | ClientError) -> None:
        """Nothing more comes."""

    def _start(self) -> None:
        if self._task is None:
            self._task = asyncio.create_task(self._read())

    def _break_off(self) -> None:
        if self._task is not None:
            self._task.cancel()

    async def _over(self) -> None:
        if self._task is not None and not self._task.done():
            await asyncio.wait((self._task,))

    async def _read(self) -> None:
        end: Finish | ClientError = Finish("cancelled")
        try:
            async with self._admitted():
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
            self._end(end)

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
        self._tell(None)
        async with aclosing(self._attempt()) as events:
            try:
                async with SilenceLimit(timeouts.first) as silence:
                    while (event := await anext(events, None)) is not None:
                        if isinstance(event, Usage):
                            self._tell(event)
                            silence.restart(silence.seconds)
                        elif isinstance(event, Finish):
                            finish = event
                            silence.restart(timeouts.usage)
                        else:
                            self._delivered = True
                            self._deliver(event)
                            silence.restart(timeouts.silence)
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


class ReaderStream(Reading[Piece], QueuedStream):
    """The stream that ``attempt`` gives. ``admit(stream)`` is entered while it is read.

    After a cancel ``usage`` is what the provider had told until then: exact where the report was
    already complete, a lower bound otherwise.
    """

    def __init__(
        self,
        attempt: Callable[[], AsyncGenerator[Event]],
        pace: Pace,
        admit: Callable[[Reading[Piece]], AbstractAsyncContextManager[object]],
    ) -> None:
        Reading.__init__(self, attempt, pace)
        QueuedStream.__init__(self)
        self._admit = admit

    async def cancel(self) -> None:
        self._stop()
        await self._over()

    def _begin(self) -> None:
        self._start()

    def _halt(self) -> None:
        self._break_off()

    def _admitted(self) -> AbstractAsyncContextManager[object]:
        return self._admit(self)

    def _deliver(self, item: Piece) -> None:
        self.put(item)

    def _tell(self, usage: Usage | None) -> None:
        self.usage = usage

    def _end(self, end: Finish | ClientError) -> None:
        self.put(end)
