"""Choose by what the model itself thought of its words."""

from __future__ import annotations

import math
from collections.abc import Sequence

from benchmarks.peers.base import PeerSelector
from benchmarks.studies import BenchStudy
from clients.spec import Spec, allow_options, no_value
from sdr_decode.candidate import Candidate
from sdr_decode.selection import Choice, Field, Selector
from sdr_decode.selection.base import least


class LogProbabilitySelector(Selector):
    """The highest of the given values, one a candidate; without one a candidate comes last."""

    def __init__(self, values: Sequence[float | None], quantity: str) -> None:
        self._values = values
        self.quantity = quantity

    def choose(self, eligible: Sequence[Candidate], field: Field) -> Choice:
        known = {c.number: self._values[c.number] for c in eligible}
        values = {number: math.inf if value is None else -value for number, value in known.items()}
        return Choice(least(values), f"least {self.quantity}", self.quantity, values)


def from_spec(spec: Spec) -> PeerSelector:
    """``log-probability``: the mean over the tokens, so that length does not count."""
    no_value(spec)
    allow_options(spec)

    def make(study: BenchStudy) -> Selector:
        return LogProbabilitySelector(
            [None if known is None else sum(known) / len(known) for known in study.logprobs],
            "mean log-probability, negated",
        )

    return make
