"""How Gemini's API speaks: server-sent events of ``streamGenerateContent``."""

from __future__ import annotations

import json
from typing import Any

from clients import Client, FinishReason
from clients.gemini import GeminiClient
from clients.reader import Pace
from tests.clients.case import KEY, event
from tests.clients.wire_server import Answer

WORDS = {"stop": "STOP", "length": "MAX_TOKENS", "content_filter": "SAFETY"}


def chunk(*parts: Any, finish: str | None = None, **fields: Any) -> bytes:
    """One chunk with one candidate."""
    candidate: dict[str, Any] = {"content": {"parts": list(parts), "role": "model"}, "index": 0}
    if finish is not None:
        candidate["finishReason"] = finish
    return event({"candidates": [candidate], "modelVersion": "m", "responseId": "r"} | fields)


class GeminiCase:
    """Gemini, through the transport that the client makes."""

    name = "gemini"

    def open(self, url: str, pace: Pace, max_concurrency: int = 64) -> Client:
        return GeminiClient(
            "test-model", base_url=url, api_key=KEY, pace=pace, max_concurrency=max_concurrency
        )

    def detail(self, reason: FinishReason) -> str | None:
        return None if reason == "stop" else WORDS[reason]

    def text(self, text: str, finish: FinishReason | None = None) -> bytes:
        return chunk({"text": text}, finish=None if finish is None else WORDS[finish])

    def finish(self, reason: FinishReason) -> bytes:
        return event({"candidates": [{"finishReason": WORDS[reason], "index": 0}]})

    def usage(self, prompt: int, output: int) -> bytes:
        counts = {"promptTokenCount": prompt, "candidatesTokenCount": output}
        return event({"usageMetadata": counts | {"totalTokenCount": prompt + output}})

    def end(self) -> bytes:
        return b""

    def empty(self) -> list[bytes]:
        return [
            event({}),
            event({"candidates": []}),
            event({"candidates": [{"index": 0}]}),
            event({"candidates": [{"content": {}, "index": 0}]}),
            event({"candidates": [{"content": {"role": "model"}, "index": 0}]}),
            chunk(),
            chunk({"text": ""}),
            event({"modelVersion": "m"}),
        ]

    def keep_alive(self) -> bytes:
        return b': still "here\n\n'

    def malformed(self) -> bytes:
        return b'data: {"candidates": [{"content"\n\n'

    def error(self, message: str) -> bytes:
        return event({"error": {"code": 500, "message": message, "status": "INTERNAL"}})

    def refusal(self, status: int, message: str, headers: dict[str, str] | None = None) -> Answer:
        body = json.dumps({"error": {"code": status, "message": message, "status": "STATUS"}})
        return Answer(
            [body.encode()],
            status=status,
            headers={"content-type": "application/json; charset=UTF-8"} | (headers or {}),
        )
