"""What a client brings to the contract suite."""

from __future__ import annotations

import json
from typing import Any, Protocol

from clients import Client, FinishReason
from clients.reader import Pace
from tests.clients.wire_server import Answer

KEY = "sk-test-0123456789abcdef"


class ClientCase(Protocol):
    """What a client brings to the contract suite. All ``bytes`` are as its server sends them."""

    name: str

    def open(self, url: str, pace: Pace, max_concurrency: int = 64) -> Client:
        """A client of the server at ``url``, with ``KEY`` as its key."""

    def detail(self, reason: FinishReason) -> str | None:
        """The detail with which the client hands on this finish reason."""

    def text(self, text: str, finish: FinishReason | None = None) -> bytes:
        """A piece of text, together with a finish reason if one is given."""

    def finish(self, reason: FinishReason) -> bytes:
        """A finish reason in a chunk of its own."""

    def usage(self, prompt: int, output: int) -> bytes:
        """The token counts."""

    def end(self) -> bytes:
        """What follows the last chunk, if anything."""

    def empty(self) -> list[bytes]:
        """Chunks of every kind that hold nothing."""

    def keep_alive(self) -> bytes:
        """What the server sends so that the connection stays open."""

    def malformed(self) -> bytes:
        """A chunk that is not valid JSON."""

    def error(self, message: str) -> bytes:
        """An error in mid-stream."""

    def refusal(self, status: int, message: str, headers: dict[str, str] | None = None) -> Answer:
        """An answer that refuses the request."""


def event(data: Any) -> bytes:
    """One server-sent event, with non-ASCII characters as they are."""
    return b"data: " + json.dumps(data, ensure_ascii=False).encode() + b"\n\n"
