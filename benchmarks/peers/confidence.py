"""Choose by a confidence that was worked out before."""

from __future__ import annotations

import math
from collections.abc import Sequence

from sdr_decode.candidate import Candidate
from sdr_decode.selection import Choice, Field, Selector
from sdr_decode.selection.base import least


class ConfidenceSelector(Selector):
    """The highest of the given values, one a candidate; without one a candidate comes last."""

    def __init__(self, values: Sequence[float | None], quantity: str) -> None:
        self._values = values
        self.quantity = quantity

    def choose(self, eligible: Sequence[Candidate], field: Field) -> Choice:
        known = {c.number: self._values[c.number] for c in eligible}
        values = {number: math.inf if value is None else -value for number, value in known.items()}
        return Choice(least(values), f"least {self.quantity}", self.quantity, values)
