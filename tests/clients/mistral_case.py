"""How Mistral's API speaks: server-sent events of ``/v1/chat/completions``."""

from __future__ import annotations

import json
from typing import Any

from clients import Client, FinishReason
from clients.mistral import MistralClient
from clients.reader import Pace
from tests.clients.case import KEY, event
from tests.clients.wire_server import Answer


def chunk(choices: list[Any], **fields: Any) -> bytes:
    """One chat completion chunk."""
    head = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    return event(head | {"choices": choices} | fields)


def delta(finish: str | None = None, **fields: Any) -> bytes:
    """A chunk with one choice."""
    return chunk([{"index": 0, "delta": fields, "finish_reason": finish}])


class MistralCase:
    """Mistral, through the transport that the client makes."""

    name = "mistral"

    def open(self, url: str, pace: Pace, max_concurrency: int = 64) -> Client:
        return MistralClient(
            "test-model", base_url=url, api_key=KEY, pace=pace, max_concurrency=max_concurrency
        )

    def detail(self, reason: FinishReason) -> str | None:
        return None

    def text(self, text: str, finish: FinishReason | None = None) -> bytes:
        return delta(finish, content=text)

    def finish(self, reason: FinishReason) -> bytes:
        return delta(reason, content="")

    def usage(self, prompt: int, output: int) -> bytes:
        counts = {"prompt_tokens": prompt, "completion_tokens": output}
        return chunk([], usage=counts | {"total_tokens": prompt + output})

    def end(self) -> bytes:
        return b"data: [DONE]\n\n"

    def empty(self) -> list[bytes]:
        return [
            chunk([]),
            event({"id": "c", "model": "m"}),
            delta(role="assistant", content=""),
            delta(content=None),
            delta(content=[]),
            delta(),
        ]

    def keep_alive(self) -> bytes:
        return b": still here\n\n"

    def malformed(self) -> bytes:
        return b'data: {"choices": [{"delta"\n\n'

    def error(self, message: str) -> bytes:
        return event(
            {"object": "error", "message": message, "type": "server_error", "code": "3000"}
        )

    def refusal(self, status: int, message: str, headers: dict[str, str] | None = None) -> Answer:
        body: dict[str, Any] = {"object": "error", "message": message, "type": "t", "code": "1"}
        if status == 422:
            body = {"detail": [{"loc": ["body", "model"], "msg": message, "type": "missing"}]}
        return Answer(
            [json.dumps(body).encode()],
            status=status,
            headers={"content-type": "application/json"} | (headers or {}),
        )
