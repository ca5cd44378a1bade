"""The metrics that are models themselves, through the RadEval package, where their weights are."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

METRICS = {"bertscore": "BERTScore", "radgraph": "RadGraph F1", "f1chexbert": "CheXbert F1"}
"""RadEval's word for a metric, and the metric's name."""


@dataclass(frozen=True, slots=True)
class Reports:
    """What a contender chose for each study, beside the references, in the same order."""

    name: str
    chosen: Sequence[str]
    references: Sequence[str]


@dataclass(frozen=True, slots=True)
class ModelFigures:
    """``figures[name]`` maps what RadEval returned for a contender's reports, by its own keys;
    ``notes`` say in a sentence each which metrics were not measured, and why."""

    figures: Mapping[str, Mapping[str, float]]
    notes: Sequence[str]


def measure_with_models(contenders: Sequence[Reports]) -> ModelFigures:
    """Every metric whose package and weights are here. Nothing is downloaded."""
    names = list(METRICS.values())
    try:
        import radeval  # type: ignore[import-not-found]  # noqa: PLC0415
    except ImportError:
        told = f"{', '.join(names[:-1])} and {names[-1]}"
        return ModelFigures(
            {}, [f"{told} were not measured: they need the RadEval package (pip install radeval)."]
        )
    before = os.environ.get("HF_HUB_OFFLINE")
    os.environ["HF_HUB_OFFLINE"] = "1"
    figures: dict[str, dict[str, float]] = {one.name: {} for one in contenders}
    notes = []
    try:
        for word, name in METRICS.items():
            try:
                made = radeval.RadEval(metrics=[word])
                of_all = [made(refs=list(o.references), hyps=list(o.chosen)) for o in contenders]
            except Exception as error:  # noqa: BLE001 - whatever a model needs and has not
                reason = " ".join(str(error).split()) or type(error).__name__
                notes.append(f"{name} was not measured: {reason:.200}.")
                continue
            for one, found in zip(contenders, of_all, strict=True):
                figures[one.name] |= _numbers(found)
    finally:
        if before is None:
            del os.environ["HF_HUB_OFFLINE"]
        else:
            os.environ["HF_HUB_OFFLINE"] = before
    return ModelFigures({name: found for name, found in figures.items() if found}, notes)


def _numbers(found: Mapping[str, Any]) -> dict[str, float]:
    return {key: float(value) for key, value in found.items() if isinstance(value, Real)}
