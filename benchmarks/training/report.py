"""What training with each reward did, told to people and kept as figures."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from benchmarks.comparison import Figure
from benchmarks.formats import interval, number, signed, table
from benchmarks.statistics import Resamples
from benchmarks.statistics.seeds import mean_and_deviation
from benchmarks.training.examples import HIDDEN
from benchmarks.training.grpo import Recipe
from benchmarks.training.runs import Numbers, Run
from sdr_decode.cli.output import write_text

_LEGEND = """`before` and `after` are means over the reports of the held-out studies, `after` over
the seeds too; the change is paired by study, with its bootstrap 95% interval over studies; `seeds`
is the standard deviation of the change from one seed to the next. Token-F1 is against the
reference; finding F1 over the observations stated as positive, 1 where neither states one.
Abnormal recall is the share of reports that name any abnormality, of studies whose reference does;
false alarms the same share of studies whose reference names none."""

_LIMITS = """- A small report model that reads tags, not images; one corpus; no clinical reader.
- Reports are cut off at so many tokens, and what is cut off may lack its impression: a part of what
  is won is won by writing less.
- The findings are labelled by rules, and `sdr:polarity=true` reads the same labels.
- The recipe was chosen with these held-out studies in view, as far as that it learns within
  minutes; nothing was chosen among rewards."""


@dataclass(frozen=True, slots=True)
class TrainingReport:
    """Everything that the report says; see ``benchmarks.training``."""

    command: str
    model: str
    encoder: str
    recipe: Recipe
    examples: int
    held_out: int
    each: int
    runs: Sequence[Run]

    @property
    def taught(self) -> list[str]:
        return list(dict.fromkeys(run.reward for run in self.runs))

    def runs_of(self, reward: str) -> list[Run]:
        return [run for run in self.runs if run.reward == reward]

    def rose(self) -> bool:
        """Whether each reward rose on the held-out studies, with an interval above 0."""
        changes = [self.change(reward, reward) for reward in self.taught]
        return all(change.low is not None and change.low > 0.0 for change in changes)

    def change(self, reward: str, measure: str) -> Figure:
        """How training with a reward changed a measure, in the mean over seeds."""
        return paired(np.mean([run.change(measure) for run in self.runs_of(reward)], axis=0))

    def summary(self) -> str:
        return "\n".join(map(self._bullet, self.taught))

    def _bullet(self, reward: str) -> str:
        runs = self.runs_of(reward)
        before = float(np.nanmean(runs[0].checkpoints[0].measured[reward]))
        change = self.change(reward, reward)
        each = "; ".join(f"seed {run.seed} {interval(paired(run.change(reward)))}" for run in runs)
        return (
            f"- `{reward}` went from {before:.3f} by {signed(change)} on the held-out studies "
            f"({each}). Token-F1 changed by {signed(self.change(reward, 'Token-F1'))}, finding F1 "
            f"by {signed(self.change(reward, 'finding F1'))}, abnormal recall by "
            f"{signed(self.change(reward, 'abnormal recall'))}, false alarms by "
            f"{signed(self.change(reward, 'false alarms'))}."
        )

    def markdown(self) -> str:
        recipe = self.recipe
        told = (
            f"GRPO with TRL: {recipe.steps} steps of {recipe.prompts} prompts with {recipe.group} "
            f"reports each of at most {recipe.max_tokens} tokens, learning rate "
            f"{recipe.learning_rate:g}, KL weight {recipe.kl:g}, on {self.examples:,} Open-i "
            f"studies, of whose tags {HIDDEN:.0%} are hidden. Model: {self.model}. Rewards embed "
            f"with {self.encoder}. Measured on {self.held_out} other studies, {self.each} reports "
            "each, sampled with the same seed before and after."
        )
        made = f"```sh\n{self.command}\n```\n\nAll figures are in `training.json`."
        parts = [
            "# Training with a reward",
            told,
            self.summary(),
            "![training](training.png)",
            "## What changed\n\n" + _LEGEND,
            *(f"### Trained with `{reward}`\n\n" + self._table(reward) for reward in self.taught),
            "## Limits\n\n" + _LIMITS,
            "## How this was made\n\n" + made,
        ]
        return "\n\n".join(parts) + "\n"

    def _table(self, reward: str) -> str:
        runs = self.runs_of(reward)
        body = []
        for measure in runs[0].checkpoints[0].measured:
            before = _mean(runs[0].checkpoints[0].measured[measure])
            means = [_mean(run.checkpoints[-1].measured[measure]) for run in runs]
            told = [after for after in means if after is not None]
            spread = mean_and_deviation([float(np.nanmean(r.change(measure))) for r in runs])[1]
            body.append(
                [
                    measure,
                    number(before),
                    number(float(np.mean(told)) if told else None),
                    interval(self.change(reward, measure)),
                    number(spread),
                ]
            )
        return table(["measure", "before", "after", "change", "seeds"], body)

    def write(self, folder: Path) -> None:
        write_text(folder / "TRAINING.md", self.markdown())
        write_text(folder / "training.json", json.dumps(self._figures(), indent=1) + "\n")

    def _figures(self) -> dict[str, object]:
        return {
            "command": self.command,
            "recipe": asdict(self.recipe),
            "runs": [_run_figures(run) for run in self.runs],
            "changes": {
                reward: {
                    measure: asdict(self.change(reward, measure))
                    for measure in self.runs_of(reward)[0].checkpoints[0].measured
                }
                for reward in self.taught
            },
        }


def paired(change: Numbers) -> Figure:
    """The mean of a change over the studies that it covers, with its 95% interval."""
    if np.isnan(change).all():
        return Figure(None)
    bounds = Resamples(len(change)).mean(change[:, None])
    return Figure(float(np.nanmean(change)), float(bounds.low[0]), float(bounds.high[0]))


def _mean(values: Numbers) -> float | None:
    return None if np.isnan(values).all() else float(np.nanmean(values))


def _run_figures(run: Run) -> dict[str, object]:
    return {
        "reward": run.reward,
        "seed": run.seed,
        "steps": [asdict(step) for step in run.steps],
        "held_out": [
            {
                "step": found.step,
                **{name: _mean(values) for name, values in found.measured.items()},
            }
            for found in run.checkpoints
        ],
    }
