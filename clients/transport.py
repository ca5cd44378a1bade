"""HTTP for the SDKs that let one give them a transport: every response can be closed for certain.

Some SDKs lose hold of a response when they are cancelled between its head and its first chunk, or
leave its closing to the garbage collector; the server then goes on generating. So the transport
remembers what was received, and whoever sent the request closes it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import httpx2

_received: ContextVar[list[httpx2.Response] | None] = ContextVar("received", default=None)


@asynccontextmanager
async def closing_responses() -> AsyncIterator[None]:
    """Close what this task receives inside, over a transport of this module, however it leaves."""
    responses: list[httpx2.Response] = []
    _received.set(responses)
    try:
        yield
    finally:
        for response in responses:
            await response.aclose()


def kept_connections() -> httpx2.Limits:
    """No limit on connections (the client has one), and idle ones are kept until it closes.

    The pool closes what has been idle for too long, several at once, in the task of whichever
    request comes next; when that task is cancelled meanwhile, as pruning does, the rest would stay
    open for ever.
    """
    import httpx2  # noqa: PLC0415

    return httpx2.Limits(
        max_connections=None, max_keepalive_connections=None, keepalive_expiry=None
    )


def open_transport() -> httpx2.AsyncClient:
    """A transport without a limit on connections and on silence: the client has both."""
    import httpx2  # noqa: PLC0415

    return httpx2.AsyncClient(
        follow_redirects=True,
        timeout=None,
        limits=kept_connections(),
        event_hooks={"response": [_remember, _without_comments]},
    )


class RememberingTransport:
    """A transport that belongs to someone else, and stays open."""

    def __init__(self, transport: Any) -> None:
        self._transport = transport

    def build_request(self, *arguments: Any, **options: Any) -> Any:
        return self._transport.build_request(*arguments, **options)

    async def send(self, request: Any, **options: Any) -> Any:
        response = await self._transport.send(request, **options)
        await _remember(response)
        return response

    async def aclose(self) -> None:
        pass


async def _remember(response: httpx2.Response) -> None:
    if (responses := _received.get()) is not None:
        responses.append(response)


async def _without_comments(response: httpx2.Response) -> None:
    # Some proxies keep a connection open with comments, which google-genai takes for data.
    streamed = response.headers.get("content-type", "").startswith("text/event-stream")
    if streamed and "content-encoding" not in response.headers:
        response.stream = _uncommented(response.stream)


def _uncommented(stream: Any) -> httpx2.AsyncByteStream:
    import httpx2  # noqa: PLC0415

    class Uncommented(httpx2.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            comments = Comments()
            async for received in stream:
                if kept := comments.strike(received):
                    yield kept

        async def aclose(self) -> None:
            await stream.aclose()

    return Uncommented()


class Comments:
    """Strikes the lines that begin with a colon out of bytes, however they are cut."""

    def __init__(self) -> None:
        self._at_line_start = True
        self._in_comment = False

    def strike(self, received: bytes) -> bytes:
        """What is left of the next bytes. Of a comment only its line's end is kept."""
        kept = bytearray()
        for line in received.splitlines(keepends=True):
            if self._at_line_start:
                self._in_comment = line.startswith(b":")
            ended = line.endswith((b"\n", b"\r"))
            if not self._in_comment:
                kept += line
            elif ended:
                kept += line[-1:]
            self._at_line_start = ended
            self._in_comment &= not ended
        return bytes(kept)
