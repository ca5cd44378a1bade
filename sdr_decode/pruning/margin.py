"""Stop a candidate that trails the best one by more than a margin, or ties with an earlier one."""

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

    Many candidates run side by side at the same distance, most often 0, where no margin tells them
    apart. With ``ties``, of those that have closed that many sentences a running candidate also
    stops where one launched before it is as near: selection would break the tie between them that
    way if both ended as they stand.
    """

    margin: float
    warmup: int = 1
    ties: int | None = None

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
            elif candidate.running and (ahead := self._ahead(chamfer, candidate, standing)):
                yield Pruning(
                    candidate.number,
                    f"distance {chamfer:.4f} {after(candidate)}; candidate {ahead.number}, "
                    f"launched before it, is as near",
                )

    def _ahead(
        self, chamfer: float, candidate: Candidate, standing: list[tuple[float, Candidate]]
    ) -> Candidate | None:
        """The first that was launched before a candidate, is as near, and is as far on."""
        if self.ties is None or candidate.distance.count < self.ties:
            return None
        for other, rival in standing:
            if rival.number >= candidate.number:
                return None
            far = rival.finished or rival.distance.count >= self.ties
            if far and other <= chamfer + TOLERANCE:
                return rival
        return None

    def _judged(self, candidate: Candidate) -> float | None:
        if candidate.finished or (candidate.running and candidate.distance.count >= self.warmup):
            return candidate.distance.chamfer
        return None


def from_spec(spec: Spec) -> Margin:
    allow_options(spec, "warmup", "ties")
    ties = spec.options.get("ties")
    return Margin(
        number(spec, spec.value, "margin", high=1.0),
        whole_number(spec, spec.options.get("warmup", "1"), "warmup", low=1),
        None if ties is None else whole_number(spec, ties, "ties", low=1),
    )
