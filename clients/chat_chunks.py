"""What the chunks of a chat completion stream mean.

Compatible servers differ, so nothing is taken for granted: a chunk may lack choices, a choice its
delta, a delta its content; text and finish reason may share a chunk; token counts may come once,
at the end, on a chunk without choices, or on every chunk as a running total.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Protocol, TypeVar

from clients.base import Finish, FinishReason, Piece, TokenLogprob, Usage
from clients.errors import StreamError

FINISH_REASONS: dict[str, FinishReason] = {
    "stop": "stop",
    "eos": "stop",
    "eos_token": "stop",
    "end_turn": "stop",
    "stop_sequence": "stop",
    "length": "length",
    "max_tokens": "length",
    "model_length": "length",
    "content_filter": "content_filter",
    "refusal": "refusal",
}
BROKEN_OFF = {"error", "abort", "cancelled"}
LONGEST_DETAIL = 300

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


Item_co = TypeVar("Item_co", covariant=True)


class Chunks(Protocol[Item_co]):
    """Reads the chunks of an answer, in order: of one candidate, or of several."""

    def read(self, chunk: Any) -> Iterator[Item_co | Usage]: ...

    def finish(self) -> Finish | None: ...


class ChatChunks:
    """Reads the chunks of one stream, in order, as the JSON they are.

    ``Piece.tokens`` is what the chunk's log-probabilities or a running count tell, and ``None``
    where there are neither: a chunk holds mostly, but not always, one token.
    """

    def __init__(self) -> None:
        self._finish: Finish | None = None
        self._usage: Usage | None = None
        self._running = 0
        self._any_text = False
        self._refusal = ""

    def read(self, chunk: Any) -> Iterator[Piece | Usage]:
        """What one chunk brings. Raises ``StreamError`` for a chunk that says the stream failed."""
        reported = _get(chunk, "usage")
        before = self._running
        if reported is not None:
            self._usage = read_usage(reported)
            self._running = max(self._running, self._usage.output_tokens or 0)
            yield self._usage
        choices = _get(chunk, "choices")
        for choice in choices if isinstance(choices, list) else ():
            if _get(choice, "index") in (0, None):
                yield from self._read_choice(choice, self._running - before)

    def finish(self) -> Finish | None:
        """How the stream ended, ``None`` while no chunk has said so."""
        finish = self._finish
        if finish is None:
            return None
        if self._refusal:
            return Finish("refusal", self._refusal[:LONGEST_DETAIL])
        if finish.reason == "length" and not self._any_text:
            return Finish("length", self._spent_without_text())
        return finish

    def _read_choice(self, choice: Any, counted: int) -> Iterator[Piece]:
        delta = _get(choice, "delta")
        text = _text(_get(delta, "content"))
        self._refusal += _text(_get(delta, "refusal"))
        logprobs = _logprobs(choice)
        likeliest = _likeliest(choice) if text else None
        # Hidden reasoning has no text of ours, yet shows that the stream is alive.
        thinking = any(_get(delta, name) for name in ("reasoning_content", "reasoning"))
        if text or counted or thinking:
            self._any_text |= bool(text.strip())
            yield Piece(
                text,
                tokens=counted or (len(logprobs) if logprobs else None),
                running_tokens=self._running if counted else None,
                logprob=sum(logprobs) if logprobs else None,
                top_logprobs=likeliest,
            )
        word = _get(choice, "finish_reason")
        if not isinstance(word, str):
            return
        if word in BROKEN_OFF:
            raise StreamError(f"the server broke the report off ({word}); try again")
        reason = FINISH_REASONS.get(word, "stop")
        self._finish = Finish(reason, None if word == reason else word[:LONGEST_DETAIL])

    def _spent_without_text(self) -> str:
        usage = self._usage
        spent = "all" if usage is None or usage.output_tokens is None else f"{usage.output_tokens}"
        hidden = "" if usage is None or not usage.reasoning_tokens else " on hidden reasoning"
        return (
            f"{spent} output tokens were spent{hidden} before any text; allow more tokens or ask "
            "for less reasoning effort"
        )


def read_usage(reported: Any) -> Usage:
    """Token counts as the server reports them; what it leaves out is ``None``."""
    prompt = _get(reported, "prompt_tokens_details")
    output = _get(reported, "completion_tokens_details")
    return Usage(
        prompt_tokens=_count(reported, "prompt_tokens"),
        image_tokens=_image_tokens(prompt),
        cached_tokens=_count(prompt, "cached_tokens"),
        output_tokens=_count(reported, "completion_tokens"),
        reasoning_tokens=_count(output, "reasoning_tokens"),
        provenance="reported",
    )


def _image_tokens(prompt: Any) -> int | None:
    # vLLM counts by kind of input.
    ours = _count(prompt, "image_tokens")
    return _count(_get(prompt, "multimodal_tokens"), "image") if ours is None else ours


def _get(holder: Any, name: str) -> Any:
    return holder.get(name) if isinstance(holder, dict) else None


def _count(holder: Any, name: str) -> int | None:
    value = _get(holder, name)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _text(content: Any) -> str:
    if content is None:
        return ""
    if not isinstance(content, str):
        raise StreamError(
            f"the server sent text of type {type(content).__name__}; expected a string: is it "
            "OpenAI-compatible?"
        )
    return _LONE_SURROGATE.sub("\ufffd", content)


def _logprobs(choice: Any) -> list[float]:
    values = [_get(token, "logprob") for token in _tokens(choice)]
    return [value for value in values if isinstance(value, int | float)]


def _likeliest(choice: Any) -> tuple[TokenLogprob, ...] | None:
    """The likeliest tokens at the place of the first token that is not blank."""
    for place in _tokens(choice):
        chosen, listed = _get(place, "token"), _get(place, "top_logprobs")
        if isinstance(chosen, str) and chosen.strip():
            known = [
                TokenLogprob(token, float(logprob))
                for each in (listed if isinstance(listed, list) else ())
                if isinstance(token := _get(each, "token"), str)
                and isinstance(logprob := _get(each, "logprob"), int | float)
            ]
            return tuple(known) or None
    return None


def _tokens(choice: Any) -> list[Any]:
    content = _get(_get(choice, "logprobs"), "content")
    return content if isinstance(content, list) else []
