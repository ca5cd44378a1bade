"""What the vendor's SDK raises, as one sentence that says what to do."""

from __future__ import annotations

import re
from collections.abc import Collection

from clients.errors import StreamError
from clients.http_errors import is_retryable, lost_connection, reason_in, refused, strike

RETRYABLE_WORDS = re.compile(
    r"rate.?limit|overload|server.?error|unavailable|timeout", re.IGNORECASE
)


def explain(
    error: Exception, *, server: str, model: str, key_name: str, secrets: Collection[str]
) -> StreamError:
    """The error as this package's own.

    The SDK's exceptions hold the request, and with it the key: raise the result outside of the
    ``except`` block, so that none is chained to it. ``secrets`` are struck out of what the server
    says.
    """
    import openai  # noqa: PLC0415

    if isinstance(error, openai.APIConnectionError):
        return lost_connection(error.__cause__, server=server, secrets=secrets)
    if isinstance(error, openai.APIStatusError):
        said = reason_in(error.body, secrets)
        if error.code == "insufficient_quota":
            return StreamError(
                f"{server} answered {error.status_code}: {said}; check the account's plan and "
                "billing"
            )
        return refused(
            server=server,
            model=model,
            key_name=key_name,
            status=error.status_code,
            said=said,
            headers=error.response.headers,
            not_found="the base URL (most end in /v1)",
        )
    if isinstance(error, openai.APIError):
        word = f"{error.code or ''} {error.type or ''}"
        retryable = is_retryable(error.code) or bool(RETRYABLE_WORDS.search(word))
        return StreamError(
            f"the server {server} broke off with an error: {reason_in(error.body, secrets)}",
            retryable=retryable,
        )
    if isinstance(error, openai.OpenAIError):
        return StreamError(f"the request could not be sent: {strike(str(error), secrets)}")
    # The SDK decodes lines as JSON without a guard of its own.
    return StreamError(
        f"the server {server} sent something that is not a chat completion chunk "
        f"({type(error).__name__}); is this the base URL of an OpenAI-compatible server?"
    )
