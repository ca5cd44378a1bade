"""A loopback HTTP/1.1 server that answers as it is told, and sees when the client hangs up.

It knows no vendor's protocol: an ``Answer`` is made of the bytes that one sends, and of faults.
"""

from __future__ import annotations

import asyncio
import json
import socket
import struct
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Self

SAFETY_SECONDS = 20.0  # nothing waits this long unless it is broken


class Fault(Enum):
    """What a server can do instead of sending."""

    STALL = "send nothing more and keep the connection open"
    DROP = "close the connection in mid-answer"
    RESET = "reset the connection"


@dataclass(frozen=True)
class Answer:
    """One response. Each ``bytes`` is one HTTP chunk, sent on its own.

    ``steps`` may be endless. With ``paced`` every step waits for ``Exchange.allow``. A stall as
    the first step still sends the head; ``silent`` sends not even that.
    """

    steps: Iterable[bytes | Fault] = ()
    status: int = 200
    headers: dict[str, str] = field(default_factory=lambda: {"content-type": "text/event-stream"})
    paced: bool = False
    silent: bool = False


@dataclass
class Exchange:
    """One request as the server saw it."""

    path: str
    headers: dict[str, str]
    body: Any
    sent: int = 0
    disconnected: asyncio.Event = field(default_factory=asyncio.Event)
    answered: asyncio.Event = field(default_factory=asyncio.Event)
    _permits: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(0))

    def allow(self, steps: int = 1) -> None:
        """Let a paced answer go on by so many steps."""
        for _ in range(steps):
            self._permits.release()


Script = Callable[[Exchange], Answer]


class WireServer:
    """Serves while entered as ``async with``.

    ``script`` is one answer for every request, a list of answers in order (the last one repeats),
    or a function of the exchange.
    """

    def __init__(self, script: Answer | Sequence[Answer] | Script) -> None:
        self.exchanges: list[Exchange] = []
        self.open_requests = 0
        self.most_open_requests = 0
        self.connections: set[asyncio.Task[None]] = set()
        self._script = script
        self._arrival = asyncio.Condition()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        self.port: int = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *exc: object) -> None:
        self._server.close()
        for task in self.connections:
            task.cancel()
        await asyncio.gather(*self.connections, return_exceptions=True)
        await self._server.wait_closed()

    async def request(self, number: int = 0) -> Exchange:
        """Wait for a request, counted from 0."""
        async with asyncio.timeout(SAFETY_SECONDS), self._arrival:
            await self._arrival.wait_for(lambda: len(self.exchanges) > number)
        return self.exchanges[number]

    async def all_disconnected(self) -> None:
        """Wait until the server has seen every connection close."""
        async with asyncio.timeout(SAFETY_SECONDS):
            while self.connections:
                await asyncio.wait(self.connections)

    def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.ensure_future(self._serve(reader, writer))
        self.connections.add(task)
        task.add_done_callback(self.connections.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while (exchange := await _read_request(reader)) is not None:
                async with self._arrival:
                    number = len(self.exchanges)
                    self.exchanges.append(exchange)
                    self._arrival.notify_all()
                self.open_requests += 1
                self.most_open_requests = max(self.most_open_requests, self.open_requests)
                try:
                    await self._answer(self._answer_for(number, exchange), exchange, reader, writer)
                finally:
                    self.open_requests -= 1
                    exchange.answered.set()
                if writer.is_closing():
                    break
        except ConnectionError:
            pass
        finally:
            writer.close()

    def _answer_for(self, number: int, exchange: Exchange) -> Answer:
        if isinstance(self._script, Answer):
            return self._script
        if callable(self._script):
            return self._script(exchange)
        return self._script[min(number, len(self._script) - 1)]

    async def _answer(
        self,
        answer: Answer,
        exchange: Exchange,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        sending = asyncio.ensure_future(_send(answer, exchange, writer))
        # A client that waits for an answer sends nothing, so anything read is its hanging up.
        watching = asyncio.ensure_future(reader.read(1))
        try:
            await asyncio.wait((sending, watching), return_when=asyncio.FIRST_COMPLETED)
            if watching.done():
                exchange.disconnected.set()
                writer.transport.abort()
        finally:
            sending.cancel()
            watching.cancel()
            await asyncio.gather(sending, watching, return_exceptions=True)


async def _read_request(reader: asyncio.StreamReader) -> Exchange | None:
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    except (asyncio.IncompleteReadError, ConnectionError):
        return None
    request_line, *lines = head.strip().split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (x.partition(":") for x in lines)}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Exchange(request_line.split()[1], headers, json.loads(body or b"null"))


async def _send(answer: Answer, exchange: Exchange, writer: asyncio.StreamWriter) -> None:
    if answer.silent:
        await asyncio.Event().wait()
    fields = {"transfer-encoding": "chunked", **answer.headers}
    head = [f"HTTP/1.1 {answer.status} Scripted", *(f"{k}: {v}" for k, v in fields.items())]
    writer.write("\r\n".join([*head, "", ""]).encode())
    await writer.drain()
    for step in answer.steps:
        if answer.paced:
            await exchange._permits.acquire()
        if step is Fault.STALL:
            await asyncio.Event().wait()
        elif step is Fault.DROP:
            writer.close()
            return
        elif step is Fault.RESET:
            reset(writer)
            return
        else:
            writer.write(b"%x\r\n%b\r\n" % (len(step), step))
            exchange.sent += 1
            await writer.drain()
            # An unpaced endless answer must leave the loop to the client in the same process.
            await asyncio.sleep(0)
    writer.write(b"0\r\n\r\n")
    await writer.drain()


def reset(writer: asyncio.StreamWriter) -> None:
    """Close so that the client sees a reset instead of an end."""
    linger = struct.pack("ii", 1, 0)
    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    writer.transport.abort()
