"""Launch plans, each a small file, made from specs such as ``staged:1,accept=0.03``."""

from __future__ import annotations

from clients.spec import Registry
from sdr_decode.launch import auto, parallel, shared, staged, warm_first
from sdr_decode.launch.base import Chosen, LaunchPlan

launch_plans: Registry[LaunchPlan] = Registry("launch plan")
launch_plans.register("auto", auto.from_spec)
launch_plans.register("parallel", parallel.from_spec)
launch_plans.register("shared", shared.from_spec)
launch_plans.register("staged", staged.from_spec)
launch_plans.register("warm-first", warm_first.from_spec)

__all__ = ["Chosen", "LaunchPlan", "launch_plans"]
