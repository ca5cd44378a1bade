"""A scheduler that gives a toy model the pace of a real one.

A model of a few million parameters makes a token every few milliseconds, and on two cores all of
them before anyone has seen that a stream was closed. A model that people use takes tens of
milliseconds a step, and so does this scheduler.
"""

from __future__ import annotations

import time
from typing import Any

from vllm.v1.core.sched.scheduler import Scheduler

STEP_SECONDS = 0.025
NAME = f"{__name__}.PacedScheduler"


class PacedScheduler(Scheduler):
    def schedule(self, *arguments: Any, **options: Any) -> Any:
        if self.running:
            time.sleep(STEP_SECONDS)
        return super().schedule(*arguments, **options)
