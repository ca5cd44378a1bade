"""Choose the candidate that the others agree with most."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from clients.spec import Spec, allow_options, no_value
from sdr_decode.candidate import Candidate, State
from sdr_decode.distances import Distances, EmbeddedSet, pairwise
from sdr_decode.selection.base import Choice, Field, Selector, least


class ConsensusSelector(Selector):
    """The least mean symmetric Chamfer distance to the siblings: minimum Bayes risk decoding with
    the set distance as the loss (Kumar and Byrne, 2004).

    The closed sentences of pruned siblings vote; those of refused, filtered and failed ones do
    not. Without a sibling that votes the first launched candidate is taken.
    """

    quantity = "mean symmetric Chamfer distance to the siblings"

    def choose(self, eligible: Sequence[Candidate], field: Field) -> Choice:
        values = self.values(eligible, field)
        winner = least(values)
        siblings = len(voters(field)) - 1
        reason = f"least {self.quantity}, {values[winner]:.4f}, with {siblings} siblings voting"
        return Choice(winner, reason, self.quantity, values)

    def values(self, eligible: Sequence[Candidate], field: Field) -> dict[int, float]:
        """The mean distance of each eligible candidate to its siblings, in [0, 1]."""
        voting = {candidate.number: candidate for candidate in [*voters(field), *eligible]}
        numbers = sorted(voting)
        between = symmetric_chamfers([field.embedded(voting[number]) for number in numbers])
        siblings = max(1, len(numbers) - 1)
        means = between.sum(axis=1) / siblings  # the distance to oneself is 0
        place = {number: at for at, number in enumerate(numbers)}
        return {c.number: float(means[place[c.number]]) for c in eligible}


def symmetric_chamfers(sets: Sequence[EmbeddedSet]) -> Distances:
    """Symmetric Chamfer distances (k, k) between k non-empty sets, from one matrix product."""
    lengths = np.array([len(each) for each in sets])
    starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    vectors = np.concatenate([each.vectors for each in sets])
    with_sections = all(each.sections is not None for each in sets)
    sections = tuple(s for each in sets for s in each.sections or ()) if with_sections else None
    every = EmbeddedSet(vectors, sections)
    nearest = np.minimum.reduceat(pairwise(every, every), starts, axis=1)  # (sentences, k)
    directed = np.add.reduceat(nearest, starts, axis=0) / lengths[:, None]
    np.fill_diagonal(directed, 0.0)
    symmetric: Distances = (directed + directed.T) / 2.0
    return symmetric


def voters(field: Field) -> list[Candidate]:
    """The candidates whose sentences count: all that have one, pruned ones included, without those
    that were refused or filtered or that failed."""
    return [
        candidate
        for candidate in field.candidates
        if candidate.sentences
        and (candidate.state is not State.INVALID or candidate.flaw == "truncated")
    ]


def from_spec(spec: Spec) -> ConsensusSelector:
    no_value(spec)
    allow_options(spec)
    return ConsensusSelector()
