"""How vLLM is started for tests, on a machine without a GPU and on one with it."""

from __future__ import annotations

import os
from typing import Any, Literal

Device = Literal["cpu", "gpu"]

ENVIRONMENT = {
    "DO_NOT_TRACK": "1",
    "HF_HUB_OFFLINE": "1",
    "VLLM_CPU_KVCACHE_SPACE": "1",
    "VLLM_NO_USAGE_STATS": "1",
}


def device() -> Device:
    """What the installed vLLM runs on."""
    from vllm.platforms import current_platform

    return "cpu" if current_platform.is_cpu() else "gpu"


def engine_args(device: Device, **more: Any) -> dict[str, Any]:
    """``AsyncEngineArgs`` for a small model on a machine that others use too."""
    arguments: dict[str, Any] = {
        "enforce_eager": True,
        # The CPU engine takes multiples of 32. The default, 128, is longer than these prompts, of
        # which nothing would then be shared.
        "block_size": 32,
        # Without it vLLM refuses to start where less than 92% of the memory is free.
        "gpu_memory_utilization": 0.1,
        "scheduler_cls": "tests.engine.pacing.PacedScheduler",
    }
    if device == "cpu":
        # A process fewer to start.
        arguments["distributed_executor_backend"] = "uni"
    return arguments | more


def command_line(arguments: dict[str, Any]) -> list[str]:
    """The same for the server."""
    words = []
    for name, value in arguments.items():
        words.append("--" + name.replace("_", "-"))
        if value is not True:
            words.append(str(value))
    return words


def environment() -> dict[str, str]:
    return {**os.environ, **ENVIRONMENT}
