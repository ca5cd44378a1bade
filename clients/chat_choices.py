"""What the chunks of a chat completion stream with several choices mean."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from clients.base import Finish, Usage
from clients.chat_chunks import ChatChunks, read_usage
from clients.errors import StreamError
from clients.shared_reader import OfChoice


class ChatChoices:
    """Reads the chunks of a request with ``n=k``, in order, as the JSON they are.

    Token counts are those of the request, its output that of all choices together. With
    ``running`` they stand on every chunk, and then they are, as vLLM counts, those of the chunk's
    own choice, while the chunk without choices at the end has the sum.
    """

    def __init__(self, k: int, *, running: bool = False) -> None:
        self._choices = [ChatChunks() for _ in range(k)]
        self._ended: set[int] = set()
        self._running = running

    def read(self, chunk: Any) -> Iterator[OfChoice | Usage]:
        """What one chunk brings."""
        fields = chunk if isinstance(chunk, dict) else {}
        listed, reported = fields.get("choices"), fields.get("usage")
        choices = (
            [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
        )
        own = reported if self._running and len(choices) == 1 else None
        if reported is not None:
            usage = read_usage(reported)
            if own is not None:
                usage = replace(usage, output_tokens=None, reasoning_tokens=None)
            yield usage
        for choice in choices:
            number = choice.get("index", 0)
            known = isinstance(number, int) and 0 <= number < len(self._choices)
            if known and number not in self._ended:
                yield from self._read_choice(number, {"choices": [{**choice, "index": 0}]}, own)

    def finish(self) -> Finish | None:
        """How the request ended, ``None`` while a choice has not."""
        return Finish("stop") if len(self._ended) == len(self._choices) else None

    def _read_choice(self, number: int, chunk: dict[str, Any], usage: Any) -> Iterator[OfChoice]:
        chunks = self._choices[number]
        end: Finish | StreamError | None
        try:
            for told in chunks.read({**chunk, "usage": usage}):
                if not isinstance(told, Usage):
                    yield OfChoice(number, told)
            end = chunks.finish()
        except StreamError as error:
            end = error
        if end is not None:
            self._ended.add(number)
            yield OfChoice(number, end)
