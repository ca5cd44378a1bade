"""The course of training as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.statistics import Resamples
from benchmarks.training.runs import Run
from clients.errors import MissingPackageError

BESIDE = ("Token-F1", "abnormal recall", "false alarms")


def draw(path: Path, runs: Sequence[Run]) -> None:
    """One column a reward: above, the reward over the steps, of the reports that it taught with
    and of the held-out ones with their 95% interval over studies; below, what else changed.
    Raises ``MissingPackageError`` without matplotlib."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415
        from matplotlib.figure import Figure  # noqa: PLC0415
    except ImportError as error:
        raise MissingPackageError(
            f"matplotlib is needed for the curve ({error}): pip install 'sdr-decode[bench]'"
        ) from error
    taught = list(dict.fromkeys(run.reward for run in runs))
    figure = Figure(figsize=(5.5 * len(taught), 7.0), layout="constrained")
    FigureCanvasAgg(figure)
    panels = figure.subplots(2, len(taught), sharex=True, squeeze=False)
    for column, reward in enumerate(taught):
        of_reward = [run for run in runs if run.reward == reward]
        _reward(panels[0][column], of_reward, reward)
        _beside(panels[1][column], of_reward)
        panels[0][column].set_title(f"trained with {reward}")
    figure.savefig(path, dpi=110, metadata={"Software": None})


def _reward(panel: Any, runs: Sequence[Run], reward: str) -> None:
    for number, run in enumerate(runs):
        colour = f"C{number}"
        panel.plot(
            [step.number for step in run.steps],
            [step.reward for step in run.steps],
            color=colour,
            alpha=0.3,
            linewidth=1,
        )
        steps, means, low, high = [], [], [], []
        for found in run.checkpoints:
            values = found.measured[reward]
            bounds = Resamples(len(values)).mean(values[:, None])
            steps.append(found.step)
            means.append(float(np.nanmean(values)))
            low.append(float(bounds.low[0]))
            high.append(float(bounds.high[0]))
        panel.plot(steps, means, "o-", color=colour, label=f"held out, seed {run.seed}")
        panel.fill_between(steps, low, high, color=colour, alpha=0.12)
    panel.plot([], [], color="grey", alpha=0.5, label="reports taught with")
    panel.set_ylabel("reward")
    panel.legend(fontsize=8)


def _beside(panel: Any, runs: Sequence[Run]) -> None:
    for number, measure in enumerate(BESIDE):
        for run in runs:
            panel.plot(
                [found.step for found in run.checkpoints],
                [float(np.nanmean(found.measured[measure])) for found in run.checkpoints],
                "o-",
                color=f"C{number + 4}",
                alpha=0.7,
                label=measure if run is runs[0] else None,
            )
    panel.set_xlabel("step")
    panel.set_ylabel("held out")
    panel.legend(fontsize=8)
