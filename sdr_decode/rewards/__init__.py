"""Rewards, each a small file, made from specs such as ``concepts:hpo``."""

from __future__ import annotations

from clients.spec import Registry
from sdr_decode.rewards import concepts
from sdr_decode.rewards.base import Reward
from sdr_decode.rewards.completions import completion_text

rewards: Registry[Reward] = Registry("reward")
rewards.register("concepts", concepts.from_spec)

__all__ = ["Reward", "completion_text", "rewards"]
