"""Reads the streams of a client whose server answers as told."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from clients import ClientContext, Finish, Piece, Request, Sampling, Usage, open_client
from tests.clients.case import KEY
from tests.clients.wire_server import SAFETY_SECONDS, Answer, Exchange, WireServer

REQUEST = Request("Describe the study.", sampling=Sampling(max_tokens=64, seed=7))


async def pieces_of(stream: Any) -> list[Piece]:
    async with asyncio.timeout(SAFETY_SECONDS):
        return [piece async for piece in stream]


async def received(
    spec: str, steps: Sequence[bytes], request: Request = REQUEST
) -> tuple[list[Piece], Finish, Usage | None]:
    """What ``spec``'s client makes of the server's steps."""
    async with (
        WireServer(Answer(steps)) as server,
        open_client(
            f"{spec},base_url={server.url},retries=0", ClientContext(api_key=KEY)
        ) as client,
    ):
        stream = client.stream(request, 0)
        pieces = await pieces_of(stream)
        assert stream.finish is not None
        return pieces, stream.finish, stream.usage


async def sent(
    spec: str, steps: Sequence[bytes], request: Request = REQUEST, candidate: int = 0
) -> Exchange:
    """What ``spec``'s client sends."""
    async with (
        WireServer(Answer(steps)) as server,
        open_client(f"{spec},base_url={server.url}", ClientContext(api_key=KEY)) as client,
    ):
        await pieces_of(client.stream(request, candidate))
        return server.exchanges[0]
