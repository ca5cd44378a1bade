"""What Mistral's chunks say differently from other chat completion chunks."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any

from clients.errors import StreamError
from clients.http_errors import is_retryable, reason_in


def read_chunk(data: bytes, *, server: str, secrets: Collection[str]) -> Any:
    """One chunk, in the form that ``ChatChunks`` reads.

    Raises ``StreamError`` for data that is no JSON and for an error in place of a chunk.
    """
    try:
        chunk = json.loads(data)
    except ValueError:
        chunk = None
    if not isinstance(chunk, dict):
        raise StreamError(
            f"the server {server} sent something that is not a chat completion chunk; is this the "
            "base URL of the Mistral API?"
        )
    if "choices" not in chunk and (chunk.get("object") == "error" or chunk.get("error")):
        code = next(
            (chunk[field] for field in ("raw_status_code", "status", "code") if chunk.get(field)),
            None,
        )
        raise StreamError(
            f"the server {server} broke off with an error: {reason_in(chunk, secrets)}",
            retryable=is_retryable(code),
        )
    choices = chunk.get("choices")
    for choice in choices if isinstance(choices, list) else ():
        delta = choice.get("delta") if isinstance(choice, dict) else None
        if isinstance(delta, dict) and isinstance(delta.get("content"), list):
            # Models that reason send parts: their thoughts are no text of the report.
            parts = [part for part in delta["content"] if isinstance(part, dict)]
            delta["reasoning"] = any(part.get("type") == "thinking" for part in parts)
            delta["content"] = "".join(
                str(part.get("text", "")) for part in parts if part.get("type") == "text"
            )
    return chunk
