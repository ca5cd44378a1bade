"""What rewards cost, of 1,000 completions of a recording, 8 a prompt.

    python -m benchmarks.reward_speed RECORDING [--encoder FOLDER] [--reward SPEC ...]

Times are of the processor, for one thread (set ``OMP_NUM_THREADS=1``), so that other work on the
machine counts for less; with a real encoder, and for rewards that wait, they are of the clock. The
rewards of the text are called three times, and the least counts, for other work only adds. The
set distance is called twice: the first call embeds, with an encoder that costs nothing unless
``--encoder`` names a real one, and the second has everything in memory. Each reward that
``--reward`` names is called once.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from benchmarks.hash_encoder import HashEncoder
from clients.recording import Reference, read_recording
from sdr_decode.encoder import Encoder, load_encoder
from sdr_decode.rewards import Reward, rewards
from sdr_decode.rewards.answer import AnswerReward
from sdr_decode.rewards.set_distance import SetDistanceReward, parse_report

Clock = Callable[[], float]

PROMPTS, K = 125, 8
TEXT_REWARDS = ("answer", "language:ja", "language:en", "consistency")


@dataclass(frozen=True, slots=True)
class Batch:
    """Completions with their columns, and their mean length in tokens."""

    completions: list[str]
    references: list[str]
    tokens: float


def read_batch(recording: Path) -> Batch:
    """The first K candidates of the first studies, as many as a batch has."""
    completions, references, tokens = [], [], 0
    with_reference = (study for study in read_recording(recording) if study.reference is not None)
    for study in islice(with_reference, PROMPTS):
        assert study.reference is not None
        for candidate in study.candidates[:K]:
            completions.append("".join(piece.text for piece in candidate.pieces()))
            tokens += len(candidate.tokens)
        references += [with_headings(study.reference)] * len(study.candidates[:K])
    return Batch(completions, references, tokens / max(1, len(completions)))


def with_headings(reference: Reference) -> str:
    """A reference as a report."""
    return f"FINDINGS:\n{reference.findings or ''}\nIMPRESSION:\n{reference.impression or ''}"


def seconds(
    reward: Reward, batch: Batch, *, turn: int = 0, clock: Clock = time.thread_time
) -> float:
    """How long one call takes. Every ``turn`` makes the completions new to all caches."""
    texts = [f"{text}\n[ans]a, c[/ans] {turn}." for text in batch.completions]
    answers = ["a,c"] * len(texts)
    start = clock()
    made = reward(completions=texts, reference=batch.references, answer=answers)
    if isinstance(made, Awaitable):
        asyncio.run(_awaited(made))
    return clock() - start


async def _awaited(made: Awaitable[object]) -> object:
    return await made


def text_rewards(batch: Batch) -> None:
    total = 0.0
    for spec in TEXT_REWARDS:
        reward = AnswerReward() if spec == "answer" else rewards.make(spec)
        least = min(seconds(reward, batch, turn=turn) for turn in range(3))
        total += least
        print(f"{spec}: {least * 1e3:.0f} ms")
    print(f"together: {total * 1e3:.0f} ms")


def set_distance(batch: Batch, encoder: Encoder) -> None:
    reward = SetDistanceReward(encoder)
    clock = time.process_time if isinstance(encoder, HashEncoder) else time.perf_counter
    start = time.thread_time()
    reports = [parse_report(text) for text in (*batch.completions, *batch.references)]
    parsing = time.thread_time() - start
    sentences = [sentence for report in reports for sentence in report.sentences]
    calls = []
    for _ in range(2):
        start = clock()
        reward(completions=batch.completions, reference=batch.references)
        calls.append(clock() - start)
    print(
        f"sdr, encoder {encoder.fingerprint.name}: {len(sentences):,} sentences, "
        f"{len(set(sentences)):,} distinct, {reward.encoder.embedded:,} embedded; splitting "
        f"{parsing:.2f} s, then {calls[0]:.2f} s for the first call and {calls[1]:.2f} s for the "
        "second, which embeds nothing"
    )


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("recording", type=Path)
    parser.add_argument("--encoder", help="embed with this one")
    parser.add_argument("--reward", action="append", default=[], help="one more; repeatable")
    given = parser.parse_args(arguments)

    batch = read_batch(given.recording)
    print(f"{len(batch.completions):,} completions of {batch.tokens:.0f} tokens on average")
    text_rewards(batch)
    set_distance(batch, load_encoder(given.encoder) if given.encoder else HashEncoder())
    for spec in given.reward:
        print(f"{spec}: {seconds(rewards.make(spec), batch, clock=time.perf_counter):.2f} s")


if __name__ == "__main__":
    main()
