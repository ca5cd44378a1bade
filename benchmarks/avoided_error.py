"""How wrong the estimate of avoided tokens is that a live decode gives, measured on a recording.

    python -m benchmarks.avoided_error RECORDING INDEX EMBEDDINGS [--k 8] [--prune margin:0.02]

In a recording the length of every pruned candidate is known. Each study is replayed, what was
avoided is estimated from the lengths that a live decode would know by then, and the sums are
compared.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path
from statistics import fmean

from sdr_decode.avoided import estimate_avoided
from sdr_decode.counts import Count
from sdr_decode.launch import launch_plans
from sdr_decode.load import load_studies, open_measure
from sdr_decode.pruning import policies
from sdr_decode.replay import ReplayStudy, run


def errors(studies: Iterable[ReplayStudy], prune: str) -> str:
    """The errors of the estimate, in percent of what was really avoided."""
    policy, plan = policies.make(prune), launch_plans.make("parallel")
    signed, absolute, everything = [], [], [0, 0]
    unknown = 0
    for study in studies:
        race = run(study.tracks, policy, plan)
        finished = [candidate.tokens for candidate in race.candidates if candidate.finished]
        truth = guess = 0
        for candidate, each in zip(race.candidates, study.tracks, strict=True):
            if candidate.running or candidate.finished or candidate.flaw is not None:
                continue
            estimate = estimate_avoided(Count(candidate.tokens, "counted"), finished)
            if estimate.value is None:
                unknown += 1
                continue
            truth += each.track.total - candidate.tokens
            guess += estimate.value
        everything[0] += truth
        everything[1] += guess
        if truth:
            signed.append((guess - truth) / truth)
            absolute.append(abs(guess - truth) / truth)
    return (
        f"sum {(everything[1] - everything[0]) / everything[0]:+.1%}, "
        f"mean of a study {fmean(signed):+.1%}, mean absolute {fmean(absolute):.1%}, "
        f"unknown {unknown}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("recording", type=Path)
    parser.add_argument("index", type=Path)
    parser.add_argument("embeddings", type=Path)
    parser.add_argument("--k", type=int, default=8)
    parser.add_argument("--prune", default="margin:0.02")
    arguments = parser.parse_args()
    with open_measure(arguments.index, embeddings=arguments.embeddings) as measure:
        studies = load_studies(arguments.recording, measure, k=arguments.k)
    print(errors(studies, arguments.prune))


if __name__ == "__main__":
    main()
