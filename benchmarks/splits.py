"""How often a policy that was chosen on half of the studies holds on the other half."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.contenders import FULL, PARALLEL, Contender
from benchmarks.outcomes import NOBODY, Outcomes
from benchmarks.quality import Quality

Numbers = NDArray[np.float64]

SPLITS = 200
MEAN, LOW = -0.002, -0.015  # what is asked of the Token-F1 difference and of its interval
NORMAL = 1.959964  # standard errors in a 95% interval


@dataclass(frozen=True, slots=True)
class Held:
    """For one kind of launch and one selector: in how many of ``splits`` random halves something
    could be chosen, the share of those in which it was not inferior on the other half either, and
    the mean share of output tokens and prompts that it saved there."""

    launch: str
    select: str
    splits: int
    chosen: int
    held: float | None
    saved: float | None
    prompts_saved: float | None


def held(
    played: Mapping[Contender, Outcomes],
    quality: Quality,
    groups: Sequence[tuple[bool, str]],
    *,
    splits: int = SPLITS,
    seed: int = 0,
) -> list[Held]:
    """Repeat what ``frontier.picks`` does on ``splits`` random halves.

    ``groups`` are pairs of whether all candidates start at once, and a selector. Intervals are
    those of the normal approximation: a bootstrap of each split would say the same.
    """
    studies = Splits(played, quality)
    generator = np.random.default_rng(seed)
    halves = [generator.permutation(studies.count) < studies.count // 2 for _ in range(splits)]
    return [studies.held(parallel, select, halves) for parallel, select in groups]


class Splits:
    """What each contender gains over full best-of-N, and spends, study by study."""

    def __init__(self, played: Mapping[Contender, Outcomes], quality: Quality) -> None:
        known = ~np.isnan(quality.token_f1[:, 0])
        self.names = list(played)
        self.count = int(known.sum())
        self.k = quality.token_f1.shape[1]
        f1 = {name: _of_winner(quality.token_f1, one)[known] for name, one in played.items()}
        full = {name: Contender(FULL, PARALLEL, name.select) for name in self.names}
        self.gains = np.stack([f1[name] - f1[full[name]] for name in self.names])
        self.tokens = np.stack([played[name].tokens[known] for name in self.names])
        self.whole = np.stack([played[full[name]].tokens[known] for name in self.names])
        self.prompts = np.stack([played[name].prompts[known] for name in self.names])

    def held(self, parallel: bool, select: str, halves: Sequence[NDArray[np.bool_]]) -> Held:
        group = np.array(
            [
                at
                for at, name in enumerate(self.names)
                if (name.launch == PARALLEL, name.select) == (parallel, select)
                and (name.prune, name.launch) != (FULL, PARALLEL)
            ],
            dtype=np.int64,
        )
        kept, saved, prompts = [], [], []
        for half in halves:
            fit = group[self._not_inferior(group, half)]
            if not fit.size:
                continue
            pick = fit[[np.argmax(self._saved(fit, half))]]
            kept.append(bool(self._not_inferior(pick, ~half)[0]))
            saved.append(float(self._saved(pick, ~half)[0]))
            prompts.append(1.0 - float(self.prompts[pick][:, ~half].mean()) / self.k)
        mean = [float(np.mean(values)) if values else None for values in (kept, saved, prompts)]
        return Held(PARALLEL if parallel else "staged", select, len(halves), len(kept), *mean)

    def _not_inferior(self, rows: NDArray[np.int64], half: NDArray[np.bool_]) -> NDArray[np.bool_]:
        gains = self.gains[rows][:, half]
        error = gains.std(axis=1, ddof=1) / np.sqrt(gains.shape[1])
        mean = gains.mean(axis=1)
        fit: NDArray[np.bool_] = (mean >= MEAN) & (mean - NORMAL * error > LOW)
        return fit

    def _saved(self, rows: NDArray[np.int64], half: NDArray[np.bool_]) -> Numbers:
        spent = self.tokens[rows][:, half].sum(axis=1) / self.whole[rows][:, half].sum(axis=1)
        saved: Numbers = 1.0 - spent
        return saved


def _of_winner(values: Numbers, outcomes: Outcomes) -> Numbers:
    of = np.take_along_axis(values, np.maximum(outcomes.winner, 0)[:, None], axis=1)[:, 0]
    picked: Numbers = np.where(outcomes.winner == NOBODY, 0.0, of)
    return picked
