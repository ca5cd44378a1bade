"""TRL's ``GRPOTrainer`` takes the rewards as they are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sdr_decode.rewards import Reward, composite, rewards
from sdr_decode.rewards.base import Values
from sdr_decode.rewards.set_distance import SetDistanceReward
from tests.data import real_data
from tests.fake_encoder import FakeEncoder

REPORT = "Findings: Lungs are clear.\nImpression: No acute disease."


class Later(Reward):
    async def __call__(self, *_: Any, **columns: Any) -> Values:  # type: ignore[override]
        return [None, *(0.5 for _ in columns["completions"][1:])]


@pytest.fixture(scope="module")
def trainer(tmp_path_factory: pytest.TempPathFactory) -> Any:
    trl = pytest.importorskip("trl", reason="trl is not installed: pip install trl")
    datasets = pytest.importorskip("datasets", reason="datasets comes with trl: pip install trl")
    from transformers import AutoModelForCausalLM, AutoTokenizer

    folder: Path = real_data("standin")
    return trl.GRPOTrainer(
        model=AutoModelForCausalLM.from_pretrained(folder),
        processing_class=AutoTokenizer.from_pretrained(folder),
        reward_funcs=[
            SetDistanceReward(FakeEncoder(), polarity=True),
            *map(rewards.make, ("answer", "language:ja", "consistency", "format")),
            composite([SetDistanceReward(FakeEncoder()), Later("later")], name="both"),
        ],
        args=trl.GRPOConfig(
            output_dir=str(tmp_path_factory.mktemp("grpo")),
            per_device_train_batch_size=2,
            num_generations=2,
            use_cpu=True,
            bf16=False,
            report_to=[],
        ),
        train_dataset=datasets.Dataset.from_list(
            [{"prompt": "Tags: normal\n", "reference": REPORT, "answer": "a"}]
        ),
    )


def test_it_calls_each_and_names_it_in_its_logs(trainer: Any) -> None:
    assert trainer.reward_func_names == [
        *("sdr-polarity", "answer", "language-ja", "consistency", "format", "both")
    ]
    inputs = [{"prompt": "p", "reference": REPORT, "answer": "a"}] * 2
    made = trainer._calculate_rewards(
        inputs, ["p", "p"], [REPORT, f"{REPORT} [ans]a[/ans]"], [[1], [2]]
    )
    values = made.tolist()
    assert [row[1:5] for row in values] == [[0.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0]]
    assert values[0][0] == pytest.approx(1.0, abs=1e-6)
    # the second part told nothing of the first sample, so the other's weight doubled
    assert values[0][5] == pytest.approx(2.0, abs=1e-6)
    assert values[1][5] == pytest.approx(values[1][0] + 0.5, abs=1e-6)


def test_the_parts_of_a_composite_reach_its_logs(trainer: Any) -> None:
    trainer._pending_metrics.clear()
    inputs = [{"prompt": "p", "reference": REPORT, "answer": "a"}] * 2
    trainer._calculate_rewards(inputs, ["p", "p"], [REPORT, REPORT], [[1], [2]])
    assert trainer._pending_metrics["both/later"] == [0.5]
    assert trainer._pending_metrics["sdr-polarity/format"] == [1.0]
