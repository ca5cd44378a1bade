"""A client for each event loop, since connections cannot move between loops."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from clients import Client, ClientContext, open_client, wrap
from clients.errors import SpecError


@dataclass(frozen=True, slots=True)
class Line:
    """The client of one loop, and the turns in which requests go out."""

    client: Client
    turns: asyncio.Semaphore


class LoopClients:
    """Opens a spec once at once, so that what is wrong with it is heard of early, and again for
    every further loop. A client or an SDK object that was given is used as it is, and left open.

    At most ``concurrency`` requests are open at a time in a loop.
    """

    def __init__(
        self,
        client: str | Client | object,
        model: str | None,
        api_key: str | None,
        concurrency: int,
    ) -> None:
        self._concurrency = concurrency
        self._context = ClientContext(api_key=api_key)
        self._spec = client if isinstance(client, str) else None
        self._lines: WeakKeyDictionary[asyncio.AbstractEventLoop, Line] = WeakKeyDictionary()
        if isinstance(client, str | Client) and model is not None:
            named = client if isinstance(client, str) else client.name
            raise SpecError(f"found the model {model!r} beside the client {named}, which has one")
        self._first: Client | None
        if isinstance(client, str):
            self._first = open_client(client, self._context)
        else:
            self._first = client if isinstance(client, Client) else wrap(client, model)
        self.name = self._first.name

    def here(self) -> Line:
        """The running loop's."""
        loop = asyncio.get_running_loop()
        if loop not in self._lines:
            self._lines[loop] = Line(self._open(), asyncio.Semaphore(self._concurrency))
        return self._lines[loop]

    async def aclose(self) -> None:
        """Close the clients that were opened here. Idempotent."""
        lines = []
        while self._lines:
            lines.append(self._lines.popitem()[1])
        if self._spec is None:
            return
        if self._first is not None:
            await self._first.aclose()
            self._first = None
        for line in lines:
            await line.client.aclose()

    def _open(self) -> Client:
        if self._spec is None:
            assert self._first is not None
            return self._first
        first, self._first = self._first, None
        return open_client(self._spec, self._context) if first is None else first
