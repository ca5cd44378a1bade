"""Prune policies, each a small file, made from specs such as ``margin:0.02,warmup=2``."""

from __future__ import annotations

from functools import partial

from clients.spec import Registry
from sdr_decode.pruning import (
    calibrated,
    composite,
    halving,
    language,
    lossless,
    margin,
    none,
    quantile,
    repetition,
    threshold,
)
from sdr_decode.pruning.base import PrunePolicy

policies: Registry[PrunePolicy] = Registry("prune policy")
policies.register("none", none.from_spec)
policies.register("threshold", threshold.from_spec)
policies.register("lossless", lossless.from_spec)
policies.register("margin", margin.from_spec)
policies.register("quantile", quantile.from_spec)
policies.register("halving", halving.from_spec)
policies.register("repetition", repetition.from_spec)
policies.register("language", language.from_spec)
policies.register("any", partial(composite.any_from_spec, policies), nests=True)
policies.register("all", partial(composite.all_from_spec, policies), nests=True)
policies.register("calibrated", calibrated.from_spec)

__all__ = ["PrunePolicy", "policies"]
