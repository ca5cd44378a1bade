"""A server that speaks chat completions, and what a client sends to it and makes of it."""

from __future__ import annotations

import asyncio
from typing import Any

from clients import (
    Client,
    ClientContext,
    Finish,
    Piece,
    Request,
    Sampling,
    Usage,
    open_client,
)
from tests.clients.case import KEY
from tests.clients.cases import OpenAICase
from tests.clients.wire_server import SAFETY_SECONDS, Answer, WireServer

CASE = OpenAICase()
REQUEST = Request("Describe the study.", sampling=Sampling(max_tokens=64, seed=7))
DONE = CASE.end()
STOPS = Answer([CASE.text("Clear."), CASE.finish("stop"), DONE])


def opened(server: WireServer, options: str = "", key: str | None = KEY) -> Client:
    spec = f"openai:test-model,base_url={server.url}/v1{options}"
    return open_client(spec, ClientContext(api_key=key))


async def pieces_of(stream: Any) -> list[Piece]:
    async with asyncio.timeout(SAFETY_SECONDS):
        return [piece async for piece in stream]


async def sent(options: str = "", request: Request = REQUEST, candidate: int = 0) -> dict[str, Any]:
    async with WireServer(STOPS) as server, opened(server, options) as client:
        await pieces_of(client.stream(request, candidate))
        return server.exchanges[0].body


async def received(*steps: bytes) -> tuple[list[Piece], Finish, Usage | None]:
    async with WireServer(Answer([*steps, DONE])) as server, opened(server, ",retries=0") as client:
        stream = client.stream(REQUEST, 0)
        pieces = await pieces_of(stream)
        assert stream.finish is not None
        return pieces, stream.finish, stream.usage
