"""What the vendor's SDK raises, as one sentence that says what to do."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

from clients.errors import StreamError
from clients.http_errors import (
    is_lost_connection,
    is_retryable,
    lost_connection,
    reason_in,
    refused,
    strike,
)


def explain(
    error: Exception,
    *,
    server: str,
    model: str,
    key_name: str,
    secrets: Collection[str],
) -> StreamError:
    """The error as this package's own.

    The SDK's exceptions hold the response, and with it the request and the key: raise the result
    outside of the ``except`` block, so that none is chained to it. ``secrets`` are struck out of
    what the server says.
    """
    from google.genai.errors import APIError  # noqa: PLC0415

    if is_lost_connection(error):
        return lost_connection(error, server=server, secrets=secrets)
    if isinstance(error, APIError):
        said = reason_in(error.details, secrets)
        # In mid-stream there is no answer of its own: the error is a chunk like the others.
        if getattr(error.response, "status_code", getattr(error.response, "status", 200)) == 200:
            return StreamError(
                f"the server {server} broke off with an error: {said}",
                retryable=is_retryable(error.code),
            )
        return refused(
            server=server,
            model=model,
            key_name=key_name,
            status=error.code,
            said=said,
            headers=getattr(error.response, "headers", {}),
            not_found="the base URL",
            retry_after=_retry_delay(error.details),
        )
    # Google's sign-in, which Vertex AI asks for, comes before anything is sent.
    if type(error) is ValueError or type(error).__module__.startswith("google.auth"):
        said = strike(str(error), secrets)
        return StreamError(f"the request could not be sent ({type(error).__name__}): {said}")
    # The SDK parses what it receives without a guard of its own.
    return StreamError(
        f"the server {server} sent something that is not a Gemini chunk, or the connection ended "
        f"before the report did ({type(error).__name__}); is this the base URL of the Gemini API?"
    )


def _retry_delay(body: Any) -> float | None:
    """Seconds to wait, which Google says in the body: ``"retryDelay": "17s"``."""
    for holder in body if isinstance(body, list) else [body]:
        error = holder.get("error", holder) if isinstance(holder, dict) else None
        details = error.get("details") if isinstance(error, dict) else None
        for detail in details if isinstance(details, list) else ():
            delay = detail.get("retryDelay") if isinstance(detail, dict) else None
            found = re.fullmatch(r"(\d+(?:\.\d+)?)s", str(delay))
            if found is not None:
                return float(found[1])
    return None
