"""Stop nothing: plain best-of-N."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clients.spec import Spec, allow_options, no_value
from sdr_decode.candidate import Candidate, Pruning
from sdr_decode.pruning.base import PrunePolicy


class NoPruning(PrunePolicy):
    """Every candidate runs to its end."""

    def prune(self, candidates: Sequence[Candidate]) -> Iterator[Pruning]:
        return iter(())


def from_spec(spec: Spec) -> NoPruning:
    no_value(spec)
    allow_options(spec)
    return NoPruning()
