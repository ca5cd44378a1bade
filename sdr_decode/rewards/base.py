"""What a reward is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Sequence
from typing import Any

from sdr_decode.rewards.completions import Completion, completion_text

Values = list[float | None]
"""One value a completion; ``None`` where it cannot be told, never 0."""


class Reward(ABC):
    """Values completions, higher is better.

    A reward is called as TRL calls its reward functions: ``completions`` (n) are strings or lists
    of messages, ``columns`` the columns of the dataset (n each), of which it reads its own. It
    gives n values, or is a coroutine function that does (``async def __call__``). Raises
    ``RewardError`` where a column that it reads is absent or does not fit.

    ``name`` is shown in logs; ``needs_reference`` is whether it reads a column of the dataset, so
    that one without can judge a candidate while it is decoded (``rewards.gate``). ``weight`` is
    its weight in a composite that is given none. ``gate_bound`` is the least value that passes as
    a gate that is given none.
    """

    name: str
    needs_reference: bool = False
    weight: float = 1.0
    gate_bound: float = 1.0

    def __init__(self, name: str) -> None:
        self.name = name
        self.__name__ = name  # what TRL logs it as

    @abstractmethod
    def __call__(
        self,
        prompts: Sequence[Any] | None = None,
        completions: Sequence[Completion] = (),
        completion_ids: Sequence[Any] | None = None,
        **columns: Any,
    ) -> Values | Awaitable[Values]:
        """A value for each completion."""


class TextReward(Reward):
    """A reward of the text alone. Equal texts are valued once a call."""

    @abstractmethod
    def value(self, text: str) -> float:
        """The value of a text, in [0, 1]."""

    def __call__(
        self,
        prompts: Sequence[Any] | None = None,
        completions: Sequence[Completion] = (),
        completion_ids: Sequence[Any] | None = None,
        **columns: Any,
    ) -> Values:
        texts = [completion_text(completion) for completion in completions]
        values = {text: self.value(text) for text in dict.fromkeys(texts)}
        return [values[text] for text in texts]
