"""A model trained with a reward, and looked at on the way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.training.examples import Example
from benchmarks.training.grpo import Recipe, Step, train
from benchmarks.training.held_out import HeldOut
from benchmarks.training.report_model import ReportModel
from sdr_decode.rewards import Reward

Numbers = NDArray[np.float64]

SAMPLING_SEED = 0  # of the held-out reports, the same before and after


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """What the held-out reports were worth after ``step`` steps: (studies,) of each measure."""

    step: int
    measured: dict[str, Numbers]


@dataclass(frozen=True, slots=True)
class Run:
    """A training from the starting weights. The first checkpoint is before it, the last after."""

    reward: str
    seed: int
    steps: Sequence[Step]
    checkpoints: Sequence[Checkpoint]

    def change(self, measure: str) -> Numbers:
        """After minus before, of each study."""
        return self.checkpoints[-1].measured[measure] - self.checkpoints[0].measured[measure]


def checkpoint(
    model: ReportModel, held_out: HeldOut, recipe: Recipe, each: int, step: int
) -> Checkpoint:
    """Sample ``each`` reports for every held-out study and measure them."""
    reports = model.sample(held_out.prompts, each, max_tokens=recipe.max_tokens, seed=SAMPLING_SEED)
    return Checkpoint(step, held_out.measured(reports))


def run(
    folder: Path,
    examples: Sequence[Example],
    held_out: HeldOut,
    at_the_end: HeldOut,
    reward: tuple[str, Reward],
    recipe: Recipe,
    *,
    before: Checkpoint,
    seed: int,
    each: int,
    every: int,
) -> Run:
    """Train the model in ``folder`` and measure it after every ``every`` steps and at the end,
    when it may be looked at more closely."""
    model, found = ReportModel(folder), [before]

    def look(step: int) -> None:
        if step % every and step != recipe.steps:
            return
        seen = at_the_end if step == recipe.steps else held_out
        found.append(checkpoint(model, seen, recipe, each, step))
        value = np.nanmean(found[-1].measured[reward[0]])
        print(f"{reward[0]}, seed {seed}, step {step}: {value:.4f} held out", flush=True)

    steps = train(model, examples, reward[1], recipe, seed=seed, after_step=look)
    return Run(reward[0], seed, steps, found)
