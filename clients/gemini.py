"""Candidates from Gemini."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, AsyncIterator
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

from clients.base import Client, Request
from clients.errors import MissingKeyError, MissingPackageError, SpecError
from clients.gemini_chunks import GeminiChunks
from clients.gemini_errors import explain
from clients.hosted import HostedClient
from clients.hosted_spec import HOSTED_OPTIONS, concurrency_of, pace_of
from clients.openai_server import NO_KEY, check_url, without_credentials
from clients.reader import Event, Pace
from clients.registry import ClientContext
from clients.spec import Spec, allow_options, one_of, whole_number
from clients.transport import closing_responses, open_transport

if TYPE_CHECKING:
    import httpx2
    from google.genai import Client as GenaiClient
    from google.genai.types import GenerateContentConfig

Detail = Literal["low", "medium", "high"]
ThinkingLevel = Literal["minimal", "low", "medium", "high"]

KEY_NAMES = ("GEMINI_API_KEY", "GOOGLE_API_KEY")
VENDOR_URL = "https://generativelanguage.googleapis.com"

END = object()


class GeminiClient(HostedClient):
    """Streams candidates, one request each, seeded ``seed + candidate``.

    Without ``sdk`` the client makes, and closes, a ``genai.Client`` of its own for ``base_url``
    (default: ``GOOGLE_GEMINI_BASE_URL``, else Google's), with ``api_key`` or else
    ``GEMINI_API_KEY`` or ``GOOGLE_API_KEY``, the first of which wins. With ``sdk``, a
    ``genai.Client`` that the caller configured, for Vertex AI too, that one is used, and left
    open. Retries are always this package's, never the SDK's.

    ``detail`` is the resolution at which the model looks at images. ``thinking`` is how many
    tokens it may think, 0 for none and -1 for as many as it likes, or for newer models a level.

    Raises ``MissingPackageError`` without the SDK and ``MissingKeyError`` without a key; servers
    other than Google's may need none.
    """

    def __init__(
        self,
        model: str,
        *,
        sdk: GenaiClient | None = None,
        base_url: str | None = None,
        api_key: str | None = None,
        detail: Detail | None = None,
        thinking: int | ThinkingLevel | None = None,
        max_concurrency: int = 64,
        pace: Pace | None = None,
    ) -> None:
        super().__init__(max_concurrency=max_concurrency, pace=pace)
        if not model:
            raise SpecError("gemini found no model; expected one, as in gemini:MODEL")
        self.model = model
        self._detail = detail
        self._thinking = thinking
        self._transport: httpx2.AsyncClient | None = None
        if sdk is None:
            url = base_url or os.environ.get("GOOGLE_GEMINI_BASE_URL") or VENDOR_URL
            check_url(url)
            _check_installed()
            key = api_key or next(filter(None, map(os.environ.get, KEY_NAMES)), None)
            if not key and url.rstrip("/") == VENDOR_URL:
                raise MissingKeyError(
                    "no API key for Gemini: set the environment variable " + " or ".join(KEY_NAMES)
                )
            self._transport = open_transport()
            sdk = _open_sdk(self._transport, url, key or NO_KEY)
        self._sdk = sdk
        # The SDK tells neither where it sends to nor with which key.
        api = getattr(sdk, "_api_client", None)
        options = getattr(api, "_http_options", None)
        url = str(getattr(options, "base_url", None) or VENDOR_URL)
        self.server = without_credentials(url).rstrip("/")
        key = getattr(api, "api_key", None)
        self._secrets = [key] if isinstance(key, str) and key and key != NO_KEY else []
        elsewhere = self.server != VENDOR_URL
        self.name = f"gemini:{model}" + (f",base_url={self.server}" if elsewhere else "")

    def __repr__(self) -> str:
        return f"GeminiClient({self.name!r})"

    async def attempt(self, request: Request, candidate: int) -> AsyncGenerator[Event, None]:
        chunks = GeminiChunks()
        failure: Exception | None = None
        async with closing_responses():
            stream: AsyncIterator[Any] | None = None
            try:
                while True:
                    try:
                        if stream is None:
                            stream = await self._sdk.aio.models.generate_content_stream(
                                model=self.model,
                                contents=cast("Any", _contents(request)),
                                config=self._config(request, candidate),
                            )
                        chunk = await anext(stream, END)
                    except Exception as error:  # noqa: BLE001 - the SDK lets through what JSON raises
                        failure = self._explain(error)
                        break
                    if chunk is END:
                        break
                    for event in chunks.read(chunk):
                        yield event
            finally:
                if stream is not None:
                    await _close(stream)
        if failure is not None:
            raise failure

    async def close_transport(self) -> None:
        if self._transport is not None:
            await self._sdk.aio.aclose()
            self._sdk.close()
            await self._transport.aclose()

    def _config(self, request: Request, candidate: int) -> GenerateContentConfig:
        from google.genai import types  # noqa: PLC0415

        sampling = request.sampling
        thinking: dict[str, Any] | None = None
        if isinstance(self._thinking, int):
            thinking = {"thinking_budget": self._thinking}
        elif self._thinking is not None:
            thinking = {"thinking_level": self._thinking.upper()}
        settings: dict[str, Any] = {
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
            "max_output_tokens": sampling.max_tokens,
            "seed": None if sampling.seed is None else sampling.seed + candidate,
            "media_resolution": self._detail and f"MEDIA_RESOLUTION_{self._detail.upper()}",
            "thinking_config": thinking,
            "response_logprobs": True if sampling.top_logprobs else None,
            "logprobs": sampling.top_logprobs or None,
            # Also switches off the SDK's own second try with aiohttp.
            "http_options": {"retry_options": {"attempts": 1}},
            "automatic_function_calling": {"disable": True},
        }
        return types.GenerateContentConfig.model_validate(
            {name: value for name, value in settings.items() if value is not None}
        )

    def _explain(self, error: Exception) -> Exception:
        return explain(
            error,
            server=self.server,
            model=self.model,
            key_name=KEY_NAMES[0],
            secrets=self._secrets,
        )


async def _close(stream: AsyncIterator[Any]) -> None:
    """Close the connection of a stream that may not be at its end.

    Neither ``break`` nor ``aclose`` reaches the connection through the SDK's nested generators; a
    cancel does while one of them reads. So the stream is read on until it waits, and cancelled.
    """

    async def read_on() -> None:
        async for _ in stream:
            pass

    reading = asyncio.ensure_future(read_on())
    await asyncio.sleep(0)
    reading.cancel()
    await asyncio.gather(reading, return_exceptions=True)


def _contents(request: Request) -> list[Any]:
    from google.genai import types  # noqa: PLC0415

    images = [
        types.Part.from_bytes(data=image.data, mime_type=image.media_type)
        for image in request.images
    ]
    return [types.Content(role="user", parts=[types.Part(text=request.prompt), *images])]


def _check_installed() -> None:
    try:
        import google.genai  # noqa: F401, PLC0415
    except ImportError as error:
        raise MissingPackageError(
            "the google-genai package is not installed; run: pip install 'sdr-decode[gemini]'"
        ) from error


def _open_sdk(transport: httpx2.AsyncClient, url: str, api_key: str) -> GenaiClient:
    from google.genai import Client as GenaiClient  # noqa: PLC0415
    from google.genai import types  # noqa: PLC0415

    return GenaiClient(
        vertexai=False,
        api_key=api_key,
        http_options=types.HttpOptions(base_url=url, httpx_async_client=cast("Any", transport)),
    )


def open_from_spec(spec: Spec, context: ClientContext) -> Client:
    """``gemini:MODEL`` with the options ``base_url``, ``detail`` (low, medium, high),
    ``first_timeout`` and ``timeout`` (seconds), ``max_concurrency``, ``retries`` and ``thinking``
    (a number of tokens, or minimal, low, medium, high)."""
    allow_options(spec, "base_url", "detail", "thinking", *HOSTED_OPTIONS)
    return GeminiClient(
        spec.value or "",
        base_url=spec.options.get("base_url"),
        api_key=context.api_key,
        detail=cast("Detail | None", one_of(spec, "detail", get_args(Detail))),
        thinking=_thinking(spec),
        max_concurrency=concurrency_of(spec),
        pace=pace_of(spec),
    )


def _thinking(spec: Spec) -> int | ThinkingLevel | None:
    word = spec.options.get("thinking")
    if word is None or word in get_args(ThinkingLevel):
        return cast("ThinkingLevel | None", word)
    return whole_number(spec, word, "thinking", low=-1)
