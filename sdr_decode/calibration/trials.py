"""Every policy of a grid replayed on every study: what it loses and what it takes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sdr_decode.calibration.losses import Loss, distance_loss, quality_loss, winner_loss
from sdr_decode.launch import launch_plans
from sdr_decode.launch.parallel import Parallel
from sdr_decode.measure import CorpusMeasure
from sdr_decode.pruning import policies
from sdr_decode.pruning.none import NoPruning
from sdr_decode.replay import ReplayStudy, choose, run
from sdr_decode.selection import selectors

Progress = Callable[[Iterable[str]], Iterable[str]]
"""Wraps the policies to try."""


@dataclass(frozen=True)
class Trials:
    """m policies on n studies.

    ``losses`` maps each loss to (m, n) float64 in [0, 1], NaN where it is not defined (no
    reference, no distance). ``tokens`` (m, n) and ``tokens_full`` (n,) are output tokens.
    """

    specs: tuple[str, ...]
    losses: dict[Loss, NDArray[np.float64]]
    tokens: NDArray[np.int64]
    tokens_full: NDArray[np.int64]

    def saved(self) -> NDArray[np.float64]:
        """The share of full best-of-N's output tokens that each policy saves, shape (m,)."""
        return np.asarray(1.0 - self.tokens.sum(axis=1) / max(1, int(self.tokens_full.sum())))


def try_policies(
    specs: Iterable[str],
    studies: Sequence[ReplayStudy],
    measure: CorpusMeasure,
    *,
    k: int,
    select: str,
    launch: str,
    max_tokens: int,
    seed: int = 0,
    progress: Progress | None = None,
) -> Trials:
    """Replay each distinct spec on the first ``k`` candidates of every study.

    Raises ``SpecError`` for a spec that cannot be used, before anything is replayed.
    """
    made = {spec: policies.make(spec).within(max_tokens).against(measure) for spec in specs}
    selector, plan = selectors.make(select), launch_plans.make(launch)

    full = [
        choose(
            run(each.tracks[:k], NoPruning(), Parallel()),
            selector,
            measure,
            seed=seed,
            study=each.study,
        )
        for each in studies
    ]
    shape = (len(made), len(studies))
    losses: dict[Loss, NDArray[np.float64]] = {
        "winner": np.empty(shape),
        "distance": np.empty(shape),
        "quality": np.empty(shape),
    }
    tokens = np.empty(shape, np.int64)
    for row, spec in enumerate(progress(made) if progress else made):
        for column, (study, complete) in enumerate(zip(studies, full, strict=True)):
            race = run(study.tracks[:k], made[spec], plan)
            pruned = choose(race, selector, measure, seed=seed, study=study.study)
            losses["winner"][row, column] = winner_loss(pruned, complete)
            losses["distance"][row, column] = distance_loss(pruned, complete)
            losses["quality"][row, column] = quality_loss(pruned, complete, study.token_f1)
            tokens[row, column] = sum(pruned.generated)
    return Trials(
        tuple(made), losses, tokens, np.array([sum(each.generated) for each in full], np.int64)
    )
