"""What the engine itself has counted."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from dataclasses import dataclass

LONGEST_WAIT = 30.0


@dataclass(frozen=True, slots=True)
class Metrics:
    """``kv_used`` is the share of the KV cache that requests hold, in [0, 1]."""

    generated: int
    prompts: int
    prompts_cached: int
    images: int
    images_cached: int
    running: int
    waiting: int
    kv_used: float

    @property
    def idle(self) -> bool:
        return self.running == 0 and self.waiting == 0 and self.kv_used == 0


def read_metrics(exposition: str) -> Metrics:
    """Read Prometheus's text format."""

    def total(name: str) -> float:
        found = re.findall(rf"^vllm:{name}{{[^}}]*}} (\S+)$", exposition, re.MULTILINE)
        if not found:
            raise AssertionError(f"vLLM does not count vllm:{name}")
        return sum(map(float, found))

    return Metrics(
        generated=int(total("generation_tokens_total")),
        prompts=int(total("prompt_tokens_total")),
        prompts_cached=int(total("prompt_tokens_cached_total")),
        images=int(total("mm_cache_queries_total")),
        images_cached=int(total("mm_cache_hits_total")),
        running=int(total("num_requests_running")),
        waiting=int(total("num_requests_waiting")),
        kv_used=total("kv_cache_usage_perc"),
    )


async def once_idle(metrics: Callable[[], Metrics]) -> Metrics:
    """The metrics when the engine has nothing left to do."""
    async with asyncio.timeout(LONGEST_WAIT):
        while not (now := await asyncio.to_thread(metrics)).idle:  # noqa: ASYNC110
            await asyncio.sleep(0.02)  # the engine tells nobody that it is idle
    return now
