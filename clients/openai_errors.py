"""What the vendor's SDK raises, as one sentence that says what to do."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

from clients.errors import ServerUnreachableError, StreamError, StreamTimeoutError
from clients.retry import retry_after_seconds

LONGEST_MESSAGE = 300
RETRYABLE_STATUS = {408, 409, 425, 429}
RETRYABLE_WORDS = re.compile(
    r"rate.?limit|overload|server.?error|unavailable|timeout", re.IGNORECASE
)

_DATA_URL = re.compile(r"data:image/[^\s\"']*")


def explain(
    error: Exception, *, server: str, model: str, key_name: str, secrets: Collection[str]
) -> StreamError:
    """The error as this package's own.

    The SDK's exceptions hold the request, and with it the key: raise the result outside of the
    ``except`` block, so that none is chained to it. ``secrets`` are struck out of what the server
    says; some servers repeat the key, or the image, that they were given.
    """
    import openai  # noqa: PLC0415

    if isinstance(error, openai.APIConnectionError):
        return _no_connection(error, server)
    if isinstance(error, openai.APIStatusError):
        return _refused(error, server, model, key_name, _said(error, secrets))
    if isinstance(error, openai.APIError):
        word = f"{error.code or ''} {error.type or ''}"
        retryable = _retryable(error.code) or bool(RETRYABLE_WORDS.search(word))
        return StreamError(
            f"the server {server} broke off with an error: {_said(error, secrets)}",
            retryable=retryable,
        )
    if isinstance(error, openai.OpenAIError):
        return StreamError(f"the request could not be sent: {_strike(str(error), secrets)}")
    # The SDK decodes lines as JSON without a guard of its own.
    return StreamError(
        f"the server {server} sent something that is not a chat completion chunk "
        f"({type(error).__name__}); is this the base URL of an OpenAI-compatible server?"
    )


def _no_connection(error: Any, server: str) -> StreamError:
    cause = error.__cause__
    kind = type(cause).__name__
    if kind in ("ConnectError", "ConnectTimeout", "UnsupportedProtocol", "InvalidURL"):
        late = kind == "ConnectTimeout"
        reason = "no answer in time" if late else str(cause) or kind
        return ServerUnreachableError(
            f"no connection to {server} ({reason}); check that the server runs and that the base "
            "URL is right",
            retryable=late,
        )
    if kind.endswith("Timeout"):
        return StreamTimeoutError(f"{server} did not answer in time; try again", retryable=True)
    return StreamError(f"the connection to {server} was lost ({kind}); try again", retryable=True)


def _refused(error: Any, server: str, model: str, key_name: str, said: str) -> StreamError:
    status: int = error.status_code
    answer = f"{server} answered {status}: {said}"
    wait = retry_after_seconds(error.response.headers)
    if status == 401:
        advice = f"set {key_name} to a valid key"
    elif status == 403:
        advice = f"check that the key may use the model {model!r}"
    elif status == 404:
        advice = f"check the model name {model!r} and the base URL (most end in /v1)"
    elif status == 413:
        advice = "send smaller or fewer images"
    elif error.code == "insufficient_quota":
        return StreamError(f"{answer}; check the account's plan and billing")
    elif status == 429:
        advice = "try again later, or lower max_concurrency"
    elif status >= 500:
        advice = "try again later"
    else:
        advice = "check the model, the prompt, the images and the options"
    told = error.response.headers.get("x-should-retry")
    retryable = _retryable(status) if told not in ("true", "false") else told == "true"
    return StreamError(f"{answer}; {advice}", retryable=retryable, retry_after=wait)


def _retryable(status: object) -> bool:
    try:
        number = int(str(status))
    except ValueError:
        return False
    return number in RETRYABLE_STATUS or 500 <= number < 600


def _said(error: Any, secrets: Collection[str]) -> str:
    body = error.body
    message = body.get("message") or body.get("detail") if isinstance(body, dict) else None
    # A page in HTML says nothing that its status does not.
    if message is None and isinstance(body, str) and not body.lstrip().startswith("<"):
        message = body
    return _strike(str(message or "no reason given"), secrets).rstrip(".")


def _strike(message: str, secrets: Collection[str]) -> str:
    for secret in secrets:
        message = message.replace(secret, "***")
    message = " ".join(_DATA_URL.sub("data:image/...", message).split())
    if len(message) > LONGEST_MESSAGE:
        message = message[:LONGEST_MESSAGE] + "..."
    return message
