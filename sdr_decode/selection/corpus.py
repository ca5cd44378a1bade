"""Choose by distance to the whole corpus: the published method."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from clients.spec import Spec, allow_options, no_value, one_of
from sdr_decode.candidate import Candidate
from sdr_decode.distances import TOLERANCE
from sdr_decode.selection.base import Choice, Field, Selector, least
from sdr_decode.selection.consensus import ConsensusSelector
from sdr_decode.selection.log_probability import LogProbabilitySelector


class CorpusSelector(Selector):
    """The least directed Chamfer or Hausdorff distance to the pooled corpus sentences
    (SDR, arXiv 2606.00440). It prefers the most typical report.

    Ties are common at distance 0. They go to the candidate launched first, or, with ``tie``, to the
    one that another selector prefers among those that tie. A policy that relies on the launch order
    of ties (``lossless``) then still keeps the distance of the winner, but not which one it is.
    """

    def __init__(self, form: Literal["chamfer", "hausdorff"], tie: Selector | None = None) -> None:
        self.form = form
        self.tie = tie
        self.quantity = f"directed {form.capitalize()} distance to the corpus"

    def choose(self, eligible: Sequence[Candidate], field: Field) -> Choice:
        values = {candidate.number: self.value(candidate) for candidate in eligible}
        winner = least(values)
        bound = min(values.values()) + TOLERANCE
        tied = [candidate for candidate in eligible if values[candidate.number] <= bound]
        reason = f"least {self.quantity}, {values[winner]:.4f}, of {len(values)} candidates"
        if len(tied) > 1 and self.tie is not None:
            broken = self.tie.choose(tied, field)
            winner = broken.winner
            reason += f"; of {len(tied)} that are equal, {broken.reason}"
        elif len(tied) > 1:
            reason += f"; launched first of {len(tied)} that are equal"
        return Choice(winner, reason, self.quantity, values)

    def value(self, candidate: Candidate) -> float:
        distance = candidate.distance
        value = distance.chamfer if self.form == "chamfer" else distance.hausdorff
        return 1.0 if value is None else value


def chamfer_from_spec(spec: Spec) -> CorpusSelector:
    return _from_spec(spec, "chamfer")


def hausdorff_from_spec(spec: Spec) -> CorpusSelector:
    return _from_spec(spec, "hausdorff")


def _from_spec(spec: Spec, form: Literal["chamfer", "hausdorff"]) -> CorpusSelector:
    no_value(spec)
    allow_options(spec, "tie")
    breakers: dict[str, type[Selector]] = {
        "consensus": ConsensusSelector,
        "log-probability": LogProbabilitySelector,
    }
    tie = one_of(spec, "tie", tuple(breakers))
    return CorpusSelector(form, None if tie is None else breakers[tie]())
