"""The open streams of one decode: read side by side, stopped one by one, closed together."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass
from typing import Self

from clients import CandidateStream, Client, Finish, Piece, Request, SharedRequest, Usage
from clients.errors import ClientError
from clients.silence import SilenceLimit

CLOSING_SECONDS = 10.0
"""How long a stream may take to close before the decode goes on without it."""


@dataclass(frozen=True, slots=True)
class Timeouts:
    """In seconds; ``None`` waits for ever.

    ``first`` is how long the first piece of a stream may take, with the waiting for a free
    connection and the retries that the client allows itself; ``piece`` is the longest silence
    after that, ``total`` the longest decode.
    """

    first: float | None = 600.0
    piece: float | None = 120.0
    total: float | None = None


@dataclass(frozen=True, slots=True)
class Ended:
    """A stream came to its end, or failed (``finish.reason`` is then ``error``)."""

    finish: Finish
    usage: Usage | None = None


@dataclass(frozen=True, slots=True)
class Arrival:
    """Something that candidate number ``candidate`` sent."""

    candidate: int
    what: Piece | Ended


class Streams:
    """Candidate streams of one request. Use as ``async with``: on exit all of them are closed.

    A live client's streams are read by one task each, which moves pieces into the inbox, so that
    a slow step of the decoder never holds a stream up. A client in lockstep is asked for exactly
    one piece per open stream and step. The streams of a ``shared`` request cannot be stopped one
    by one, and whatever one of them brings shows that all are alive.
    """

    def __init__(
        self,
        client: Client,
        request: Request,
        timeouts: Timeouts,
        shared: SharedRequest | None = None,
    ) -> None:
        self._client = client
        self._shared = shared
        self._request = request
        self._timeouts = timeouts
        self._streams: dict[int, CandidateStream] = {}
        self._open: set[int] = set()
        self._begun: set[int] = set()
        self._readers: dict[int, asyncio.Task[None]] = {}
        self._silences: dict[int, SilenceLimit] = {}
        self._closers: list[asyncio.Task[None]] = []
        self._inbox: list[Arrival] = []
        self._news = asyncio.Event()
        self._deadline: float | None = None

    async def __aenter__(self) -> Self:
        if self._timeouts.total is not None:
            self._deadline = asyncio.get_running_loop().time() + self._timeouts.total
        return self

    async def __aexit__(self, *exc: object) -> None:
        for candidate in sorted(self._open):
            self._shut(candidate)
        await asyncio.gather(*self._closers)

    def open(self, candidate: int) -> None:
        """Start reading candidate number ``candidate``."""
        self._streams[candidate] = (
            self._shared.streams[candidate]
            if self._shared is not None
            else self._client.stream(self._request, candidate)
        )
        self._open.add(candidate)
        if not self._client.lockstep:
            self._readers[candidate] = asyncio.create_task(self._read(candidate))

    async def arrivals(self) -> list[Arrival]:
        """What came in since the last call, in the order of arrival; waits for something.

        When the decode has run for longer than it may, the end of every open stream comes in.
        """
        try:
            async with asyncio.timeout_at(self._deadline):
                if self._client.lockstep:
                    for candidate in sorted(self._open):
                        self._inbox += await self._step(candidate)
                else:
                    await self._news.wait()
        except TimeoutError:
            overdue = Ended(
                Finish("error", f"the decode took longer than {self._timeouts.total:g} s")
            )
            for candidate in sorted(self._open):
                self._shut(candidate)
                self._inbox.append(Arrival(candidate, overdue))
        return self.pending()

    def pending(self) -> list[Arrival]:
        """What lies in the inbox, without waiting."""
        self._news.clear()
        arrivals, self._inbox = self._inbox, []
        return arrivals

    def stop(self, candidate: int) -> None:
        """Stop a stream. Its closing goes on beside the decode and is awaited at the end.

        A stream of a shared request goes on until all are closed, and what it brings still comes
        in: it is generated, and billed.
        """
        if self._shared is None:
            self._shut(candidate)

    def _shut(self, candidate: int) -> None:
        if candidate in self._open:
            self._open.discard(candidate)
            self._closers.append(asyncio.create_task(self._close(candidate)))

    async def _read(self, candidate: int) -> None:
        """Move what a live stream brings into the inbox, until its end."""
        stream = self._streams[candidate]
        try:
            async with SilenceLimit(self._timeouts.first) as silence:
                self._silences[candidate] = silence
                try:
                    async for piece in stream:
                        self._put(Arrival(candidate, piece))
                        if candidate not in self._open:
                            return
                        self._break_silence(silence)
                finally:
                    del self._silences[candidate]
            self._put(self._ended(candidate))
        except Exception as error:  # noqa: BLE001 - whatever one stream raises, the others go on
            self._put(await self._failed(candidate, error, silence.seconds))

    def _break_silence(self, silence: SilenceLimit) -> None:
        broken = (silence,) if self._shared is None else self._silences.values()
        for limit in broken:
            limit.restart(self._timeouts.piece)

    def _put(self, arrival: Arrival) -> None:
        self._inbox.append(arrival)
        self._news.set()

    async def _step(self, candidate: int) -> list[Arrival]:
        """The next piece of a stream in lockstep, or its end, or both where it knows both."""
        stream = self._streams[candidate]
        patience = self._timeouts.piece if candidate in self._begun else self._timeouts.first
        try:
            async with asyncio.timeout(patience):
                piece = await anext(stream)
        except StopAsyncIteration:
            return [self._ended(candidate)]
        except Exception as error:  # noqa: BLE001 - whatever one stream raises, the others go on
            return [await self._failed(candidate, error, patience)]
        self._begun.add(candidate)
        arrivals = [Arrival(candidate, piece)]
        if stream.finish is not None:
            arrivals.append(self._ended(candidate))
        return arrivals

    def _ended(self, candidate: int) -> Arrival:
        finish = self._streams[candidate].finish
        return self._end(candidate, finish or Finish("error", "no finish reason"))

    async def _failed(self, candidate: int, error: Exception, patience: float | None) -> Arrival:
        await self._cancel(self._streams[candidate])
        if isinstance(error, TimeoutError):
            said = f"no text arrived for {patience:g} s"
        else:
            said = str(error) if isinstance(error, ClientError) else repr(error)
        return self._end(candidate, Finish("error", said))

    def _end(self, candidate: int, finish: Finish) -> Arrival:
        self._open.discard(candidate)
        return Arrival(candidate, Ended(finish, self._streams[candidate].usage))

    async def _close(self, candidate: int) -> None:
        await self._cancel(self._streams[candidate])
        reader = self._readers.get(candidate)
        if reader is not None:
            reader.cancel()
            await asyncio.wait([reader])
        stream = self._streams[candidate]
        end = Ended(stream.finish or Finish("cancelled"), stream.usage)
        self._inbox.append(Arrival(candidate, end))

    async def _cancel(self, stream: CandidateStream) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(CLOSING_SECONDS):
                await stream.cancel()
