"""Each client as the contract suite sees it: how it is opened, and how its server speaks."""

from __future__ import annotations

import json
from typing import Any

from clients import Client, FinishReason
from clients.chat_request import ChatOptions
from clients.openai import OpenAIClient
from clients.reader import Pace
from clients.vllm_server import VLLMServerClient
from tests.clients.case import KEY, ClientCase, event
from tests.clients.gemini_case import GeminiCase
from tests.clients.mistral_case import MistralCase
from tests.clients.wire_server import Answer
from tests.clients.wrapped_cases import (
    GeminiOverAiohttpCase,
    GeminiOverHttpxCase,
    MistralWrappedCase,
)


def chunk(choices: list[Any] | None, **fields: Any) -> bytes:
    """One chat completion chunk."""
    head = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    return event(head | ({} if choices is None else {"choices": choices}) | fields)


def delta(finish: str | None = None, *, logprobs: Any = None, **fields: Any) -> bytes:
    """A chunk with one choice."""
    choice = {"index": 0, "delta": fields, "finish_reason": finish, "logprobs": logprobs}
    return chunk([choice])


class OpenAICase:
    """OpenAI's chat completions."""

    name = "openai"

    def open(self, url: str, pace: Pace, max_concurrency: int = 64) -> Client:
        return OpenAIClient(
            "test-model",
            base_url=f"{url}/v1",
            api_key=KEY,
            pace=pace,
            max_concurrency=max_concurrency,
            options=ChatOptions(),
        )

    def detail(self, reason: FinishReason) -> str | None:
        return None

    def text(self, text: str, finish: FinishReason | None = None) -> bytes:
        return delta(finish, content=text)

    def finish(self, reason: FinishReason) -> bytes:
        return delta(reason)

    def usage(self, prompt: int, output: int) -> bytes:
        counts = {"prompt_tokens": prompt, "completion_tokens": output}
        return chunk([], usage=counts | {"total_tokens": prompt + output})

    def end(self) -> bytes:
        return b"data: [DONE]\n\n"

    def empty(self) -> list[bytes]:
        no_delta = {"index": 0, "finish_reason": None}
        return [
            chunk([]),
            chunk(None),
            chunk([no_delta]),
            chunk([no_delta | {"delta": None}]),
            delta(role="assistant", content=""),
            delta(content=None),
            delta(),
        ]

    def keep_alive(self) -> bytes:
        return b": still here\n\n"

    def malformed(self) -> bytes:
        return b'data: {"choices": [{"delta"\n\n'

    def error(self, message: str) -> bytes:
        return event({"error": {"message": message, "type": "server_error", "code": 500}})

    def refusal(self, status: int, message: str, headers: dict[str, str] | None = None) -> Answer:
        body = json.dumps({"error": {"message": message, "type": "t", "code": None, "param": None}})
        return Answer(
            [body.encode()],
            status=status,
            headers={"content-type": "application/json"} | (headers or {}),
        )


class VLLMServerCase(OpenAICase):
    """A vLLM server, which speaks as OpenAI's does and counts on every chunk."""

    name = "vllm-server"

    def open(self, url: str, pace: Pace, max_concurrency: int = 64) -> Client:
        return VLLMServerClient(
            "test-model",
            base_url=f"{url}/v1",
            api_key=KEY,
            pace=pace,
            max_concurrency=max_concurrency,
        )


CASES: list[ClientCase] = [
    OpenAICase(),
    VLLMServerCase(),
    GeminiCase(),
    GeminiOverAiohttpCase(),
    GeminiOverHttpxCase(),
    MistralCase(),
    MistralWrappedCase(),
]
