"""Run a few candidates at a time, and stop starting more once one is good enough."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from clients.spec import Spec, allow_options, number, whole_number
from sdr_decode.candidate import Candidate
from sdr_decode.distances import TOLERANCE
from sdr_decode.launch.base import LaunchPlan


@dataclass(frozen=True)
class Staged(LaunchPlan):
    """``width`` candidates run; another starts when one ends or is pruned.

    Nothing more starts once a finished valid candidate is within ``accept`` of the corpus
    (directed Chamfer distance, in [0, 1]).
    """

    width: int
    accept: float = 0.0

    def due(self, candidates: Sequence[Candidate], k: int) -> int:
        if any(self._accepted(candidate) for candidate in candidates):
            return 0
        running = sum(candidate.running for candidate in candidates)
        return max(0, min(self.width - running, k - len(candidates)))

    def _accepted(self, candidate: Candidate) -> bool:
        chamfer = candidate.distance.chamfer
        return candidate.finished and chamfer is not None and chamfer <= self.accept + TOLERANCE


def from_spec(spec: Spec) -> Staged:
    allow_options(spec, "accept")
    return Staged(
        whole_number(spec, spec.value, "width", low=1),
        number(spec, spec.options.get("accept", "0"), "accept", high=1.0),
    )
