"""Stop a candidate that is further from the corpus than nearly all real reports are by then."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Self

from clients.spec import Spec, allow_options, number, whole_number
from sdr_decode.candidate import Candidate, Pruning
from sdr_decode.distances import TOLERANCE
from sdr_decode.errors import DecodeError
from sdr_decode.leave_one_out import running_distances
from sdr_decode.measure import CorpusMeasure
from sdr_decode.pruning.base import PrunePolicy, after


@dataclass(frozen=True)
class Quantile(PrunePolicy):
    """Prune after t sentences, t at least ``warmup``, when the running Chamfer distance is above
    the ``q`` quantile (q in [0, 1]) of the corpus's own reports after t sentences, each measured
    against all others (``leave_one_out``). So q means the same for every index and encoder: at
    0.95 one in twenty of the corpus's own reports would be stopped at each t.

    ``bounds`` are those quantiles for t = 1, 2, ...; the last holds for every later t. They are
    worked out when the policy is held ``against`` a corpus.
    """

    q: float
    warmup: int = 1
    bounds: tuple[float, ...] | None = None

    def against(self, measure: CorpusMeasure) -> Self:
        found = running_distances(measure.corpus, sections=measure.sections).quantile(self.q)
        if not found.size:
            raise DecodeError(
                f"the index {measure.corpus.path} keeps no report that holds a sentence; quantile "
                "needs an index of whole reports: build it again, or take threshold:D"
            )
        return replace(self, bounds=tuple(found.tolist()))

    def prune(self, candidates: Sequence[Candidate]) -> Iterator[Pruning]:
        if self.bounds is None:
            raise DecodeError(
                "quantile was given no corpus; call against(measure) on the policy before it prunes"
            )
        for candidate in candidates:
            chamfer, count = candidate.distance.chamfer, candidate.distance.count
            if not candidate.running or chamfer is None or count < self.warmup:
                continue
            bound = self.bounds[min(count, len(self.bounds)) - 1]
            if chamfer > bound + TOLERANCE:
                yield Pruning(
                    candidate.number,
                    f"distance {chamfer:.4f} {after(candidate)} is above {bound:.4f}, the "
                    f"{self.q:g} quantile of the corpus's own reports",
                )


def from_spec(spec: Spec) -> Quantile:
    allow_options(spec, "warmup")
    return Quantile(
        number(spec, spec.value, "quantile", high=1.0),
        whole_number(spec, spec.options.get("warmup", "1"), "warmup", low=1),
    )
