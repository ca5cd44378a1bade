"""Start one candidate, and the rest once its first token is there."""

from __future__ import annotations

from collections.abc import Sequence

from clients.spec import Spec, allow_options, no_value
from sdr_decode.candidate import Candidate
from sdr_decode.launch.base import LaunchPlan


class WarmFirst(LaunchPlan):
    """The first request fills the provider's prompt cache, so that the others read the prompt and
    its images from there."""

    def due(self, candidates: Sequence[Candidate], k: int) -> int:
        if not candidates:
            return 1
        first = candidates[0]
        return k - len(candidates) if first.tokens > 0 or not first.running else 0


def from_spec(spec: Spec) -> WarmFirst:
    no_value(spec)
    allow_options(spec)
    return WarmFirst()
