"""Rewards, made from specs such as ``judge:openai:gpt-4o-mini``."""

from __future__ import annotations

from clients.spec import Registry
from sdr_decode.rewards import judge
from sdr_decode.rewards.base import Reward

rewards: Registry[Reward] = Registry("reward")
rewards.register("judge", judge.from_spec, nests=True)

__all__ = ["Reward", "rewards"]
