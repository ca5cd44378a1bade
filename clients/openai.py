"""Candidates from OpenAI, Azure, and every server that speaks OpenAI's chat completions."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING, Any, cast, get_args

from clients.base import Client, Finish, Request, SharedRequest, Usage
from clients.chat_choices import ChatChoices
from clients.chat_chunks import ChatChunks, Chunks
from clients.chat_request import (
    RENAMED,
    ChatOptions,
    Detail,
    TokenLimit,
    chat_body,
    refused_field,
    without_field,
)
from clients.errors import SpecError
from clients.hosted import HostedClient
from clients.hosted_spec import HOSTED_OPTIONS, concurrency_of, pace_of
from clients.openai_errors import explain
from clients.openai_server import (
    NO_KEY,
    VENDOR_URL,
    open_sdk,
    token_limit_of,
    without_credentials,
)
from clients.reader import Event, Item, Pace
from clients.registry import ClientContext
from clients.shared_reader import OfChoice
from clients.spec import Spec, allow_options, one_of

if TYPE_CHECKING:
    from openai import AsyncOpenAI, AsyncStream

KEY_NAME = "OPENAI_API_KEY"
CONNECT_SECONDS = 10.0

END = object()  # a server may send null as a chunk, so None is no sign of the end

log = logging.getLogger(__name__)


class OpenAIClient(HostedClient):
    """Streams candidates, one chat completion request each, seeded ``seed + candidate``.

    ``model`` is the server's name for the model. Without ``sdk`` the client makes, and closes, an
    ``AsyncOpenAI`` of its own for ``base_url`` (default: ``OPENAI_BASE_URL``, else OpenAI), with
    ``api_key`` or else the environment variable ``api_key_env``. With ``sdk``, an ``AsyncOpenAI``
    or ``AsyncAzureOpenAI`` that the caller configured, that one is used, and left open. Retries
    are always this package's, never the SDK's.

    A field that the server says it does not support is renamed or left out, once, with a warning
    in the log; ``unsupported`` lists them. The limit on output tokens is never left out.

    Raises ``MissingPackageError`` without the SDK and ``MissingKeyError`` without a key; servers
    other than OpenAI's may need none.
    """

    can_share = True

    def __init__(
        self,
        model: str,
        *,
        sdk: AsyncOpenAI | None = None,
        base_url: str | None = None,
        api_key: str | None = None,
        api_key_env: str = KEY_NAME,
        options: ChatOptions | None = None,
        max_concurrency: int = 64,
        pace: Pace | None = None,
    ) -> None:
        super().__init__(max_concurrency=max_concurrency, pace=pace)
        if not model:
            raise SpecError("openai found no model; expected one, as in openai:gpt-4o-mini")
        self.model = model
        self.unsupported: list[str] = []
        self._key_name = api_key_env
        self._owned = sdk is None
        if sdk is None:
            url = base_url or os.environ.get("OPENAI_BASE_URL") or VENDOR_URL
            sdk = open_sdk(url, api_key or os.environ.get(api_key_env), api_key_env)
        # Shares the caller's transport; only the retries differ.
        self._sdk = sdk.with_options(max_retries=0)
        self.server = without_credentials(str(sdk.base_url)).rstrip("/")
        self._options = options or ChatOptions(token_limit=token_limit_of(self.server))
        key = sdk.api_key
        self._secrets = [key] if isinstance(key, str) and key and key != NO_KEY else []
        elsewhere = self.server != VENDOR_URL
        self.name = f"openai:{model}" + (f",base_url={self.server}" if elsewhere else "")

    def __repr__(self) -> str:
        return f"OpenAIClient({self.name!r})"

    def attempt(self, request: Request, candidate: int) -> AsyncGenerator[Event]:
        body = chat_body(self.model, request, candidate, self._options)
        return self._answer(body, ChatChunks())

    def shared(self, request: Request, k: int) -> SharedRequest:
        """One request with ``n=k``, seeded ``seed``."""

        def attempt() -> AsyncGenerator[OfChoice | Usage | Finish]:
            body = chat_body(self.model, request, 0, self._options) | {"n": k}
            return self._answer(body, ChatChoices(k, running=self._options.running_usage))

        return self.one_request(attempt, k)

    async def _answer(
        self, body: dict[str, Any], chunks: Chunks[Item]
    ) -> AsyncGenerator[Item | Usage | Finish]:
        stream = await self._open(body)
        failure: Exception | None = None
        try:
            while True:
                try:
                    chunk = await anext(stream, END)
                except Exception as error:  # noqa: BLE001 - the SDK lets through what JSON raises
                    failure = error
                    break
                if chunk is END:
                    break
                for event in chunks.read(chunk):
                    yield event
                if (finish := chunks.finish()) is not None:
                    yield finish
        finally:
            await stream.close()
        if failure is not None:
            raise self._explain(failure)

    async def close_transport(self) -> None:
        if self._owned:
            await self._sdk.close()

    async def _open(self, body: dict[str, Any]) -> AsyncStream[object]:
        """The SDK's stream, after as many tries as there are fields that the server refuses."""
        for field in self.unsupported:
            body = without_field(body, field)
        from openai import AsyncStream, Timeout  # noqa: PLC0415

        # Silence is timed by the reader; the SDK times only what it reads, comments included.
        timed = {"timeout": Timeout(None, connect=CONNECT_SECONDS)} if self._owned else {}
        refused: set[str] = set()
        while True:
            try:
                # Not through the SDK's typed method: it sends and receives the same, but makes
                # models of every chunk, which takes longer than all the rest of the reading.
                return await self._sdk.post(
                    "/chat/completions",
                    body=body,
                    cast_to=object,
                    options=cast("Any", timed),
                    stream=True,
                    stream_cls=AsyncStream[object],
                )
            except Exception as error:  # noqa: BLE001 - explained below, without the key in it
                failure = error
            refusal = self._refused_field(failure)
            if refusal is None or refusal not in body or RENAMED.get(refusal) in refused:
                raise self._explain(failure)
            refused.add(refusal)
            body = without_field(body, refusal)
            if refusal not in self.unsupported:
                self.unsupported.append(refusal)
                instead = RENAMED.get(refusal, "nothing")
                log.warning(
                    "%s does not support %s; sending %s instead", self.name, refusal, instead
                )

    def _refused_field(self, error: Exception) -> str | None:
        status = getattr(error, "status_code", None)
        if not isinstance(status, int):
            return None
        said = f"{getattr(error, 'code', None)} {getattr(error, 'body', None)}"
        return refused_field(status, said, getattr(error, "param", None))

    def _explain(self, error: Exception) -> Exception:
        return explain(
            error,
            server=self.server,
            model=self.model,
            key_name=self._key_name,
            secrets=self._secrets,
        )


def open_from_spec(spec: Spec, context: ClientContext) -> Client:
    """``openai:MODEL`` with the options ``base_url``, ``api_key_env``, ``detail`` (auto, low,
    high), ``effort``, ``first_timeout`` and ``timeout`` (seconds), ``logprobs`` and
    ``running_usage`` (true, false), ``max_concurrency``, ``retries`` and ``token_limit``
    (max_tokens, max_completion_tokens)."""
    allow_options(
        spec, "api_key_env", "base_url", "detail", "effort", "logprobs", "running_usage",
        "token_limit", *HOSTED_OPTIONS,
    )  # fmt: skip
    if not spec.value:
        raise SpecError("openai found no model; expected one, as in openai:gpt-4o-mini")
    get = spec.options.get
    base_url = get("base_url") or os.environ.get("OPENAI_BASE_URL") or VENDOR_URL
    return OpenAIClient(
        spec.value,
        base_url=base_url,
        api_key=context.api_key,
        api_key_env=_variable(get("api_key_env", KEY_NAME)),
        options=ChatOptions(
            token_limit=cast(
                "TokenLimit",
                one_of(spec, "token_limit", get_args(TokenLimit)) or token_limit_of(base_url),
            ),
            detail=cast("Detail | None", one_of(spec, "detail", get_args(Detail))),
            effort=get("effort"),
            logprobs=one_of(spec, "logprobs", ("true", "false")) == "true",
            running_usage=one_of(spec, "running_usage", ("true", "false")) == "true",
        ),
        max_concurrency=concurrency_of(spec),
        pace=pace_of(spec),
    )


def _variable(name: str) -> str:
    # A key pasted here by mistake must not be repeated in a message.
    if not re.fullmatch(r"[A-Z][A-Z0-9_]*", name):
        raise SpecError(
            "openai found something else than the name of an environment variable as its "
            "api_key_env; expected a name in capitals, such as OPENAI_API_KEY"
        )
    return name
