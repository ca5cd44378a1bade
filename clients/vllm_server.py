"""Candidates from a vLLM server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from clients.base import Client, Request
from clients.chat_request import ChatOptions, chat_body
from clients.errors import ClientError, SpecError
from clients.openai import OpenAIClient
from clients.reader import Pace, Timeouts
from clients.registry import ClientContext
from clients.retry import RetryPolicy
from clients.spec import (
    Spec,
    allow_options,
    number,
    true_or_false,
    variable_name,
    whole_number,
)

if TYPE_CHECKING:
    from openai import AsyncOpenAI, AsyncStream

BASE_URL = "http://127.0.0.1:8000/v1"
KEY_NAME = "VLLM_API_KEY"


class VLLMServerClient(OpenAIClient):
    """Streams candidates from a vLLM server, with the server's own token count on every chunk.

    ``model`` is the name under which the server serves it. Closing a stream's connection aborts
    its generation: the server stops within a step or two, so output that was pruned is not
    computed. ``check`` asks the server how long the prompt is, images included. Cached and image
    tokens are known where the server runs with ``--enable-prompt-tokens-details``, at the end of a
    stream. ``more_sampling`` are further fields of the request, such as ``top_k``.

    Without ``sdk`` the client makes, and closes, an ``AsyncOpenAI`` of its own; a server without
    ``--api-key`` needs no key.
    """

    def __init__(
        self,
        model: str,
        *,
        sdk: AsyncOpenAI | None = None,
        base_url: str | None = None,
        api_key: str | None = None,
        api_key_env: str = KEY_NAME,
        more_sampling: Mapping[str, Any] | None = None,
        logprobs: bool = False,
        max_concurrency: int = 256,
        pace: Pace | None = None,
    ) -> None:
        if not model:
            raise SpecError("vllm-server found no model; expected one, as in vllm-server:MODEL")
        super().__init__(
            model,
            sdk=sdk,
            base_url=base_url or BASE_URL,
            api_key=api_key,
            api_key_env=api_key_env,
            options=ChatOptions(logprobs=logprobs, running_usage=True),
            max_concurrency=max_concurrency,
            pace=pace,
        )
        self._more_sampling = dict(more_sampling or {})
        self.name = f"vllm-server:{model},base_url={self.server}"

    def __repr__(self) -> str:
        return f"VLLMServerClient({self.name!r})"

    async def check(self, request: Request, k: int) -> None:
        """Raise ``ClientError`` where the server is not there, does not serve the model, or takes
        no prompt of this length."""
        await super().check(request, k)
        measured = await self._measure(request)
        if measured is None:
            return
        tokens, longest = measured
        if tokens >= longest:
            # Once refused, an image may be missing from the server's cache when it comes again.
            raise ClientError(
                f"the prompt has {tokens} tokens, images included; {self.model} at {self.server} "
                f"takes {longest} with the report. Send fewer or smaller images, a shorter prompt, "
                "or start the server with a greater --max-model-len"
            )

    async def _open(self, body: dict[str, Any]) -> AsyncStream[object]:
        return await super()._open(self._more_sampling | body)

    async def _measure(self, request: Request) -> tuple[int, int] | None:
        """The prompt's tokens and the most that the model takes, where the server tells."""
        chat = chat_body(self.model, request, 0, self._options)
        body = {"model": self.model, "messages": chat["messages"]}
        try:
            answer: Any = await self._sdk.post(
                f"{self.server.removesuffix('/v1')}/tokenize", body=body, cast_to=object
            )
        except Exception as error:  # noqa: BLE001 - explained below, without the key in it
            answer = error
        if isinstance(answer, Exception):
            if getattr(answer, "status_code", None) in (404, 405) and not _about_the_model(answer):
                return None  # a gateway in front of the server need not pass this on
            raise self._explain(answer)
        if not isinstance(answer, dict):
            return None
        tokens, longest = answer.get("count"), answer.get("max_model_len")
        return (tokens, longest) if isinstance(tokens, int) and isinstance(longest, int) else None


def _about_the_model(error: Exception) -> bool:
    return "model" in str(getattr(error, "body", None)).lower()


def open_from_spec(spec: Spec, context: ClientContext) -> Client:
    """``vllm-server:MODEL`` with the options ``api_key_env``, ``base_url``, ``first_timeout`` and
    ``timeout`` (seconds), ``logprobs`` (true, false), ``max_concurrency`` and ``retries``."""
    allow_options(
        spec, "api_key_env", "base_url", "first_timeout", "logprobs", "max_concurrency", "retries",
        "timeout",
    )  # fmt: skip
    get = spec.options.get
    silence, first = str(Timeouts().silence), str(Timeouts().first)
    return VLLMServerClient(
        spec.value or "",
        base_url=get("base_url"),
        api_key=context.api_key,
        api_key_env=variable_name(spec, get("api_key_env", KEY_NAME)),
        logprobs=true_or_false(spec, "logprobs"),
        max_concurrency=whole_number(spec, get("max_concurrency", "256"), "max_concurrency", low=1),
        pace=Pace(
            timeouts=Timeouts(
                first=number(spec, get("first_timeout", first), "first_timeout", low=0.001),
                silence=number(spec, get("timeout", silence), "timeout", low=0.001),
            ),
            retry=RetryPolicy(attempts=1 + whole_number(spec, get("retries", "4"), "retries")),
        ),
    )
