"""Choose the report that a language model rates highest."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from sdr_decode.candidate import Candidate
from sdr_decode.errors import RewardError
from sdr_decode.rewards.judge import Judge
from sdr_decode.selection.base import Choice, Field, Selector, least


class JudgeSelector(Selector):
    """The candidate of the greatest value by a ``Judge`` that was made without a reference.

    Each eligible candidate is a question, which takes time and tokens (``judge.spent``). One that
    the judge cannot rate is passed over; where it rates none, the first launched is taken. The
    judge stays the caller's to close:

    >>> with Judge("openai:gpt-4o-mini", reference=None) as judge:  # doctest: +SKIP
    ...     decoder = SDRDecoder(client, index, select=JudgeSelector(judge))

    Raises ``RewardError`` for a judge that needs a reference: there is none while a study is
    decoded.
    """

    quantity = "value by the judge, negated"

    def __init__(self, judge: Judge) -> None:
        if judge.needs_reference:
            raise RewardError(
                "the judge needs a reference, which a decode has not; make it with reference=None"
            )
        self._judge = judge

    def __repr__(self) -> str:
        return f"JudgeSelector({self._judge!r})"

    def choose(self, eligible: Sequence[Candidate], field: Field) -> Choice:
        values = self._judge.values([_written(candidate) for candidate in eligible])
        rated = {
            candidate.number: -value
            for candidate, value in zip(eligible, values, strict=True)
            if value is not None
        }
        if not rated:
            reason = f"launched first of {len(values)}: the judge rated none"
            return Choice(eligible[0].number, reason, self.quantity)
        winner = least(rated)
        reason = f"greatest value by the judge, {-rated[winner]:.4f}, of {len(rated)} candidates"
        return Choice(winner, reason, self.quantity, rated)


def _written(candidate: Candidate) -> str:
    """The closed sentences, under their headings."""
    sections = groupby((each.sentence for each in candidate.sentences), lambda each: each.section)
    return "\n".join(
        (f"{section.capitalize()}: " if section else "") + " ".join(each.text for each in sentences)
        for section, sentences in sections
    )
