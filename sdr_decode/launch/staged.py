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

    Nothing more starts once ``least`` valid candidates have finished and one of them is within
    ``accept`` of the corpus (directed Chamfer distance, in [0, 1]). With ``least=2`` the first
    report that would do still has to meet a rival: the nearest of two is a better report than the
    first that is near.
    """

    width: int
    accept: float = 0.0
    least: int = 1

    def due(self, candidates: Sequence[Candidate], k: int) -> int:
        if self._done(candidates):
            return 0
        running = sum(candidate.running for candidate in candidates)
        return max(0, min(self.width - running, k - len(candidates)))

    def _done(self, candidates: Sequence[Candidate]) -> bool:
        finished = [
            chamfer
            for candidate in candidates
            if candidate.finished and (chamfer := candidate.distance.chamfer) is not None
        ]
        return len(finished) >= self.least and min(finished) <= self.accept + TOLERANCE


def from_spec(spec: Spec) -> Staged:
    allow_options(spec, "accept", "least")
    return Staged(
        whole_number(spec, spec.value, "width", low=1),
        number(spec, spec.options.get("accept", "0"), "accept", high=1.0),
        whole_number(spec, spec.options.get("least", "1"), "least", low=1),
    )
