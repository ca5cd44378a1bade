"""SDK objects that a caller configured, each as the contract suite sees it."""

from __future__ import annotations

from clients import Client
from clients.gemini import GeminiClient
from clients.mistral import MistralClient
from clients.reader import Pace
from tests.clients.case import KEY
from tests.clients.gemini_case import GeminiCase
from tests.clients.mistral_case import MistralCase


class ClosedWithItsSDK(GeminiClient):
    """Closes what the caller would close."""

    async def close_transport(self) -> None:
        await self._sdk.aio.aclose()
        self._sdk.close()


class GeminiOverAiohttpCase(GeminiCase):
    """A ``genai.Client`` as most callers make it: with aiohttp, where that is installed."""

    name = "gemini-over-aiohttp"

    def open(self, url: str, pace: Pace, max_concurrency: int = 64) -> Client:
        from google import genai

        sdk = genai.Client(api_key=KEY, http_options=genai.types.HttpOptions(base_url=url))
        assert sdk._api_client._use_aiohttp()
        return ClosedWithItsSDK("test-model", sdk=sdk, pace=pace, max_concurrency=max_concurrency)

    def keep_alive(self) -> bytes:
        return b"\n"  # the SDK takes a comment for data


class GeminiOverHttpxCase(GeminiOverAiohttpCase):
    """A ``genai.Client`` that the caller gave a transport."""

    name = "gemini-over-httpx"

    def open(self, url: str, pace: Pace, max_concurrency: int = 64) -> Client:
        import httpx2
        from google import genai

        class Closed(ClosedWithItsSDK):
            async def close_transport(self) -> None:
                await super().close_transport()
                await transport.aclose()

        transport = httpx2.AsyncClient(timeout=None)
        options = genai.types.HttpOptions(base_url=url, httpx_async_client=transport)
        sdk = genai.Client(api_key=KEY, http_options=options)
        return Closed("test-model", sdk=sdk, pace=pace, max_concurrency=max_concurrency)


class MistralWrappedCase(MistralCase):
    """A ``Mistral`` that the caller configured."""

    name = "mistral-wrapped"

    def open(self, url: str, pace: Pace, max_concurrency: int = 64) -> Client:
        from mistralai.client import Mistral

        sdk = Mistral(api_key=KEY, server_url=url)

        class Closed(MistralClient):
            async def close_transport(self) -> None:
                await sdk.__aexit__(None, None, None)

        return Closed("test-model", sdk=sdk, pace=pace, max_concurrency=max_concurrency)
