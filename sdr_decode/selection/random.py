"""Choose at random: the control that every selector has to beat."""

from __future__ import annotations

import random
from collections.abc import Sequence

from clients.spec import Spec, allow_options, whole_number
from sdr_decode.candidate import Candidate
from sdr_decode.selection.base import Choice, Field, Selector


class RandomSelector(Selector):
    """A uniform choice, the same for the same seed and study in every process."""

    quantity = "nothing (random choice)"

    def __init__(self, seed: int | None = None) -> None:
        self.seed = seed

    def choose(self, eligible: Sequence[Candidate], field: Field) -> Choice:
        seed = field.seed if self.seed is None else self.seed
        generator = random.Random(f"{seed}/{field.study or ''}")
        winner = generator.choice([candidate.number for candidate in eligible])
        reason = f"chosen at random (seed {seed}) of {len(eligible)} candidates"
        return Choice(winner, reason, self.quantity)


def from_spec(spec: Spec) -> RandomSelector:
    allow_options(spec)
    return RandomSelector(None if spec.value is None else whole_number(spec, spec.value, "seed"))
