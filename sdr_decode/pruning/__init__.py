"""Prune policies, each a small file, made from specs such as ``margin:0.02,warmup=2``."""

from __future__ import annotations

from clients.spec import Registry
from sdr_decode.pruning import calibrated, lossless, margin, none, threshold
from sdr_decode.pruning.base import PrunePolicy

policies: Registry[PrunePolicy] = Registry("prune policy")
policies.register("none", none.from_spec)
policies.register("threshold", threshold.from_spec)
policies.register("lossless", lossless.from_spec)
policies.register("margin", margin.from_spec)
policies.register("calibrated", calibrated.from_spec)

__all__ = ["PrunePolicy", "policies"]
