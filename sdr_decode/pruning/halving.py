"""Rounds at growing sentence counts, after each of which only the best 1/η run on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil

from clients.spec import Spec, allow_options, number, whole_number
from sdr_decode.candidate import Candidate, Pruning
from sdr_decode.distances import TOLERANCE
from sdr_decode.pruning.base import PrunePolicy

_MOST_ROUNDS = 64


@dataclass(frozen=True)
class Halving(PrunePolicy):
    """Successive halving (Jamieson and Talwalkar 2016), as Speculative Rejection (Sun et al. 2024)
    does with a reward model: the rounds stand at ``first``, ``first`` x ``eta``, ``first`` x
    ``eta``² ... sentences.

    A round is held once every running contestant has reached its sentence count. Contestants are
    those that did and those that finished before; the best 1/``eta`` (rounded up) by running
    Chamfer distance after that many sentences, ties by launch order, contest the next. Those out
    of the running that still run are pruned; a finished one stays to be chosen from.

    Distances are taken at the round's count, so that who survives does not depend on whose tokens
    arrive first. Where candidates are launched one after the other a round is held again with
    each: a later one is measured against all launched before it, pruned ones too, after as many
    sentences.
    """

    eta: float
    first: int = 1
    rounds: int = _MOST_ROUNDS

    def prune(self, candidates: Sequence[Candidate]) -> Iterator[Pruning]:
        contestants = list(candidates)
        for held in range(1, self.rounds + 1):
            count = ceil(self.first * self.eta ** (held - 1))
            contestants = [
                candidate
                for candidate in contestants
                if candidate.running or candidate.finished or candidate.distance.count >= count
            ]
            reached = [candidate.distance.count >= count for candidate in contestants]
            waiting = any(
                candidate.running and not there
                for candidate, there in zip(contestants, reached, strict=True)
            )
            if waiting or not any(reached):
                return
            ranked = sorted(contestants, key=lambda candidate: _rank(candidate, count))
            kept = ceil(len(ranked) / self.eta - 1e-9)
            for place, candidate in enumerate(ranked[kept:], kept + 1):
                if candidate.running:
                    yield Pruning(
                        candidate.number,
                        f"it was number {place} of {len(ranked)} after {count} sentence"
                        f"{'' if count == 1 else 's'}; the best {kept} run on (round {held})",
                    )
            contestants = ranked[:kept]
            if len(contestants) == 1:
                return


def _rank(candidate: Candidate, count: int) -> tuple[float, int]:
    distances = [measured.distance for measured in candidate.sentences[:count]]
    chamfer = sum(distances) / len(distances) if distances else 1.0
    return round(chamfer / TOLERANCE), candidate.number


def from_spec(spec: Spec) -> Halving:
    allow_options(spec, "first", "rounds")
    return Halving(
        number(spec, spec.value, "eta", low=2.0, high=1024.0),
        whole_number(spec, spec.options.get("first", "1"), "first", low=1),
        min(
            _MOST_ROUNDS,
            whole_number(spec, spec.options.get("rounds", str(_MOST_ROUNDS)), "rounds", low=1),
        ),
    )
