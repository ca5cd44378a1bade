"""The open streams of one decode: read side by side, stopped one by one, closed together."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

from clients import CandidateStream, Client, Finish, Piece, Request, SharedRequest, Usage
from clients.errors import StreamError
from clients.silence import SilenceLimit
from sdr_decode.guard import (
    PIECES_PER_TOKEN,
    checked_finish,
    checked_piece,
    checked_undelivered,
    checked_usage,
    is_ours,
    told,
)

_TURN = 32  # pieces after which the event loop gets its turn

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
        try:
            stream = self._stream(candidate)
            if not isinstance(stream, CandidateStream):
                raise StreamError(f"the client gave {stream!r:.80}; expected a CandidateStream")
        except Exception as error:  # noqa: BLE001 - whatever one stream raises, the others go on
            self._put(Arrival(candidate, Ended(Finish("error", told(error)))))
            return
        self._streams[candidate] = stream
        self._open.add(candidate)
        if not self._client.lockstep:
            self._readers[candidate] = asyncio.create_task(self._read(candidate))

    def _stream(self, candidate: int) -> CandidateStream:
        if self._shared is not None:
            return self._shared.streams[candidate]
        return self._client.stream(self._request, candidate)

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
        most = PIECES_PER_TOKEN * self._request.sampling.max_tokens
        try:
            async with SilenceLimit(self._timeouts.first) as silence:
                with self._heard(candidate, silence):
                    for number in range(most):
                        self._put(Arrival(candidate, await self._piece(stream)))
                        if candidate not in self._open:
                            return
                        self._break_silence(silence)
                        if number % _TURN == _TURN - 1:  # a stream may never wait by itself
                            await asyncio.sleep(0)
            raise StreamError(f"the stream gave {most:,} pieces and did not end")
        except StopAsyncIteration:
            self._put(self._ended(candidate))
        except BaseException as error:
            if is_ours(error):
                raise
            self._put(await self._failed(candidate, error, silence.seconds))

    async def _piece(self, stream: CandidateStream) -> Piece:
        """The next piece, checked. An end of the iteration passes."""
        try:
            return checked_piece(await anext(stream))
        except (Exception, asyncio.CancelledError, KeyboardInterrupt):
            raise
        except BaseException as error:  # an exit, even, is this stream's alone
            raise StreamError(told(error)) from error

    @contextlib.contextmanager
    def _heard(self, candidate: int, silence: SilenceLimit) -> Iterator[None]:
        """While a candidate's silence is limited."""
        self._silences[candidate] = silence
        try:
            yield
        finally:
            del self._silences[candidate]

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
                piece = await self._piece(stream)
        except StopAsyncIteration:
            return [self._ended(candidate)]
        except BaseException as error:
            if is_ours(error):
                raise
            return [await self._failed(candidate, error, patience)]
        self._begun.add(candidate)
        arrivals = [Arrival(candidate, piece)]
        if stream.finish is not None:
            arrivals.append(self._ended(candidate))
        return arrivals

    def _ended(self, candidate: int) -> Arrival:
        return self._end(candidate, checked_finish(self._streams[candidate].finish))

    async def _failed(
        self, candidate: int, error: BaseException, patience: float | None
    ) -> Arrival:
        await self._cancel(self._streams[candidate])
        silent = isinstance(error, TimeoutError) and not str(error) and patience is not None
        said = f"no text arrived for {patience:g} s" if silent else told(error)
        return self._end(candidate, Finish("error", said))

    def _end(self, candidate: int, finish: Finish) -> Arrival:
        self._open.discard(candidate)
        return Arrival(candidate, Ended(finish, checked_usage(self._streams[candidate].usage)))

    async def _close(self, candidate: int) -> None:
        stream = self._streams[candidate]
        await self._cancel(stream)
        reader = self._readers.get(candidate)
        if reader is not None:
            reader.cancel()
            await asyncio.wait([reader])
        self._inbox += [Arrival(candidate, piece) for piece in checked_undelivered(stream)]
        finish = stream.finish if isinstance(stream.finish, Finish) else Finish("cancelled")
        self._inbox.append(Arrival(candidate, Ended(finish, checked_usage(stream.usage))))

    async def _cancel(self, stream: CandidateStream) -> None:
        """Stop a stream. One that cannot be stopped is left to itself."""
        try:
            async with asyncio.timeout(CLOSING_SECONDS):
                await stream.cancel()
        except BaseException as error:
            if is_ours(error):
                raise
