"""The policies that are tried, in the order in which they are tested."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from clients.errors import SpecError
from clients.spec import parse_spec


@dataclass(frozen=True, slots=True)
class PolicySequence:
    """Prune policies as specs, from the most careful to the most saving one, and the weight of the
    sequence when the level of the test is shared out."""

    specs: tuple[str, ...]
    weight: float = 1.0


Grid = tuple[PolicySequence, ...]

_DISTANCES = (
    *(0.15, 0.12, 0.1, 0.09, 0.08, 0.07, 0.065, 0.06, 0.055, 0.05, 0.045, 0.04, 0.035),
    *(0.03, 0.025, 0.02, 0.015, 0.01, 0.005, 0.0),
)
_WARMUPS = (1, 2)

# A margin needs no scale and is the likelier to be chosen. Where it fails, a threshold may do.
_WEIGHTS = {"margin": 4.0, "threshold": 1.0}

DEFAULT_GRID: Grid = tuple(
    PolicySequence(tuple(f"{name}:{distance:g},warmup={warmup}" for distance in _DISTANCES), weight)
    for name, weight in _WEIGHTS.items()
    for warmup in _WARMUPS
)

_PROVED = {"corpus": "lossless", "corpus-hausdorff": "lossless:hausdorff"}
_LAUNCHES_ALL = ("parallel", "shared", "warm-first")


def grid_of(sequences: Sequence[str]) -> Grid:
    """A grid from texts, each a sequence of specs with white space between them.

    Raises ``SpecError`` for an empty sequence or a spec that is none.
    """
    grid = tuple(PolicySequence(tuple(text.split())) for text in sequences)
    for sequence in grid:
        if not sequence.specs:
            raise SpecError(
                "found an empty sequence; expected prune policies with spaces between them, from "
                "the most careful to the most saving one"
            )
        for spec in sequence.specs:
            parse_spec(spec)
    return grid


def proved_lossless(select: str, launch: str) -> str | None:
    """The policy that provably keeps the winner of full best-of-N with this selector and launch
    plan, ``None`` where there is none: a plan that may leave candidates out changes the winner
    itself."""
    if parse_spec(launch).name not in _LAUNCHES_ALL:
        return None
    return _PROVED.get(str(parse_spec(select)))
