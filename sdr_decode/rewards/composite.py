"""Several rewards as one: a weighted sum with named parts."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from inspect import iscoroutinefunction
from math import isfinite
from statistics import fmean
from typing import Any, Literal

from sdr_decode.errors import RewardError
from sdr_decode.rewards.base import Reward, Values
from sdr_decode.rewards.completions import Completion

log = logging.getLogger(__name__)

Missing = Literal["renormalise", "drop"]
"""What becomes of a sample of which a part is ``None``: the other parts' weights grow in
proportion, or the sample has no value."""


@dataclass(frozen=True, slots=True)
class Part:
    """A reward with its weight in a composite."""

    reward: Reward
    weight: float


class CompositeReward(Reward):
    """The weighted sum of its parts: sum over parts of weight * value.

    Make it with ``composite``. Where a part is ``None`` the weights of the others are renormalised
    to the same total, or with ``missing="drop"`` the sample has no value; where all are, it has
    none. Each part's mean goes to TRL's ``log_metric`` and its values to ``log_extra``, as
    ``NAME/PART``, and to this module's logger.
    """

    def __init__(
        self, parts: Mapping[str, Part], *, missing: Missing = "renormalise", name: str
    ) -> None:
        super().__init__(name)
        if missing not in ("renormalise", "drop"):
            raise RewardError(f"found missing={missing!r}; expected renormalise or drop")
        if not parts:
            raise RewardError("found no parts; expected at least one reward")
        for label, part in parts.items():
            if not isfinite(part.weight) or part.weight < 0.0:
                raise RewardError(
                    f"found {part.weight} as the weight of {label}; expected a number of at least 0"
                )
        if not any(part.weight for part in parts.values()):
            raise RewardError("found only weights of 0; expected at least one above")
        self.parts = dict(parts)
        self.missing: Missing = missing
        self.needs_reference = any(part.reward.needs_reference for part in parts.values())

    def __call__(
        self,
        prompts: Sequence[Any] | None = None,
        completions: Sequence[Completion] = (),
        completion_ids: Sequence[Any] | None = None,
        **columns: Any,
    ) -> Values | Awaitable[Values]:
        asked: dict[str, Any] = {
            "prompts": prompts,
            "completions": completions,
            "completion_ids": completion_ids,
            **columns,
        }
        values: dict[str, Values] = {}
        for label, part in self.parts.items():
            made = part.reward(**asked)
            if not isinstance(made, list):
                raise RewardError(f"the part {label} is async; make the reward with composite()")
            values[label] = made
        return self._sum(values, len(completions), columns)

    def _sum(self, values: Mapping[str, Values], count: int, columns: Mapping[str, Any]) -> Values:
        for label, of_part in values.items():
            if len(of_part) != count:
                raise RewardError(
                    f"the part {label} gave {len(of_part)} values for {count} completions"
                )
        self._log(values, columns.get("log_metric"), columns.get("log_extra"))
        return [
            self._one({label: of_part[place] for label, of_part in values.items()})
            for place in range(count)
        ]

    def _one(self, values: Mapping[str, float | None]) -> float | None:
        known = {label: value for label, value in values.items() if value is not None}
        if len(known) < len(values) and self.missing == "drop":
            return None
        total = sum(part.weight for part in self.parts.values())
        weight = sum(self.parts[label].weight for label in known)
        if not known or not weight:
            return None
        scale = 1.0 if len(known) == len(values) else total / weight
        return scale * sum(self.parts[label].weight * value for label, value in known.items())

    def _log(
        self,
        values: Mapping[str, Values],
        log_metric: Callable[[str, float], object] | None,
        log_extra: Callable[[str, Values], object] | None,
    ) -> None:
        for label, of_part in values.items():
            known = [value for value in of_part if value is not None]
            mean = fmean(known) if known else None
            log.debug("%s/%s: mean %s of %d known", self.name, label, mean, len(known))
            if log_metric is not None and mean is not None:
                log_metric(f"{self.name}/{label}", mean)
            if log_extra is not None:
                log_extra(f"{self.name}/{label}", list(of_part))


class AsyncCompositeReward(CompositeReward):
    """A composite with parts that are async: all parts run side by side."""

    async def __call__(
        self,
        prompts: Sequence[Any] | None = None,
        completions: Sequence[Completion] = (),
        completion_ids: Sequence[Any] | None = None,
        **columns: Any,
    ) -> Values:
        asked: dict[str, Any] = {
            "prompts": prompts,
            "completions": completions,
            "completion_ids": completion_ids,
            **columns,
        }
        made = await asyncio.gather(*(_awaited(part.reward, asked) for part in self.parts.values()))
        return self._sum(dict(zip(self.parts, made, strict=True)), len(completions), columns)


async def _awaited(reward: Reward, asked: Mapping[str, Any]) -> Values:
    if is_async(reward):
        made = reward(**asked)
        assert isinstance(made, Awaitable)
        return await made
    values = await asyncio.to_thread(reward, **asked)
    assert isinstance(values, list)
    return values


def is_async(reward: Reward) -> bool:
    """Whether a reward is called as a coroutine function."""
    return iscoroutinefunction(type(reward).__call__)


def composite(
    parts: Sequence[Reward] | Mapping[str, Reward | tuple[Reward, float]],
    *,
    missing: Missing = "renormalise",
    name: str = "composite",
) -> CompositeReward:
    """The weighted sum of ``parts``: rewards by the names that they are logged under, each alone
    or with its weight. A reward without a weight counts with its own (``answer`` 1.5, others 1).
    Async where a part is.

    Raises ``RewardError`` for no parts, two of one name, a weight below 0.

    >>> from sdr_decode.rewards import rewards
    >>> reward = composite({"format": (rewards.make("format"), 0.25),
    ...                     "clean": (rewards.make("consistency"), 0.75)})
    >>> reward(completions=["Lungs are clear."])
    [0.75]
    """
    if not isinstance(parts, Mapping):
        named = {reward.name: reward for reward in parts}
        if len(named) < len(parts):
            raise RewardError(
                f"found two parts of one name among {', '.join(r.name for r in parts)}; give them "
                "names of their own, as a mapping"
            )
        parts = named
    made = {
        label: Part(*part) if isinstance(part, tuple) else Part(part, part.weight)
        for label, part in parts.items()
    }
    kind = (
        AsyncCompositeReward
        if any(is_async(part.reward) for part in made.values())
        else CompositeReward
    )
    return kind(made, missing=missing, name=name)
