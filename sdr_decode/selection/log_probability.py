"""Choose by how probable the model itself finds a report."""

from __future__ import annotations

from collections.abc import Sequence

from clients.spec import Spec, allow_options, no_value
from sdr_decode.candidate import Candidate
from sdr_decode.selection.base import Choice, Field, Selector, least


class LogProbabilitySelector(Selector):
    """The greatest mean log-probability of a token, as the client tells it.

    A candidate of which it is not known, in whole or in part, is passed over while it is known of
    another; where it is known of none the first launched candidate is taken. The values are
    negated, so that lower is better.
    """

    quantity = "mean log-probability of a token, negated"

    def choose(self, eligible: Sequence[Candidate], field: Field) -> Choice:
        values = self.values(eligible)
        if not values:
            first = min(candidate.number for candidate in eligible)
            reason = (
                f"launched first of {len(eligible)}: the client tells no log-probabilities (some "
                "do when asked, as in openai:MODEL,logprobs=true)"
            )
            return Choice(first, reason, self.quantity)
        winner = least(values)
        reason = f"greatest mean log-probability of a token, {-values[winner]:.4f}"
        if unknown := len(eligible) - len(values):
            reason += f"; not known of {unknown} of {len(eligible)} candidates"
        return Choice(winner, reason, self.quantity, values)

    def values(self, eligible: Sequence[Candidate]) -> dict[int, float]:
        """The negated mean of each candidate of which it is known."""
        return {
            candidate.number: -candidate.mean_logprob
            for candidate in eligible
            if candidate.mean_logprob is not None
        }


def from_spec(spec: Spec) -> LogProbabilitySelector:
    no_value(spec)
    allow_options(spec)
    return LogProbabilitySelector()
