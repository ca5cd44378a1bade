"""What the concept reward costs: 1,000 completions of about 60 tokens, 8 to a prompt.

    python -m benchmarks.concept_speed RECORDING [--linker hpo]

The completions are the first 8 candidates of the first 125 studies of the recording, and every text
is linked from nothing known, the references too. Times are of this machine.
"""

from __future__ import annotations

import argparse
import resource
import time
from itertools import islice
from pathlib import Path

from clients.recording import read_recording
from sdr_decode.rewards.concepts import ConceptReward

STUDIES, PER_PROMPT = 125, 8


def batch(recording: Path) -> tuple[list[str], list[str], float]:
    """Completions and references (n each), and the mean number of tokens of a completion."""
    completions: list[str] = []
    references: list[str] = []
    tokens = 0
    for study in islice(read_recording(recording), STUDIES):
        reference = study.reference
        for candidate in study.candidates[:PER_PROMPT] if reference is not None else ():
            completions.append("".join(candidate.tokens))
            references.append(
                f"Findings: {reference.findings}\nImpression: {reference.impression}"
                if reference is not None
                else ""
            )
            tokens += len(candidate.tokens)
    return completions, references, tokens / max(1, len(completions))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("recording", type=Path)
    parser.add_argument("--linker", default="hpo")
    options = parser.parse_args()
    completions, references, tokens = batch(options.recording)
    reward = ConceptReward(options.linker)
    start = time.perf_counter()
    reward.identifiers(["Lungs are clear."])
    print(f"vocabulary loaded in {time.perf_counter() - start:.2f} s")
    for call in ("first", "second"):
        start = time.perf_counter()
        reward(completions=completions, reference=references)
        seconds = time.perf_counter() - start
        print(f"{call} call: {len(completions)} of {tokens:.0f} tokens in {seconds:.2f} s")
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")


if __name__ == "__main__":
    main()
