"""What a refusal or a lost connection comes to, whatever the provider: one sentence that says what
to do."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from typing import Any

from clients.errors import ServerUnreachableError, StreamError, StreamTimeoutError
from clients.retry import retry_after_seconds

LONGEST_MESSAGE = 300
RETRYABLE_STATUS = {408, 409, 425, 429}
TRANSPORTS = {"aiohttp", "httpcore", "httpcore2", "httpx", "httpx2"}
UNREACHABLE = {
    "ClientConnectorDNSError",
    "ClientConnectorError",
    "ConnectError",
    "ConnectTimeout",
    "ConnectionTimeoutError",
    "InvalidURL",
    "UnsupportedProtocol",
}

_DATA_URL = re.compile(r"data:image/[^\s\"']*")


def is_lost_connection(error: BaseException) -> bool:
    """Whether the transport failed, not the server or the SDK."""
    home = type(error).__module__.partition(".")[0]
    return home in TRANSPORTS or isinstance(error, OSError)


def lost_connection(
    error: BaseException | None, *, server: str, secrets: Collection[str] = ()
) -> StreamError:
    """The error for a connection that could not be made, or broke."""
    kind = type(error).__name__
    if kind in UNREACHABLE:
        late = kind in ("ConnectTimeout", "ConnectionTimeoutError")
        reason = "no answer in time" if late else strike(str(error) or kind, secrets)
        return ServerUnreachableError(
            f"no connection to {server} ({reason}); check that the server runs and that the base "
            "URL is right",
            retryable=late,
        )
    if kind.endswith(("Timeout", "TimeoutError")):
        return StreamTimeoutError(f"{server} did not answer in time; try again", retryable=True)
    return StreamError(f"the connection to {server} was lost ({kind}); try again", retryable=True)


def refused(
    *,
    server: str,
    model: str,
    key_name: str,
    status: int,
    said: str,
    headers: Mapping[str, str],
    not_found: str = "the base URL",
    retry_after: float | None = None,
) -> StreamError:
    """The error for an answer that is no success.

    ``said`` is the server's reason, struck out already; ``retry_after`` is for a wait that the
    body names, where the ``headers`` name none.
    """
    answer = f"{server} answered {status}: {said}"
    if status == 401:
        advice = f"set {key_name} to a valid key"
    elif status == 403:
        advice = f"check that the key may use the model {model!r}"
    elif status == 404:
        advice = f"check the model name {model!r} and {not_found}"
    elif status == 413:
        advice = "send smaller or fewer images"
    elif status == 429:
        advice = "try again later, or lower max_concurrency"
    elif status >= 500:
        advice = "try again later"
    else:
        advice = "check the model, the prompt, the images and the options"
    told = headers.get("x-should-retry")
    wait = retry_after_seconds(headers)
    return StreamError(
        f"{answer}; {advice}",
        retryable=is_retryable(status) if told not in ("true", "false") else told == "true",
        retry_after=retry_after if wait is None else wait,
    )


def is_retryable(status: object) -> bool:
    """Whether trying again may help after this HTTP status, which may be no number at all."""
    try:
        number = int(str(status))
    except ValueError:
        return False
    return number in RETRYABLE_STATUS or 500 <= number < 600


def reason_in(body: Any, secrets: Collection[str]) -> str:
    """What an error body says, whichever of the usual forms it has."""
    found = _reason(_parsed(body) if isinstance(body, str) else body)
    return strike(found or "no reason given", secrets).rstrip(".")


def strike(message: str, secrets: Collection[str]) -> str:
    """The message on one line, not too long, without the secrets and without images. Some servers
    repeat the key, or the image, that they were given."""
    for secret in secrets:
        message = message.replace(secret, "***")
    message = " ".join(_DATA_URL.sub("data:image/...", message).split())
    if len(message) > LONGEST_MESSAGE:
        message = message[:LONGEST_MESSAGE] + "..."
    return message


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _reason(body: Any) -> str:
    if isinstance(body, str):
        # A page in HTML says nothing that its status does not.
        return "" if body.lstrip().startswith("<") else body
    if isinstance(body, list):
        return "; ".join(filter(None, map(_reason, body)))
    if isinstance(body, dict):
        for field in ("message", "error", "detail", "msg"):
            if reason := _reason(body.get(field)):
                return reason
    return ""
