"""The vendor's SDK for a server, and what the server's address tells."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit, urlunsplit

from clients.chat_request import TokenLimit
from clients.errors import MissingKeyError, MissingPackageError, SpecError
from clients.transport import kept_connections

if TYPE_CHECKING:
    from openai import AsyncOpenAI

VENDOR_URL = "https://api.openai.com/v1"
# These hosts want the newer name for the token limit; many compatible servers know only the older.
VENDOR_HOSTS = ("api.openai.com", "openai.azure.com")
NO_KEY = "none"


def open_sdk(base_url: str, api_key: str | None, key_name: str) -> AsyncOpenAI:
    """The vendor's SDK for a server. OpenAI's own needs a key."""
    try:
        from openai import AsyncOpenAI, DefaultAsyncHttpxClient  # noqa: PLC0415
    except ImportError as error:
        raise MissingPackageError(
            "the openai package is not installed; run: pip install 'sdr-decode[openai]'"
        ) from error
    check_url(base_url)
    if not api_key and _is_vendor(base_url):
        raise MissingKeyError(
            f"no API key for {urlsplit(base_url).hostname}: set the environment variable {key_name}"
        )
    return AsyncOpenAI(
        base_url=base_url,
        api_key=api_key or NO_KEY,
        http_client=DefaultAsyncHttpxClient(limits=kept_connections()),
    )


def check_url(base_url: str) -> None:
    """Raise ``SpecError`` for what is no address of a server."""
    parts = urlsplit(base_url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise SpecError(
            f"found the base URL {without_credentials(base_url)!r}; expected one such as "
            "http://localhost:8000/v1"
        )


def token_limit_of(base_url: str) -> TokenLimit:
    """The name under which the server knows the limit on output tokens, as far as can be told."""
    return "max_completion_tokens" if _is_vendor(base_url) else "max_tokens"


def without_credentials(url: str) -> str:
    """The URL without user name, password and query, any of which may be a secret."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def _is_vendor(base_url: str) -> bool:
    host = urlsplit(base_url).hostname or ""
    return any(host == known or host.endswith(f".{known}") for known in VENDOR_HOSTS)
