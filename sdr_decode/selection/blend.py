"""Choose by a mixture of consensus and distance to the corpus."""

from __future__ import annotations

from collections.abc import Sequence

from clients.spec import Spec, allow_options, number
from sdr_decode.candidate import Candidate
from sdr_decode.selection.base import Choice, Field, Selector, least
from sdr_decode.selection.consensus import ConsensusSelector
from sdr_decode.selection.corpus import CorpusSelector


class BlendSelector(Selector):
    """The least ``weight`` x consensus + (1 - ``weight``) x corpus distance, both in [0, 1]."""

    def __init__(self, weight: float) -> None:
        self.weight = weight
        self.quantity = f"{weight:g} x consensus + {1 - weight:g} x corpus distance"
        self._consensus = ConsensusSelector()
        self._corpus = CorpusSelector("chamfer")

    def choose(self, eligible: Sequence[Candidate], field: Field) -> Choice:
        consensus = self._consensus.values(eligible, field)
        values = {
            candidate.number: self.weight * consensus[candidate.number]
            + (1.0 - self.weight) * self._corpus.value(candidate)
            for candidate in eligible
        }
        winner = least(values)
        reason = f"least {self.quantity}, {values[winner]:.4f}, of {len(values)} candidates"
        return Choice(winner, reason, self.quantity, values)


def from_spec(spec: Spec) -> BlendSelector:
    allow_options(spec)
    return BlendSelector(number(spec, spec.value, "weight", high=1.0))
