"""What the chunks of a Gemini stream mean.

Finish and text may share a chunk; a chunk may hold neither candidates nor parts; token counts are
cumulative where they come on every chunk, and come on the last one only elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from clients.base import Finish, Piece, TokenLogprob, Usage
from clients.chat_chunks import LONGEST_DETAIL
from clients.errors import StreamError

FILTERED = {
    "BLOCKLIST",
    "ESCALATION",
    "IMAGE_PROHIBITED_CONTENT",
    "IMAGE_RECITATION",
    "IMAGE_SAFETY",
    "MODEL_ARMOR",
    "PROHIBITED_CONTENT",
    "RECITATION",
    "SAFETY",
    "SPII",
}


class GeminiChunks:
    """Reads the chunks of one stream, in order, as the SDK's ``GenerateContentResponse``.

    ``Piece.tokens`` is ``None``, since a chunk holds many tokens; ``running_tokens`` is the
    server's own count, hidden thoughts included, where it comes with the chunk.
    """

    def __init__(self) -> None:
        self._running = 0
        self._any_text = False
        self._usage: Usage | None = None

    def read(self, chunk: Any) -> Iterator[Piece | Usage | Finish]:
        """What one chunk brings. Raises ``StreamError`` where it says that the report broke off."""
        before = self._running
        if (reported := chunk.usage_metadata) is not None:
            self._usage = read_usage(reported)
            self._running = max(before, self._usage.output_tokens or 0)
            yield self._usage
        candidate = next((each for each in chunk.candidates or () if not each.index), None)
        text, thinking = _text(candidate)
        counted = self._running > before
        if text or thinking or counted:
            self._any_text |= bool(text.strip())
            yield Piece(
                text,
                tokens=None,
                running_tokens=self._running if counted else None,
                top_logprobs=_likeliest(candidate) if text else None,
            )
        word = _word(candidate.finish_reason) if candidate is not None else None
        if candidate is not None and word is not None:
            yield self._finish(word, candidate.finish_message)
        blocked = _word(chunk.prompt_feedback and chunk.prompt_feedback.block_reason)
        if blocked is not None:
            said = chunk.prompt_feedback.block_reason_message
            yield Finish("content_filter", _detail(f"the prompt was blocked: {blocked}", said))

    def _finish(self, word: str, said: str | None) -> Finish:
        if word == "STOP":
            return Finish("stop")
        if word == "MAX_TOKENS":
            return Finish("length", word if self._any_text else self._spent_without_text())
        if word in FILTERED:
            return Finish("content_filter", _detail(word, said))
        raise StreamError(f"the server broke the report off ({_detail(word, said)}); try again")

    def _spent_without_text(self) -> str:
        usage = self._usage
        spent = "all" if usage is None or usage.output_tokens is None else f"{usage.output_tokens}"
        hidden = " on hidden thoughts" if usage is not None and usage.reasoning_tokens else ""
        return (
            f"MAX_TOKENS: {spent} output tokens were spent{hidden} before any text; allow more "
            "tokens or a smaller thinking budget"
        )


def read_usage(reported: Any) -> Usage:
    """Token counts as the server reports them; what it leaves out is ``None``. Thoughts are
    output."""
    said, thoughts = reported.candidates_token_count, reported.thoughts_token_count
    images = [
        detail.token_count
        for detail in reported.prompt_tokens_details or ()
        if _word(detail.modality) == "IMAGE"
    ]
    return Usage(
        prompt_tokens=reported.prompt_token_count,
        image_tokens=sum(count or 0 for count in images) if images else None,
        cached_tokens=reported.cached_content_token_count,
        output_tokens=None if said is None and thoughts is None else (said or 0) + (thoughts or 0),
        reasoning_tokens=thoughts,
        provenance="reported",
    )


def _text(candidate: Any) -> tuple[str, bool]:
    """The report's text in a candidate, and whether there are thoughts in it."""
    content = None if candidate is None else candidate.content
    parts = (content.parts if content is not None else None) or ()
    text = "".join(part.text or "" for part in parts if not part.thought)
    return text, any(part.thought for part in parts)


def _likeliest(candidate: Any) -> tuple[TokenLogprob, ...] | None:
    """The likeliest tokens at the place of the first token that is not blank."""
    told = candidate.logprobs_result
    places = zip(
        (told and told.chosen_candidates) or (), (told and told.top_candidates) or (), strict=False
    )
    for chosen, top in places:
        if (chosen.token or "").strip():
            known = [
                TokenLogprob(each.token, each.log_probability)
                for each in top.candidates or ()
                if each.token is not None and each.log_probability is not None
            ]
            return tuple(known) or None
    return None


def _word(value: Any) -> str | None:
    """The provider's word for a reason, ``None`` for one that says nothing."""
    word = str(getattr(value, "value", value) or "")
    return None if not word or word.endswith("_UNSPECIFIED") else word


def _detail(word: str, said: str | None) -> str:
    return f"{word}: {said}"[:LONGEST_DETAIL] if said else word
