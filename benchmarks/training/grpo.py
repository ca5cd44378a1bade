"""Group relative policy optimisation of a report model, by TRL."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.training.examples import Example
from benchmarks.training.report_model import INSTALL, ReportModel
from clients.errors import MissingPackageError
from sdr_decode.rewards import Reward


@dataclass(frozen=True, slots=True)
class Recipe:
    """How it is trained: ``prompts`` a step with ``group`` reports for each, sampled at
    temperature 1, of at most ``max_tokens``. ``kl`` is the weight of the divergence from the
    model that it began as."""

    steps: int
    prompts: int
    group: int
    max_tokens: int
    learning_rate: float
    kl: float


@dataclass(frozen=True, slots=True)
class Step:
    """A step's mean reward over the reports that it was taught with."""

    number: int
    reward: float


def train(
    model: ReportModel,
    examples: Sequence[Example],
    reward: Reward,
    recipe: Recipe,
    *,
    seed: int,
    after_step: Callable[[int], None] = lambda _: None,
) -> list[Step]:
    """Train the model in place. ``after_step`` is called with the number of each step that was
    taken. The same seed on the same machine gives the same weights."""
    try:
        from datasets import Dataset  # noqa: PLC0415
        from transformers import PrinterCallback, TrainerCallback  # noqa: PLC0415
        from trl import GRPOConfig, GRPOTrainer  # noqa: PLC0415
    except ImportError as error:
        raise MissingPackageError(f"{INSTALL} ({error})") from error

    class After(TrainerCallback):
        def on_step_end(self, args: object, state: Any, control: object, **_: object) -> None:
            after_step(state.global_step)

    begin = model.tokenizer.bos_token
    rows = [{"prompt": begin + each.prompt, "reference": each.reference} for each in examples]
    with tempfile.TemporaryDirectory() as folder:
        trainer = GRPOTrainer(
            model=model.network,
            processing_class=model.tokenizer,
            reward_funcs=[reward],
            train_dataset=Dataset.from_list(rows),
            callbacks=[After()],
            args=GRPOConfig(
                output_dir=folder,
                max_steps=recipe.steps,
                per_device_train_batch_size=recipe.prompts * recipe.group,
                num_generations=recipe.group,
                max_completion_length=recipe.max_tokens,
                temperature=1.0,
                top_k=0,
                top_p=1.0,
                learning_rate=recipe.learning_rate,
                lr_scheduler_type="constant",
                beta=recipe.kl,
                seed=seed,
                bf16=False,
                gradient_checkpointing=False,
                use_cpu=True,
                logging_steps=1,
                save_strategy="no",
                report_to=[],
                disable_tqdm=True,
            ),
        )
        trainer.remove_callback(PrinterCallback)
        trainer.train()
        return [
            Step(int(each["step"]), float(each["reward"]))
            for each in trainer.state.log_history
            if "reward" in each
        ]
