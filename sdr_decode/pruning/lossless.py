"""Stop a candidate that has lost already: pruning it cannot change the winner."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Self, cast, get_args

from clients import Sampling
from clients.errors import SpecError
from clients.spec import Spec, allow_options, whole_number
from sdr_decode.candidate import Candidate, Pruning
from sdr_decode.distances import TOLERANCE
from sdr_decode.pruning.base import PrunePolicy

Form = Literal["chamfer", "hausdorff"]

# A bound and a distance are computed in a different order, which may differ in the last bits.
_ROUNDING = 1e-12


@dataclass(frozen=True)
class Lossless(PrunePolicy):
    """Dominance by a lower bound of the final distance, for the selector of the same form.

    The running directed Hausdorff distance never falls, so it bounds the final one. A running
    Chamfer distance with sum S over t sentences ends no lower than S / n, where n bounds the final
    number of sentences: each one to come takes at least ``shortest`` of the tokens left of
    ``max_tokens`` (the decoder's own limit, where it is not given), and there are at most
    ``max_sentences`` where that is given. A candidate is pruned when its bound and launch order
    come after the distance and launch order of a finished valid candidate, which selection would
    then prefer; so full best-of-N with ``corpus`` (Chamfer) or ``corpus-hausdorff`` has the same
    winner.

    ``max_sentences`` is a limit, not an observation: a candidate that closes more stops, and the
    winner is full best-of-N's wherever that one has no more.
    """

    form: Form = "chamfer"
    max_tokens: int | None = None
    shortest: int = 2
    max_sentences: int | None = None

    @property
    def watches_tokens(self) -> bool:
        """With every token fewer sentences can follow, and the bound rises."""
        return self.form == "chamfer"

    def within(self, max_tokens: int) -> Self:
        return self if self.max_tokens is not None else replace(self, max_tokens=max_tokens)

    def prune(self, candidates: Sequence[Candidate]) -> Iterator[Pruning]:
        yield from self._too_long(candidates)
        finished = [
            (distance, candidate.number)
            for candidate in candidates
            if candidate.finished and (distance := self._distance(candidate)) is not None
        ]
        if not finished:
            return
        for candidate in candidates:
            if not candidate.running or self._beyond(candidate):
                continue
            bound = self._bound(candidate)
            for distance, number in finished:
                if self._beaten(bound, candidate.number, distance, number):
                    yield Pruning(
                        candidate.number,
                        f"it can end no lower than {bound:.4f}; candidate {number} has finished "
                        f"at {distance:.4f}",
                    )
                    break

    def _too_long(self, candidates: Sequence[Candidate]) -> Iterator[Pruning]:
        for candidate in candidates:
            if candidate.running and self._beyond(candidate):
                yield Pruning(
                    candidate.number,
                    f"{candidate.distance.count} sentences are closed; max_sentences is "
                    f"{self.max_sentences}",
                )

    def _beyond(self, candidate: Candidate) -> bool:
        return self.max_sentences is not None and candidate.distance.count > self.max_sentences

    def _distance(self, candidate: Candidate) -> float | None:
        distance = candidate.distance
        return distance.chamfer if self.form == "chamfer" else distance.hausdorff

    def _bound(self, candidate: Candidate) -> float:
        distance = candidate.distance
        if self.form == "hausdorff":
            return distance.largest
        limit = Sampling().max_tokens if self.max_tokens is None else self.max_tokens
        most = distance.count + 1 + max(0, limit - candidate.tokens) // self.shortest
        if self.max_sentences is not None:
            most = min(most, self.max_sentences)
        return distance.total / most * (1 - _ROUNDING) if most else 0.0

    def _beaten(self, bound: float, number: int, distance: float, other: int) -> bool:
        """Whether selection prefers the finished one wherever the candidate ends."""
        return bound > distance + TOLERANCE or (bound >= distance and number > other)


def from_spec(spec: Spec) -> Lossless:
    allow_options(spec, "max_tokens", "shortest", "max_sentences")
    form = spec.value or "chamfer"
    if form not in get_args(Form):
        raise SpecError(f"lossless found {form!r}; expected {' or '.join(get_args(Form))}")

    def option(name: str) -> int | None:
        word = spec.options.get(name)
        return None if word is None else whole_number(spec, word, name, low=1)

    return Lossless(
        cast("Form", form), option("max_tokens"), option("shortest") or 2, option("max_sentences")
    )
