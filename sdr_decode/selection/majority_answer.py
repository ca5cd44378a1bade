"""Choose the answer that most candidates of a multiple-choice task give."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from clients.spec import Spec, allow_options, no_value
from sdr_decode.candidate import Candidate
from sdr_decode.rewards.answer import parse_answer
from sdr_decode.selection.base import Choice, Field, Selector, least


class MajorityAnswerSelector(Selector):
    """The first launched of those that give the answer that most give: self-consistency (Wang et
    al. 2022, arXiv 2203.11171) over the sets between ``[ans]`` tags.

    Every eligible candidate has one vote. One without an answer is passed over while another has
    one; where none has, the first launched is taken. Of answers with equally many votes that of
    the first launched is taken.
    """

    quantity = "candidates with another answer or none"

    def choose(self, eligible: Sequence[Candidate], field: Field) -> Choice:
        answers = {each.number: parse_answer(each.written) for each in eligible}
        votes = Counter(answer for answer in answers.values() if answer)
        if not votes:
            first = min(answers)
            return Choice(first, f"launched first of {len(answers)}: none answers", self.quantity)
        values = {
            number: float(len(answers) - votes[answer])
            for number, answer in answers.items()
            if answer
        }
        winner = least(values)
        answer = ",".join(sorted(answers[winner]))
        reason = f"{votes[answers[winner]]} of {len(answers)} candidates answer {answer}"
        return Choice(winner, reason, self.quantity, values)


def from_spec(spec: Spec) -> MajorityAnswerSelector:
    no_value(spec)
    allow_options(spec)
    return MajorityAnswerSelector()
