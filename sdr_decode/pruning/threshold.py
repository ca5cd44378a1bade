"""Stop a candidate whose running Chamfer distance is above a fixed value."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from clients.spec import Spec, allow_options, number, whole_number
from sdr_decode.candidate import Candidate, Pruning
from sdr_decode.distances import TOLERANCE
from sdr_decode.pruning.base import PrunePolicy, after


@dataclass(frozen=True)
class Threshold(PrunePolicy):
    """Prune when the running Chamfer distance exceeds ``threshold`` (in [0, 1]) once ``warmup``
    sentences have closed. The rule of the published method (SDR, arXiv 2606.00440)."""

    threshold: float
    warmup: int = 1

    def prune(self, candidates: Sequence[Candidate]) -> Iterator[Pruning]:
        for candidate in candidates:
            chamfer = candidate.distance.chamfer
            if not candidate.running or chamfer is None or candidate.distance.count < self.warmup:
                continue
            if chamfer > self.threshold + TOLERANCE:
                yield Pruning(
                    candidate.number,
                    f"distance {chamfer:.4f} {after(candidate)} is above "
                    f"the threshold {self.threshold:g}",
                )


def from_spec(spec: Spec) -> Threshold:
    allow_options(spec, "warmup")
    return Threshold(
        number(spec, spec.value, "threshold", high=1.0),
        whole_number(spec, spec.options.get("warmup", "1"), "warmup", low=1),
    )
