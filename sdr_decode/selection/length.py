"""Choose by length alone: controls that show what a selector gains by length."""

from __future__ import annotations

from collections.abc import Sequence

from clients.spec import Spec, allow_options, no_value
from sdr_decode.candidate import Candidate
from sdr_decode.selection.base import Choice, Field, Selector, least


class LengthSelector(Selector):
    """The most (``longest``) or the fewest (``shortest``) output tokens."""

    def __init__(self, *, longest: bool) -> None:
        self._sign = -1.0 if longest else 1.0
        self._word = "most" if longest else "fewest"
        self.quantity = "output tokens" if not longest else "output tokens, negated"

    def choose(self, eligible: Sequence[Candidate], field: Field) -> Choice:
        values = {candidate.number: self._sign * candidate.tokens for candidate in eligible}
        winner = least(values)
        reason = f"the {self._word} output tokens of {len(values)} candidates"
        return Choice(winner, reason, self.quantity, values)


def longest_from_spec(spec: Spec) -> LengthSelector:
    no_value(spec)
    allow_options(spec)
    return LengthSelector(longest=True)


def shortest_from_spec(spec: Spec) -> LengthSelector:
    no_value(spec)
    allow_options(spec)
    return LengthSelector(longest=False)
