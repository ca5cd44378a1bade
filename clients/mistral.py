"""Candidates from Mistral."""

from __future__ import annotations

import os
from base64 import b64encode
from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING, Any

from clients.base import Client, Finish, Request, SharedRequest, Usage
from clients.chat_choices import ChatChoices
from clients.chat_chunks import ChatChunks, Chunks
from clients.errors import MissingKeyError, MissingPackageError, SpecError, StreamError
from clients.event_data import EventData
from clients.hosted import HostedClient
from clients.hosted_spec import HOSTED_OPTIONS, concurrency_of, pace_of
from clients.http_errors import is_lost_connection, lost_connection, reason_in, refused, strike
from clients.mistral_chunks import read_chunk
from clients.openai_server import check_url, without_credentials
from clients.reader import Event, Item, Pace
from clients.registry import ClientContext
from clients.shared_reader import OfChoice
from clients.spec import Spec, allow_options
from clients.transport import RememberingTransport, closing_responses, open_transport

if TYPE_CHECKING:
    import httpx2
    from mistralai.client import Mistral

KEY_NAME = "MISTRAL_API_KEY"
VENDOR_URL = "https://api.mistral.ai"
# The client times silence itself; the SDK's own limit would end a longer wait.
SDK_TIMEOUT_MS = 86_400_000

END = b""


class MistralClient(HostedClient):
    """Streams candidates, one chat completion request each, seeded ``seed + candidate``.

    Without ``sdk`` the client makes, and closes, a ``Mistral`` of its own for ``base_url``
    (default: Mistral's API), with ``api_key`` or else ``MISTRAL_API_KEY``. With ``sdk``, a
    ``Mistral`` that the caller configured, its server, key and transport are used, and left open.
    Retries are always this package's, never the SDK's.

    ``prompt_cache_key`` lets requests with the same beginning share it, so that all but the first
    candidate of a study pay the lower price; ``effort`` is how long a reasoning model reasons.

    Raises ``MissingPackageError`` without the SDK and ``MissingKeyError`` without a key; servers
    other than Mistral's may need none.
    """

    can_share = True

    def __init__(
        self,
        model: str,
        *,
        sdk: Mistral | None = None,
        base_url: str | None = None,
        api_key: str | None = None,
        prompt_cache_key: str | None = None,
        effort: str | None = None,
        max_concurrency: int = 64,
        pace: Pace | None = None,
    ) -> None:
        super().__init__(max_concurrency=max_concurrency, pace=pace)
        if not model:
            raise SpecError("mistral found no model; expected one, as in mistral:MODEL")
        self.model = model
        self._prompt_cache_key = prompt_cache_key
        self._effort = effort
        self._transport: httpx2.AsyncClient | None = None
        if sdk is None:
            url = _server_url(base_url)
            api_key = api_key or os.environ.get(KEY_NAME)
            _check_installed()
            if not api_key and url == VENDOR_URL:
                raise MissingKeyError(
                    f"no API key for api.mistral.ai: set the environment variable {KEY_NAME}"
                )
            self._transport = open_transport()
            self._sdk = _open_sdk(self._transport, url, api_key, SDK_TIMEOUT_MS)
        else:
            settings = sdk.sdk_configuration
            url, _ = settings.get_server_details()
            # The caller's settings, over the caller's transport, but with responses remembered.
            self._sdk = _open_sdk(
                RememberingTransport(settings.async_client),
                url,
                _api_key_of(sdk),
                settings.timeout_ms,
            )
        self.server = without_credentials(url).rstrip("/")
        elsewhere = self.server != VENDOR_URL
        self.name = f"mistral:{model}" + (f",base_url={self.server}" if elsewhere else "")

    def __repr__(self) -> str:
        return f"MistralClient({self.name!r})"

    def attempt(self, request: Request, candidate: int) -> AsyncGenerator[Event]:
        return self._answer(self._body(request, candidate), ChatChunks())

    def shared(self, request: Request, k: int) -> SharedRequest:
        """One request with ``n=k``, seeded ``seed``."""

        def attempt() -> AsyncGenerator[OfChoice | Usage | Finish]:
            return self._answer(self._body(request, 0) | {"n": k}, ChatChoices(k))

        return self.one_request(attempt, k)

    async def _answer(
        self, body: dict[str, Any], chunks: Chunks[Item]
    ) -> AsyncGenerator[Item | Usage | Finish]:
        async with closing_responses():
            response = await self._open(body)
            events = EventData()
            # The SDK would make models of every chunk, and fail at those that do not fit.
            received = response.aiter_bytes()
            failure: Exception | None = None
            while failure is None:
                data = END
                try:
                    data = await anext(received, END)
                except Exception as error:  # noqa: BLE001 - explained below, without the key
                    failure = error
                if data == END:
                    break
                for event in events.read(data):
                    if event == b"[DONE]":
                        return
                    chunk = read_chunk(event, server=self.server, secrets=self._secrets)
                    for told in chunks.read(chunk):
                        yield told
                    if (finish := chunks.finish()) is not None:
                        yield finish
        if failure is not None:
            raise self._explain(failure)

    async def close_transport(self) -> None:
        if self._transport is not None:
            await self._transport.aclose()

    async def _open(self, body: dict[str, Any]) -> httpx2.Response:
        failure: Exception
        try:
            stream = await self._sdk.chat.stream_async(**body, retries=None)
            return stream.response
        except Exception as error:  # noqa: BLE001 - explained below, without the key in it
            failure = error
        raise self._explain(failure)

    def _body(self, request: Request, candidate: int) -> dict[str, Any]:
        parts: list[dict[str, Any]] = [{"type": "text", "text": request.prompt}]
        for image in request.images:
            data = b64encode(image.data).decode("ascii")
            url = f"data:{image.media_type};base64,{data}"
            parts.append({"type": "image_url", "image_url": url})
        sampling = request.sampling
        body = {
            "model": self.model,
            "messages": [{"role": "user", "content": parts if request.images else request.prompt}],
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
            "max_tokens": sampling.max_tokens,
            "random_seed": None if sampling.seed is None else sampling.seed + candidate,
            "prompt_cache_key": self._prompt_cache_key,
            "reasoning_effort": self._effort,
            "logprobs": True if sampling.top_logprobs else None,
            "top_logprobs": sampling.top_logprobs or None,
        }
        return {field: value for field, value in body.items() if value is not None}

    @property
    def _secrets(self) -> list[str]:
        key = _api_key_of(self._sdk)
        key = key() if callable(key) else key
        return [key] if key else []

    def _explain(self, error: Exception) -> StreamError:
        from mistralai.client.errors import MistralError  # noqa: PLC0415

        if is_lost_connection(error):
            return lost_connection(error, server=self.server, secrets=self._secrets)
        if not isinstance(error, MistralError):
            said = strike(str(error), self._secrets)
            return StreamError(f"the request could not be sent ({type(error).__name__}): {said}")
        if error.status_code == 200:
            return StreamError(
                f"{self.server} answered, but not with a stream, and the connection ended before "
                "the report did; is this the base URL of the Mistral API?",
                retryable=True,
            )
        return refused(
            server=self.server,
            model=self.model,
            key_name=KEY_NAME,
            status=error.status_code,
            said=reason_in(error.body, self._secrets),
            headers=error.headers,
            not_found="the base URL",
        )


def _check_installed() -> None:
    try:
        import mistralai.client  # noqa: F401, PLC0415
    except ImportError as error:
        raise MissingPackageError(
            "the mistralai package is not installed; run: pip install 'sdr-decode[mistral]'"
        ) from error


def _open_sdk(transport: Any, url: str, api_key: Any, timeout_ms: int | None) -> Mistral:
    from mistralai.client import Mistral  # noqa: PLC0415

    return Mistral(api_key=api_key, server_url=url, async_client=transport, timeout_ms=timeout_ms)


def _api_key_of(sdk: Mistral) -> Any:
    """The key, or the function that gives it."""
    security = sdk.sdk_configuration.security
    if callable(security):
        return lambda: security().api_key
    return None if security is None else security.api_key


def _server_url(base_url: str | None) -> str:
    """The address as the SDK takes it, which itself adds the version."""
    url = (base_url or VENDOR_URL).rstrip("/").removesuffix("/v1")
    check_url(url)
    return url


def open_from_spec(spec: Spec, context: ClientContext) -> Client:
    """``mistral:MODEL`` with the options ``base_url`` (also as ``server_url``), ``effort``,
    ``first_timeout`` and ``timeout`` (seconds), ``max_concurrency``, ``prompt_cache_key`` and
    ``retries``."""
    allow_options(
        spec, "base_url", "server_url", "effort", "prompt_cache_key", *HOSTED_OPTIONS,
    )  # fmt: skip
    get = spec.options.get
    if "base_url" in spec.options and "server_url" in spec.options:
        raise SpecError("mistral found base_url and server_url, which are the same; give one")
    return MistralClient(
        spec.value or "",
        base_url=get("base_url") or get("server_url"),
        api_key=context.api_key,
        prompt_cache_key=get("prompt_cache_key"),
        effort=get("effort"),
        max_concurrency=concurrency_of(spec),
        pace=pace_of(spec),
    )
