"""The request body of a chat completion stream."""

from __future__ import annotations

import re
from base64 import b64encode
from dataclasses import dataclass
from typing import Any, Literal

from clients.base import Image, Request

Detail = Literal["auto", "low", "high"]
TokenLimit = Literal["max_tokens", "max_completion_tokens"]
RENAMED = {
    "max_tokens": "max_completion_tokens",
    "max_completion_tokens": "max_tokens",
}
# What a report can do without. The limit on tokens is not among them: it bounds the cost.
DISPENSABLE = (
    "logprobs",
    "reasoning_effort",
    "seed",
    "stream_options",
    "temperature",
    "top_logprobs",
    "top_p",
)


@dataclass(frozen=True, slots=True)
class ChatOptions:
    """What a chat request says beside the study.

    ``token_limit`` is the name under which the server knows the limit on output tokens.
    ``running_usage`` asks for token counts on every chunk, as vLLM gives them. ``detail`` is the
    resolution at which OpenAI's models look at images, and ``effort`` how long they reason.
    """

    token_limit: TokenLimit = "max_tokens"  # noqa: S105
    detail: Detail | None = None
    effort: str | None = None
    logprobs: bool = False
    running_usage: bool = False


def chat_body(model: str, request: Request, candidate: int, options: ChatOptions) -> dict[str, Any]:
    """The body of the request for one candidate, whose seed is ``seed + candidate``."""
    sampling = request.sampling
    usage = {"include_usage": True}
    if options.running_usage:
        usage["continuous_usage_stats"] = True
    parts: list[dict[str, Any]] = [{"type": "text", "text": request.prompt}]
    parts += [_image_part(image, options.detail) for image in request.images]
    body: dict[str, Any] = {
        "model": model,
        "messages": [{"role": "user", "content": parts if request.images else request.prompt}],
        "stream": True,
        "stream_options": usage,
        "temperature": sampling.temperature,
        options.token_limit: sampling.max_tokens,
    }
    if sampling.top_p is not None:
        body["top_p"] = sampling.top_p
    if sampling.seed is not None:
        body["seed"] = sampling.seed + candidate
    if options.logprobs or sampling.top_logprobs:
        body["logprobs"] = True
    if sampling.top_logprobs:
        body["top_logprobs"] = sampling.top_logprobs
    if options.effort is not None:
        body["reasoning_effort"] = options.effort
    return body


def refused_field(status: int, message: str, named: str | None) -> str | None:
    """The field that a server does not support, from the answer in which it says so.

    ``named`` is the answer's own ``param``. ``None`` where the answer is about anything else.
    """
    if status not in (400, 422):
        return None
    fields = (*RENAMED, *DISPENSABLE)
    if named is not None and named.split(".")[0] in fields:
        field = named.split(".")[0]
    else:
        # The field that is at fault comes first; what to use instead comes after it.
        found = re.search(r"['\"`](" + "|".join(fields) + r")['\"`]", message)
        if found is None:
            return None
        field = found[1]
    refuses = re.search(
        r"unsupported|not support|unrecogni[sz]ed|unknown|not permitted|forbidden|not allowed"
        r"|unexpected|extra input",
        message,
        re.IGNORECASE,
    )
    return field if refuses else None


def without_field(body: dict[str, Any], field: str) -> dict[str, Any]:
    """The body with a refused field renamed, or left out where the report can do without it."""
    gone = (field, "top_logprobs") if field == "logprobs" else (field,)  # one needs the other
    kept = {key: value for key, value in body.items() if key not in gone}
    if field in RENAMED and field in body:
        kept[RENAMED[field]] = body[field]
    return kept


def _image_part(image: Image, detail: Detail | None) -> dict[str, Any]:
    data = b64encode(image.data).decode("ascii")
    url = {"url": f"data:{image.media_type};base64,{data}"}
    if detail is not None:
        url["detail"] = detail
    return {"type": "image_url", "image_url": url}
