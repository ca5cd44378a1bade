"""What a planner has to expect of a model, measured on a recording of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sdr_decode.errors import DecodeError
from sdr_decode.launch import LaunchPlan
from sdr_decode.launch.parallel import Parallel
from sdr_decode.pruning import PrunePolicy
from sdr_decode.replay import ReplayStudy, run


@dataclass(frozen=True, slots=True)
class Expectations:
    """Means over ``studies``.

    ``tokens`` is the output of one full candidate; ``pruned`` the share in [0, 1] of all output
    that pruning leaves ungenerated when all candidates run side by side; ``launches`` how many
    prompts a staged launch sends for one study.
    """

    studies: int
    tokens: float
    pruned: float
    launches: float


def measure_expectations(
    studies: Sequence[ReplayStudy], policy: PrunePolicy, staged: LaunchPlan
) -> Expectations:
    """Replay ``studies`` under ``policy``. Raises ``DecodeError`` where they hold no output."""
    lengths = [each.track.total for study in studies for each in study.tracks]
    if not sum(lengths):
        raise DecodeError("the recording holds no output; nothing can be measured on it")
    side_by_side = [run(study.tracks, policy, Parallel()) for study in studies]
    generated = sum(candidate.tokens for race in side_by_side for candidate in race.candidates)
    launched = sum(len(run(study.tracks, policy, staged).candidates) for study in studies)
    return Expectations(
        studies=len(studies),
        tokens=sum(lengths) / len(lengths),
        pruned=1.0 - generated / sum(lengths),
        launches=launched / len(studies),
    )
