"""ST-BoN, self-truncating best-of-N: once all candidates differ, and a window later, only the one
that agrees most with the others goes on (Wang et al. 2025, arXiv 2503.01422).

In the paper consistency is the distance between hidden states over the window. Closed models show
none, so closed sentences and their embeddings stand in: candidates differ when their sentences do,
and agreement is the mean symmetric Chamfer distance to the others. The window is as long as it
took to diverge, as in the paper, unless ``window`` gives tokens.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from benchmarks.peers.base import PeerPolicy, PeerSelector, TokenPolicy
from benchmarks.studies import BenchStudy
from clients.spec import Spec, allow_options, no_value, whole_number
from sdr_decode.candidate import Candidate, MeasuredSentence, Pruning
from sdr_decode.distances import EmbeddedSet
from sdr_decode.measure import CorpusMeasure
from sdr_decode.selection import Choice, Field, Selector
from sdr_decode.selection.base import least
from sdr_decode.selection.consensus import symmetric_chamfers


def divergence(candidates: Sequence[Candidate]) -> int | None:
    """The token by which the sentences of all pairs differ, ``None`` while some pair does not.

    Pairs that ended without ever differing are left out: they are one report.
    """
    latest = 0
    for one, other in combinations(candidates, 2):
        at = _parting(one, other)
        if at is None:
            if one.running or other.running:
                return None
            continue
        latest = max(latest, at)
    return latest or None


def _parting(one: Candidate, other: Candidate) -> int | None:
    for a, b in zip(one.sentences, other.sentences, strict=False):
        if a.normalised != b.normalised:
            return max(a.tokens, b.tokens)
    longer = max(one.sentences, other.sentences, key=len)
    shared = min(len(one.sentences), len(other.sentences))
    shorter = one if len(one.sentences) == shared else other
    # One that ended where the other goes on differs with the next sentence of the other.
    return longer[shared].tokens if len(longer) > shared and not shorter.running else None


def cut(candidates: Sequence[Candidate], window: int | None) -> int | None:
    """The token at which the candidates are compared and all but one are cut."""
    parted = divergence(candidates)
    return None if parted is None else parted + (parted if window is None else window)


def consistencies(
    candidates: Sequence[Candidate], measure: CorpusMeasure, by: int
) -> dict[int, float]:
    """The mean symmetric Chamfer distance of each to the others over the sentences closed by then.

    Only candidates that are valid or were never judged otherwise count.
    """
    closed = {
        candidate.number: heard
        for candidate in candidates
        if candidate.flaw is None and (heard := [s for s in candidate.sentences if s.tokens <= by])
    }
    if not closed:
        return {}
    between = symmetric_chamfers([_embedded(measure, heard) for heard in closed.values()])
    means = between.sum(axis=1) / max(1, len(closed) - 1)
    return {number: float(mean) for number, mean in zip(closed, means, strict=True)}


def _embedded(measure: CorpusMeasure, heard: Sequence[MeasuredSentence]) -> EmbeddedSet:
    return measure.embedded_set((s.normalised, s.sentence.section) for s in heard)


@dataclass(frozen=True)
class STBoN(TokenPolicy):
    """One cut, at which only the most consistent candidate goes on."""

    measure: CorpusMeasure
    window: int | None = None

    def prune(self, candidates: Sequence[Candidate]) -> Iterator[Pruning]:
        running = [candidate for candidate in candidates if candidate.running]
        if any(candidate.ended and candidate.flaw is None for candidate in candidates):
            return  # the cut was made
        at = cut(candidates, self.window)
        if at is None or not running or min(c.tokens for c in running) < at:
            return
        values = consistencies(candidates, self.measure, at)
        if not values:
            return
        kept = least(values)
        for candidate in running:
            if candidate.number != kept:
                yield Pruning(
                    candidate.number,
                    f"candidate {kept} agrees most with the others at token {at}",
                )


class STBoNSelector(Selector):
    """The candidate that the cut kept; without a cut the most consistent of all."""

    quantity = "mean symmetric Chamfer distance to the others at the cut"

    def __init__(self, window: int | None = None) -> None:
        self.window = window

    def choose(self, eligible: Sequence[Candidate], field: Field) -> Choice:
        at = cut(field.candidates, self.window)
        by = max(candidate.tokens for candidate in field.candidates) if at is None else at
        values = consistencies(field.candidates, field.measure, by)
        choosable = {c.number: values.get(c.number, 1.0) for c in eligible}
        winner = least(choosable)
        return Choice(winner, f"least {self.quantity}", self.quantity, choosable)


def policy_from_spec(spec: Spec) -> PeerPolicy:
    """``st-bon[:window=TOKENS]``."""
    no_value(spec)
    allow_options(spec, "window")
    window = _window(spec)
    return lambda study, measure: STBoN(measure, window)


def selector_from_spec(spec: Spec) -> PeerSelector:
    """``st-bon[:window=TOKENS]``."""
    no_value(spec)
    allow_options(spec, "window")
    selector = STBoNSelector(_window(spec))

    def make(study: BenchStudy) -> Selector:
        return selector

    return make


def _window(spec: Spec) -> int | None:
    word = spec.options.get("window")
    return None if word is None else whole_number(spec, word, "window")
