"""Start all candidates at once."""

from __future__ import annotations

from collections.abc import Sequence

from clients.spec import Spec, allow_options, no_value
from sdr_decode.candidate import Candidate
from sdr_decode.launch.base import LaunchPlan


class Parallel(LaunchPlan):
    """All K at once: the least latency."""

    def due(self, candidates: Sequence[Candidate], k: int) -> int:
        return k - len(candidates)


def from_spec(spec: Spec) -> Parallel:
    no_value(spec)
    allow_options(spec)
    return Parallel()
