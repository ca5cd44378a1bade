"""Train a report model with rewards by GRPO, and measure it on studies that it never saw.

    python -m benchmarks.training MODEL CORPUS RECORDING --exclude-ids splits.json#val ... -o FOLDER

MODEL is a folder of ``transformers``, of a causal language model that writes a report after
``Tags: ...``; CORPUS the Open-i archive, whose reports are trained on without the excluded ids;
RECORDING holds the prompts and the references of the studies that are held out. Each ``--reward``
is trained with on its own, once for every ``--seed``. Writes ``TRAINING.md``, ``training.json``
and ``training.png``, anew after every run. Exits with 1 where a reward did not rise on the held-out
studies: where the paired 95% interval of its change holds 0 or lies below.
"""

from __future__ import annotations

import argparse
import shlex
import sys
import warnings
from collections.abc import Iterator
from itertools import product
from pathlib import Path

from benchmarks.training.curve import draw
from benchmarks.training.examples import held_out_examples, training_examples
from benchmarks.training.grpo import Recipe
from benchmarks.training.held_out import HeldOut
from benchmarks.training.report import TrainingReport
from benchmarks.training.report_model import ReportModel
from benchmarks.training.runs import Run, checkpoint, run
from clients.errors import ClientError
from index_build.ids import read_ids
from sdr_decode.batching import BatchedEncoder
from sdr_decode.encoder import load_encoder
from sdr_decode.errors import SDRDecodeError
from sdr_decode.rewards import Reward, rewards
from sdr_decode.rewards.set_distance import REMEMBERED, SetDistanceReward

DEFAULT_REWARDS = ("sdr", "sdr:polarity=true")


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.training", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("model", type=Path)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("recording", type=Path)
    parser.add_argument("--exclude-ids", action="append", required=True, metavar="FILE#KEY")
    parser.add_argument("--reward", action="append", help="a reward's spec; may be given again")
    parser.add_argument("--encoder", default="all-MiniLM-L6-v2", help="of sdr rewards")
    parser.add_argument("--other-encoder", help="one that no reward is trained with, to look with")
    parser.add_argument("--seed", type=int, action="append", help="may be given again")
    parser.add_argument("--each", type=int, default=2, help="reports for a held-out study")
    parser.add_argument("--every", type=int, default=10, help="steps between looks")
    for name, default in (("steps", 30), ("prompts", 8), ("group", 8), ("max-tokens", 128)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--learning-rate", type=float, default=1e-4)
    parser.add_argument("--kl", type=float, default=0.0)
    parser.add_argument("-o", "--output", type=Path, default=Path(".train"))
    return parser.parse_args()


def open_rewards(specs: list[str], encoder: str) -> dict[str, Reward]:
    """The rewards by their specs. Set distances share an encoder, so that each distinct sentence
    is embedded once for all."""
    shared = BatchedEncoder(lambda: load_encoder(encoder), cache=REMEMBERED)
    opened = {spec: rewards.make(spec) for spec in dict.fromkeys(specs)}
    for reward in opened.values():
        if isinstance(reward, SetDistanceReward):
            reward.encoder = shared
    return opened


def train_all(arguments: argparse.Namespace) -> Iterator[TrainingReport]:
    """What is known after each run."""
    excluded = frozenset().union(*map(read_ids, arguments.exclude_ids))
    held = held_out_examples(arguments.recording)
    excluded |= {each.study for each in held}  # whatever the lists say
    examples = training_examples(arguments.corpus, excluded)
    taught = open_rewards(arguments.reward or list(DEFAULT_REWARDS), arguments.encoder)
    held_out = at_the_ends = HeldOut(held, taught)
    if arguments.other_encoder:
        other = SetDistanceReward(arguments.other_encoder)
        at_the_ends = HeldOut(held, {**taught, f"sdr with {arguments.other_encoder}": other})
    recipe = Recipe(
        *(arguments.steps, arguments.prompts, arguments.group, arguments.max_tokens),
        arguments.learning_rate,
        arguments.kl,
    )
    print(f"{len(examples):,} studies to train on, {len(held):,} held out", flush=True)
    model = ReportModel(arguments.model)
    before = checkpoint(model, at_the_ends, recipe, arguments.each, 0)
    runs: list[Run] = []
    for seed, (spec, reward) in product(arguments.seed or [0], taught.items()):
        runs.append(
            run(
                arguments.model,
                examples,
                held_out,
                at_the_ends,
                (spec, reward),
                recipe,
                before=before,
                seed=seed,
                each=arguments.each,
                every=arguments.every,
            )
        )
        yield TrainingReport(
            command="python -m benchmarks.training " + shlex.join(_plain(sys.argv[1:])),
            model=f"{arguments.model.name}, {model.parameters:,} parameters",
            encoder=arguments.encoder,
            recipe=recipe,
            examples=len(examples),
            held_out=len(held),
            each=arguments.each,
            runs=tuple(runs),
        )


def _plain(arguments: list[str]) -> list[str]:
    """Without the folders of this machine."""
    return [each if each.startswith("-") else Path(each).name for each in arguments]


def main() -> None:
    arguments = parsed()
    warnings.filterwarnings("ignore", category=FutureWarning, module="transformers")
    arguments.output.mkdir(parents=True, exist_ok=True)
    report = None
    try:
        for report in train_all(arguments):
            draw(arguments.output / "training.png", report.runs)
            report.write(arguments.output)
    except (SDRDecodeError, ClientError) as error:
        sys.exit(f"error: {error}")
    assert report is not None
    print(f"{arguments.output / 'TRAINING.md'}\n\n{report.summary()}")
    raise SystemExit(0 if report.rose() else 1)


if __name__ == "__main__":
    main()
