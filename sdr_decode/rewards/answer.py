"""The answer between the tags of a multiple-choice task, and whether it is the right one.

The answer is what stands in the last ``[ans]...[/ans]``, in any case and across lines, split at
commas into a set. Its elements compare without surrounding white space and regardless of case.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from clients.spec import Spec, allow_options, no_value
from sdr_decode.errors import RewardError
from sdr_decode.rewards.base import Reward, TextReward, Values
from sdr_decode.rewards.completions import Completion, column, completion_text

_TAG = re.compile(r"\[(/?)ans\]", re.IGNORECASE | re.ASCII)

WEIGHT = 1.5


def parse_answer(text: str) -> frozenset[str]:
    """The answer that a text gives; empty without a tag, and with a tag that holds nothing.

    >>> sorted(parse_answer("Both fit. [ANS] C,a [/ANS]"))
    ['a', 'c']
    """
    start: int | None = None
    answer = ""
    for tag in _TAG.finditer(text):
        if not tag.group(1):
            start = tag.end()
        elif start is not None:
            answer = text[start : tag.start()]
            start = None
    return _elements(answer.split(","))


def gold_answer(gold: object) -> frozenset[str] | None:
    """The set that a gold answer stands for, given as ``"a,c"`` or ``["a", "c"]``; ``None`` where
    there is none. Raises ``RewardError`` for anything else."""
    if gold is None:
        return None
    if isinstance(gold, str):
        return _elements(gold.split(",")) or None
    if isinstance(gold, Sequence | set | frozenset) and all(isinstance(e, str) for e in gold):
        return _elements(gold) or None
    raise RewardError(
        f"found {gold!r:.60} as the gold answer; expected a text such as 'a,c' or a list such as "
        "['a', 'c']"
    )


def _elements(parts: Iterable[str]) -> frozenset[str]:
    return frozenset(part.strip().casefold() for part in parts) - {""}


class AnswerReward(Reward):
    """1.0 when the answer equals the gold set exactly, else 0.0.

    No tag, an empty tag and one with nothing but commas in it are 0.0 too: format and accuracy are
    one gate, without partial credit. ``None`` where there is no gold answer. The gold answers
    stand in the ``column``.

    >>> AnswerReward()(completions=["[ans]c, a[/ans]", "a, c"], answer=["a,c", ["a", "c"]])
    [1.0, 0.0]
    """

    needs_reference = True
    weight = WEIGHT

    def __init__(self, *, column: str = "answer") -> None:
        super().__init__("answer")
        self.column = column

    def __call__(
        self,
        prompts: Sequence[Any] | None = None,
        completions: Sequence[Completion] = (),
        completion_ids: Sequence[Any] | None = None,
        **columns: Any,
    ) -> Values:
        golds = column(columns, self.column, len(completions), self.name)
        return [
            None
            if (gold := gold_answer(each)) is None
            else float(parse_answer(completion_text(completion)) == gold)
            for completion, each in zip(completions, golds, strict=True)
        ]


class AnswerFormatReward(TextReward):
    """1.0 when a text gives an answer at all, else 0.0.

    >>> AnswerFormatReward()(completions=["[ans]c[/ans]", "c", "[ans] , [/ans]"])
    [1.0, 0.0, 0.0]
    """

    def __init__(self) -> None:
        super().__init__("answer-format")

    def value(self, text: str) -> float:
        return float(bool(parse_answer(text)))


def from_spec(spec: Spec) -> AnswerReward:
    """``answer``, ``answer:column=gold``."""
    no_value(spec)
    allow_options(spec, "column")
    return AnswerReward(column=spec.options.get("column", "answer"))


def format_from_spec(spec: Spec) -> AnswerFormatReward:
    no_value(spec)
    allow_options(spec)
    return AnswerFormatReward()
