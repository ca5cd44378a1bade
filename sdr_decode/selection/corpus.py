"""Choose by distance to the whole corpus: the published method."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from clients.spec import Spec, allow_options, no_value
from sdr_decode.candidate import Candidate
from sdr_decode.distances import TOLERANCE
from sdr_decode.selection.base import Choice, Field, Selector, least


class CorpusSelector(Selector):
    """The least directed Chamfer or Hausdorff distance to the pooled corpus sentences
    (SDR, arXiv 2606.00440). It prefers the most typical report."""

    def __init__(self, form: Literal["chamfer", "hausdorff"]) -> None:
        self.form = form
        self.quantity = f"directed {form.capitalize()} distance to the corpus"

    def choose(self, eligible: Sequence[Candidate], field: Field) -> Choice:
        values = {candidate.number: self.value(candidate) for candidate in eligible}
        winner = least(values)
        tied = sum(value <= min(values.values()) + TOLERANCE for value in values.values())
        reason = f"least {self.quantity}, {values[winner]:.4f}, of {len(values)} candidates"
        if tied > 1:
            reason += f"; launched first of {tied} that are equal"
        return Choice(winner, reason, self.quantity, values)

    def value(self, candidate: Candidate) -> float:
        distance = candidate.distance
        value = distance.chamfer if self.form == "chamfer" else distance.hausdorff
        return 1.0 if value is None else value


def chamfer_from_spec(spec: Spec) -> CorpusSelector:
    no_value(spec)
    allow_options(spec)
    return CorpusSelector("chamfer")


def hausdorff_from_spec(spec: Spec) -> CorpusSelector:
    no_value(spec)
    allow_options(spec)
    return CorpusSelector("hausdorff")
