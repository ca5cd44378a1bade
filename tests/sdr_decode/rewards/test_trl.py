"""TRL's ``GRPOTrainer`` takes every reward as it is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import datasets
import pytest
import trl
from transformers import AutoModelForCausalLM, AutoTokenizer

from clients.spec import parse_spec
from sdr_decode.rewards import Reward, composite, rewards
from sdr_decode.rewards.base import Values
from sdr_decode.rewards.judge import Judge
from sdr_decode.rewards.set_distance import SetDistanceReward
from tests.data import real_data
from tests.fake_encoder import FakeEncoder
from tests.scripted_client import ScriptedClient, ScriptedStream
from tests.sdr_decode.rewards.judge.speaking import scripted

REPORT = "Findings: Lungs are clear.\nImpression: No acute disease."
INPUTS = [{"prompt": "p", "reference": REPORT, "answer": "a"}] * 2
COMPLETIONS = [REPORT, f"{REPORT} [ans]a[/ans]"]

SPECS = ("answer", "answer-format", "language:ja", "consistency", "format", "concepts:hpo")


class Judged(ScriptedClient):
    """A model that rates everything with a sure 4."""

    def stream(self, request: object, candidate: int) -> ScriptedStream:
        return ScriptedStream(scripted("4", {"4": 1.0}))


class Later(Reward):
    async def __call__(self, *_: Any, **columns: Any) -> Values:  # type: ignore[override]
        return [None, *(0.5 for _ in columns["completions"][1:])]


@pytest.fixture(scope="module")
def trainer(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder: Path = real_data("standin")
    return trl.GRPOTrainer(
        model=AutoModelForCausalLM.from_pretrained(folder),
        processing_class=AutoTokenizer.from_pretrained(folder),
        reward_funcs=[
            SetDistanceReward(FakeEncoder(), polarity=True),
            *map(rewards.make, SPECS),
            Judge(Judged()),
            composite([SetDistanceReward(FakeEncoder()), Later("later")], name="both"),
        ],
        args=trl.GRPOConfig(
            output_dir=str(tmp_path_factory.mktemp("grpo")),
            per_device_train_batch_size=2,
            num_generations=2,
            use_cpu=True,
            bf16=False,
            gradient_checkpointing=False,
            report_to=[],
        ),
        train_dataset=datasets.Dataset.from_list(
            [{"prompt": "Tags: normal\n", "reference": REPORT, "answer": "a"}]
        ),
    )


def test_every_registered_reward_is_among_them() -> None:
    specs = {parse_spec(spec).name for spec in SPECS}
    assert specs | {"sdr", "judge", "composite"} == set(rewards.names)


def test_it_calls_each_and_names_it_in_its_logs(trainer: Any) -> None:
    assert trainer.reward_func_names == [
        *("sdr-polarity", "answer", "answer-format", "language-ja", "consistency", "format"),
        *("concepts", "judge", "both"),
    ]
    made = trainer._calculate_rewards(INPUTS, ["p", "p"], COMPLETIONS, [[1], [2]]).tolist()
    assert [row[1:8] for row in made] == [
        [0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 0.75],
        [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.75],
    ]
    assert made[0][0] == pytest.approx(1.0, abs=1e-6)
    # the second part told nothing of the first sample, so the other's weight doubled
    assert made[0][8] == pytest.approx(2.0, abs=1e-6)
    assert made[1][8] == pytest.approx(made[1][0] + 0.5, abs=1e-6)


def test_the_parts_of_a_composite_reach_its_logs(trainer: Any) -> None:
    trainer._pending_metrics.clear()
    trainer._calculate_rewards(INPUTS, ["p", "p"], [REPORT, REPORT], [[1], [2]])
    assert trainer._pending_metrics["both/later"] == [0.5]
    assert trainer._pending_metrics["sdr-polarity/format"] == [1.0]
