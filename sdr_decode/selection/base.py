"""What a selector is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field

from sdr_decode.candidate import Candidate
from sdr_decode.distances import TOLERANCE, EmbeddedSet
from sdr_decode.measure import CorpusMeasure


@dataclass(frozen=True, slots=True)
class Choice:
    """The candidate that won, why, and the value that each eligible one was judged by.

    ``values`` maps candidate numbers to what the selector minimised; ``quantity`` says in words
    what that is. Selectors that judge by nothing leave ``values`` empty.
    """

    winner: int
    reason: str
    quantity: str
    values: dict[int, float] = field(default_factory=dict)


class Selector(ABC):
    """Chooses among the candidates that finished and are valid.

    Ties within ``TOLERANCE`` go to the one launched first, in every mode, never to the first to
    finish: the first to finish is the shortest.
    """

    quantity: str

    @abstractmethod
    def choose(self, eligible: Sequence[Candidate], field: Field) -> Choice:
        """The winner among ``eligible``, which is not empty and stands in launch order."""


@dataclass(frozen=True, slots=True)
class Field:
    """What a selector may look at beside the eligible candidates.

    ``candidates`` are all that were launched, pruned and invalid ones included. ``measure`` gives
    the vectors of their sentences and the corpus. ``seed`` and ``study`` make a random choice
    repeatable.
    """

    candidates: Sequence[Candidate]
    measure: CorpusMeasure
    seed: int = 0
    study: str | None = None

    def embedded(self, candidate: Candidate) -> EmbeddedSet:
        """The closed sentences of a candidate as a set that distances compare."""
        return self.measure.embedded_set(
            (measured.normalised, measured.sentence.section) for measured in candidate.sentences
        )


def least(values: dict[int, float]) -> int:
    """The candidate with the least value; ties within ``TOLERANCE`` go to the lowest number."""
    bound = min(values.values()) + TOLERANCE
    return min(number for number, value in values.items() if value <= bound)
