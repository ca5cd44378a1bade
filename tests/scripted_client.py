"""A client whose streams do what the test says, without clocks."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from clients import CandidateStream, Client, Finish, Piece, Request, SharedRequest, Usage
from clients.errors import StreamError

Step = str | Piece | Finish | Exception | asyncio.Event | Usage


class ScriptedStream(CandidateStream):
    """Plays steps: text, a finish, an error to raise, or an event to wait for. A script without a
    finish ends with ``stop``."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self._steps = list(steps)
        self._cancel = asyncio.Event()
        self.cancels = 0

    async def __anext__(self) -> Piece:
        while self._steps and self.finish is None:
            step = self._steps.pop(0)
            if isinstance(step, asyncio.Event):
                await self._wait(step)
            elif isinstance(step, Usage):
                self.usage = step
            elif isinstance(step, Finish):
                self.finish = step
            elif isinstance(step, Exception):
                raise step
            else:
                return Piece(step) if isinstance(step, str) else step
        if self.finish is None:
            self.finish = Finish("stop")
        raise StopAsyncIteration

    async def _wait(self, event: asyncio.Event) -> None:
        waits = [asyncio.ensure_future(e.wait()) for e in (event, self._cancel)]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()

    async def cancel(self) -> None:
        self.cancels += 1
        if self.finish is None:
            self.finish = Finish("cancelled")
        self._cancel.set()


class ScriptedRequest(SharedRequest):
    """Scripted streams as if one request had brought them."""

    def __init__(self, client: ScriptedClient, streams: Sequence[ScriptedStream]) -> None:
        self._client = client
        self._streams = tuple(streams)

    @property
    def streams(self) -> tuple[ScriptedStream, ...]:
        return self._streams

    @property
    def usage(self) -> Usage | None:
        return self._client.whole


class ScriptedClient(Client):
    """One script per candidate. ``streams`` holds those that were opened. ``whole`` is the usage of
    a shared request."""

    name = "scripted"
    can_share = True
    whole: Usage | None = None

    def __init__(self, *scripts: Sequence[Step], lockstep: bool = False) -> None:
        self.scripts = scripts
        self.lockstep = lockstep
        self.streams: dict[int, ScriptedStream] = {}
        self.requests: list[Request] = []

    def stream(self, request: Request, candidate: int) -> ScriptedStream:
        self.requests.append(request)
        self.streams[candidate] = ScriptedStream(self.scripts[candidate])
        return self.streams[candidate]

    def shared(self, request: Request, k: int) -> ScriptedRequest:
        self.requests.append(request)
        self.streams = {number: ScriptedStream(self.scripts[number]) for number in range(k)}
        return ScriptedRequest(self, list(self.streams.values()))

    async def check(self, request: Request, k: int) -> None:
        if k > len(self.scripts):
            raise StreamError(f"k is {k}, there are {len(self.scripts)} scripts")


def words(text: str) -> list[str]:
    """A text as a model would stream it: words with their leading space."""
    parts = text.split(" ")
    return [parts[0], *(" " + part for part in parts[1:])]
