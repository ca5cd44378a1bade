"""Keep the abnormal findings that most siblings state, whatever selector chooses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from clients.errors import SpecError
from clients.spec import Spec, number, parse_spec
from sdr_decode.candidate import Candidate
from sdr_decode.distances import TOLERANCE
from sdr_decode.findings import Findings, Mention, Observation, label_report
from sdr_decode.selection.base import Choice, Field, Selector, least
from sdr_decode.selection.consensus import voters

EPSILON = 0.05
"""The least of seven values that brought 80% of the recall of abnormal findings that the widest,
0.1, brought on half of the recorded validation studies (8 and 16 candidates, three policies, four
selectors): recall 0.313 to 0.358, Token-F1 0.387 to 0.388; on the other half 0.309 to 0.327 at an
unchanged 0.411."""


class FindingsGuard(Selector):
    """Wraps a selector: among the candidates whose values lie within ``epsilon`` of the best, the
    one that states most of the abnormal findings that most siblings state.

    A finding is one of CheXpert's abnormal observations stated as positive. It counts when more
    than half of those who can speak on it state it: every finished report, and of the unfinished
    (pruned) ones those that have come to mention the observation. Refused, filtered and failed
    siblings have no say. Of candidates that keep as many findings the wrapped selector's best is
    taken, so that nothing changes where most siblings state no abnormal finding. What a selector
    compares need not be a distance: ``epsilon`` is in the units of its values.
    """

    def __init__(self, selector: Selector, epsilon: float = EPSILON) -> None:
        self.selector = selector
        self.epsilon = epsilon
        self.quantity = selector.quantity

    def choose(self, eligible: Sequence[Candidate], field: Field) -> Choice:
        choice = self.selector.choose(eligible, field)
        wanted = _stated_by_most(voters(field))
        if not choice.values or not wanted:
            why = "most siblings state no abnormal finding" if not wanted else "nothing to compare"
            return _because(choice, choice.winner, f"findings guard: {why}")
        bound = min(choice.values.values()) + self.epsilon + TOLERANCE
        kept = {
            candidate.number: wanted & _positive(_findings(candidate))
            for candidate in eligible
            if choice.values.get(candidate.number, float("inf")) <= bound
        }
        most = max(map(len, kept.values()))
        if len(kept.get(choice.winner, ())) == most:
            winner = choice.winner
        else:
            winner = least({n: choice.values[n] for n, found in kept.items() if len(found) == most})
        return _because(choice, winner, self._reason(choice, winner, kept, wanted))

    def _reason(
        self,
        choice: Choice,
        winner: int,
        kept: dict[int, frozenset[Observation]],
        wanted: frozenset[Observation],
    ) -> str:
        names = _names(kept[winner])
        missed = _names(wanted - kept[winner])
        within = f"within {self.epsilon:g} of the best"
        if winner != choice.winner:
            gained = _names(kept[winner] - kept.get(choice.winner, frozenset()))
            said = f"taken before candidate {choice.winner} for {gained}, {within}"
        elif kept[winner]:
            said = f"keeps {names}"
        else:
            said = f"no candidate {within} states {missed}"
        if kept[winner] and missed:
            said += f"; lacks {missed}"
        return f"findings guard: {said} (what most siblings state)"


def _stated_by_most(siblings: Sequence[Candidate]) -> frozenset[Observation]:
    speak: Counter[Observation] = Counter()
    state: Counter[Observation] = Counter()
    for sibling in siblings:
        findings = _findings(sibling)
        unfinished = not sibling.finished
        for observation, mention in findings.items():
            speak[observation] += not (unfinished and mention is Mention.NOT_MENTIONED)
        state.update(_positive(findings))
    return frozenset(finding for finding, many in state.items() if 2 * many > speak[finding])


def _findings(candidate: Candidate) -> Findings:
    return label_report([measured.sentence for measured in candidate.sentences])


def _positive(findings: Findings) -> frozenset[Observation]:
    return findings.abnormal & findings.stated(Mention.POSITIVE)


def _names(findings: frozenset[Observation]) -> str:
    return ", ".join(str(each) for each in Observation if each in findings)


def _because(choice: Choice, winner: int, reason: str) -> Choice:
    return Choice(winner, f"{choice.reason}; {reason}", choice.quantity, choice.values)


def from_spec(spec: Spec, *, make: Callable[[Spec], Selector]) -> FindingsGuard:
    """``findings-guard:SELECTOR[,epsilon=0.05]``: ``epsilon`` is the guard's, every other option
    goes to the selector, as in ``findings-guard:corpus,tie=consensus,epsilon=0.01``."""
    if spec.value is None:
        raise SpecError(
            "findings-guard found no selector; expected findings-guard:SELECTOR, such as "
            "findings-guard:consensus"
        )
    wrapped = parse_spec(spec.value)
    if wrapped.name in {"random", spec.name}:
        raise SpecError(
            f"findings-guard cannot wrap {wrapped.name!r}; expected a selector that compares the "
            "candidates by a value, such as consensus"
        )
    options = {key: word for key, word in spec.options.items() if key != "epsilon"}
    selector = make(Spec(wrapped.name, wrapped.value, {**wrapped.options, **options}))
    return FindingsGuard(
        selector, number(spec, spec.options.get("epsilon", str(EPSILON)), "epsilon")
    )
