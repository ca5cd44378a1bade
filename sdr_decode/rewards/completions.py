"""What TRL hands to a reward: completions, and columns of the dataset."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sdr_decode.errors import RewardError

Completion = str | Sequence[Mapping[str, Any]]
"""A text, or the messages of a conversation, ``{"role": ..., "content": ...}``."""


def completion_text(completion: Completion) -> str:
    """The text of a completion: of a conversation, the content of the assistant's last message.

    Of a content in parts the text parts count, joined as they are. Empty where the assistant said
    nothing. Raises ``RewardError`` for what is no completion.

    >>> completion_text([{"role": "assistant", "content": [{"type": "text", "text": "Clear."}]}])
    'Clear.'
    """
    if isinstance(completion, str):
        return completion
    if not isinstance(completion, Sequence) or not all(isinstance(m, Mapping) for m in completion):
        raise RewardError(
            f"found {completion!r:.80} as a completion; expected a string or a list of messages "
            'such as {"role": "assistant", "content": "..."}'
        )
    content: object = None
    for message in completion:
        if isinstance(message, Mapping) and message.get("role") == "assistant":
            content = message.get("content")
    if content is None:  # such as a message that only calls a tool
        return ""
    if isinstance(content, str):
        return content
    if not isinstance(content, Sequence):
        raise RewardError(
            f"found {content!r:.80} as the content of a message; expected a string or a list of "
            'parts such as {"type": "text", "text": "..."}'
        )
    return "".join(map(_part_text, content))


def _part_text(part: object) -> str:
    if isinstance(part, str):
        return part
    text = part.get("text") if isinstance(part, Mapping) else None
    return text if isinstance(text, str) else ""


def column(columns: Mapping[str, Any], name: str, count: int, reward: str) -> Sequence[Any]:
    """The column ``name`` with a value for each of ``count`` completions, or a ``RewardError``."""
    values = columns.get(name)
    if values is None:
        found = ", ".join(key for key in columns if not key.startswith(("log_", "trainer_")))
        raise RewardError(
            f"the reward {reward} reads the column {name!r}; found {found or 'no columns'}: add it "
            "to the dataset, or give the reward the name of yours as column"
        )
    if isinstance(values, str) or not isinstance(values, Sequence) or len(values) != count:
        many = f"{len(values)} values" if isinstance(values, Sequence) else f"{values!r:.40}"
        raise RewardError(
            f"found {many} in the column {name!r} for {count} completions; expected a list of one "
            "a completion"
        )
    return values


def reference_texts(
    columns: Mapping[str, Any], name: str, count: int, reward: str
) -> list[str | None]:
    """A column of reference reports, ``None`` where one is absent."""
    values = column(columns, name, count, reward)
    for value in values:
        if value is not None and not isinstance(value, str):
            raise RewardError(
                f"found {value!r:.60} in the column {name!r}; expected a report as text with its "
                "headings, or None"
            )
    return list(values)
