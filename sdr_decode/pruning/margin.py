"""Stop a candidate whose running Chamfer distance trails the best by more than a margin."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from clients.spec import Spec, allow_options, number, whole_number
from sdr_decode.candidate import Candidate, Pruning
from sdr_decode.distances import TOLERANCE
from sdr_decode.pruning.base import PrunePolicy, after


@dataclass(frozen=True)
class Margin(PrunePolicy):
    """Prune when the running Chamfer distance exceeds the best one by more than ``margin``.

    The best is the least among finished valid candidates and running ones with at least
    ``warmup`` closed sentences; a candidate is judged only after ``warmup`` sentences of its own.
    """

    margin: float
    warmup: int = 1

    def prune(self, candidates: Sequence[Candidate]) -> Iterator[Pruning]:
        standing = [
            (chamfer, candidate)
            for candidate in candidates
            if (chamfer := self._judged(candidate)) is not None
        ]
        if not standing:
            return
        best, leader = min(standing, key=lambda pair: (pair[0], pair[1].number))
        for chamfer, candidate in standing:
            if candidate.running and chamfer > best + self.margin + TOLERANCE:
                yield Pruning(
                    candidate.number,
                    f"distance {chamfer:.4f} {after(candidate)} is more "
                    f"than {self.margin:g} above candidate {leader.number} at {best:.4f}",
                )

    def _judged(self, candidate: Candidate) -> float | None:
        if candidate.finished or (candidate.running and candidate.distance.count >= self.warmup):
            return candidate.distance.chamfer
        return None


def from_spec(spec: Spec) -> Margin:
    allow_options(spec, "warmup")
    return Margin(
        number(spec, spec.value, "margin", high=1.0),
        whole_number(spec, spec.options.get("warmup", "1"), "warmup", low=1),
    )
