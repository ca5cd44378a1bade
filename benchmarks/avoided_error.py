"""How wrong the estimate of avoided tokens is that a live decode gives, measured on a recording.

    python -m benchmarks.avoided_error RECORDING INDEX EMBEDDINGS [--k 8] [--prune margin:0.01]

In a recording the length of every stopped candidate is known. Each study is replayed, what was
avoided is estimated from the lengths that a live decode would know by then, and the sums are
compared. ``--first 8`` takes the eight candidates after the first eight.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean

from sdr_decode.avoided import estimate_avoided
from sdr_decode.counts import Count
from sdr_decode.defaults import DEFAULT_PRUNE
from sdr_decode.launch import LaunchPlan, launch_plans
from sdr_decode.load import load_studies, open_measure
from sdr_decode.pruning import PrunePolicy, policies
from sdr_decode.replay import run
from sdr_decode.track import MeasuredTrack

Estimate = Callable[[int, Sequence[int], Sequence[int]], float | None]
"""From the tokens written, the lengths of the finished and of the stopped candidates."""


def mean_of_finished(written: int, finished: Sequence[int], stopped: Sequence[int]) -> float | None:
    return max(0.0, fmean(finished) - written) if finished else None


def residual_life_of_finished(
    written: int, finished: Sequence[int], stopped: Sequence[int]
) -> float | None:
    """Of those that were longer; the mean length where none was."""
    longer = [length - written for length in finished if length > written]
    return fmean(longer or finished) if finished else None


def chosen(written: int, finished: Sequence[int], stopped: Sequence[int]) -> float | None:
    return estimate_avoided(Count(written, "counted"), finished, stopped).value


ESTIMATES: dict[str, Estimate] = {
    "mean of the finished": mean_of_finished,
    "residual life of the finished": residual_life_of_finished,
    "Rayleigh, stopped as censored (chosen)": chosen,
}


@dataclass
class Errors:
    """Of one estimate, study by study: what was truly avoided, and what was estimated.

    ``unknown`` counts the candidates without an estimate, which are left out of both.
    """

    studies: list[tuple[int, float]] = field(default_factory=list)
    unknown: int = 0

    def __str__(self) -> str:
        told = [(true, guess) for true, guess in self.studies if true]
        relative = [(guess - true) / true for true, guess in told]
        true, guess = (sum(parts) for parts in zip(*told, strict=True))
        return (
            f"mean {fmean(relative):+.1%}, mean absolute {fmean(map(abs, relative)):.1%} of a "
            f"study; all studies {(guess - true) / true:+.1%}; {self.unknown} without an estimate"
        )


def measure_errors(
    studies: Iterable[Sequence[MeasuredTrack]],
    policy: PrunePolicy,
    plan: LaunchPlan,
    estimate: Estimate,
) -> Errors:
    errors = Errors()
    for tracks in studies:
        candidates = run(tracks, policy, plan).candidates
        finished = [candidate.tokens for candidate in candidates if candidate.finished]
        stopped = [candidate.tokens for candidate in candidates if not candidate.finished]
        written = [c.tokens if c.state == "pruned" else None for c in candidates]
        written += [0] * (len(tracks) - len(candidates))
        true, told = 0, 0.0
        for tokens, each in zip(written, tracks, strict=True):
            if tokens is None:
                continue
            guess = estimate(tokens, finished, stopped)
            if guess is None:
                errors.unknown += 1
                continue
            true += each.track.total - tokens
            told += guess
        errors.studies.append((true, told))
    return errors


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("recording", type=Path)
    parser.add_argument("index", type=Path)
    parser.add_argument("embeddings", type=Path)
    parser.add_argument("--k", type=int, default=8)
    parser.add_argument("--first", type=int, default=0, help="The candidate to begin with.")
    parser.add_argument("--prune", default=DEFAULT_PRUNE)
    parser.add_argument("--launch", default="parallel")
    arguments = parser.parse_args()
    first, end = arguments.first, arguments.first + arguments.k
    with open_measure(arguments.index, embeddings=arguments.embeddings) as measure:
        studies = load_studies(arguments.recording, measure, k=end)
    tracks = [study.tracks[first:] for study in studies]
    policy, plan = policies.make(arguments.prune), launch_plans.make(arguments.launch)
    for name, estimate in ESTIMATES.items():
        print(f"{name}: {measure_errors(tracks, policy, plan, estimate)}")


if __name__ == "__main__":
    main()
