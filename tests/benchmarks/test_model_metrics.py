from __future__ import annotations

import os
import sys
from types import ModuleType
from typing import Any

import pytest

from benchmarks.model_metrics import Reports, measure_with_models

CHOSEN = [Reports("ours", ["No effusion."], ["No effusion."]), Reports("theirs", ["x"], ["y"])]


def test_without_the_package_nothing_is_measured_and_the_reason_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "radeval", None)
    found = measure_with_models(CHOSEN)
    assert found.figures == {}
    assert "BERTScore, RadGraph F1 and CheXbert F1 were not measured" in found.notes[0]


def test_a_metric_without_weights_leaves_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    class RadEval:
        def __init__(self, metrics: list[str]) -> None:
            assert os.environ["HF_HUB_OFFLINE"] == "1"
            if metrics == ["radgraph"]:
                raise OSError("no weights\n in the cache")
            self.metric = metrics[0]

        def __call__(self, refs: list[str], hyps: list[str]) -> dict[str, Any]:
            same = float(refs == hyps)
            return {self.metric: same, f"{self.metric}_each": [same]}

    module = ModuleType("radeval")
    module.RadEval = RadEval  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "radeval", module)
    monkeypatch.setenv("HF_HUB_OFFLINE", "0")
    found = measure_with_models(CHOSEN)
    assert found.figures == {
        "ours": {"bertscore": 1.0, "f1chexbert": 1.0},
        "theirs": {"bertscore": 0.0, "f1chexbert": 0.0},
    }
    assert found.notes == ["RadGraph F1 was not measured: no weights in the cache."]
    assert os.environ["HF_HUB_OFFLINE"] == "0"
