"""Rewards, each a small file, made from specs such as ``sdr`` or ``language:ja``.

Each is called as TRL calls a reward function, so it goes into a ``GRPOTrainer`` as it is. Those
that need no reference judge candidates in the decoder too (``rewards.gate``).
"""

from __future__ import annotations

from functools import partial

from clients.spec import Registry
from sdr_decode.rewards import (
    answer,
    composite_spec,
    concepts,
    consistency,
    judge,
    language,
    report_format,
    set_distance,
)
from sdr_decode.rewards.base import Reward
from sdr_decode.rewards.completions import completion_text
from sdr_decode.rewards.composite import composite

rewards: Registry[Reward] = Registry("reward")
rewards.register("sdr", set_distance.from_spec)
rewards.register("format", report_format.from_spec)
rewards.register("answer", answer.from_spec)
rewards.register("answer-format", answer.format_from_spec)
rewards.register("concepts", concepts.from_spec)
rewards.register("judge", judge.from_spec, nests=True)
rewards.register("language", language.from_spec)
rewards.register("consistency", consistency.from_spec)
rewards.register("composite", partial(composite_spec.from_spec, rewards), nests=True)

__all__ = ["Reward", "completion_text", "composite", "rewards"]
