"""What a replay costs beside embedding, and what opening an index and a known sentence cost.

    python -m benchmarks.speed RECORDING INDEX EMBEDDINGS [--k 8]

``EMBEDDINGS`` is the file that ``sdr-decode replay --embeddings`` keeps: with it nothing is
embedded here, so that everything else is what is measured. Times are of this machine; the ratio
of a known to a new sentence is not.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

from sdr_decode.launch import launch_plans
from sdr_decode.load import load_studies, open_measure
from sdr_decode.measure import CorpusMeasure
from sdr_decode.pruning import policies
from sdr_decode.replay import replay
from sdr_decode.selection import selectors

PRUNES = ("none", "threshold:0.04", "margin:0.02")

OPENING = """
import sys, time
start = time.perf_counter()
from sdr_decode.corpus import Corpus
Corpus.open(sys.argv[1])
print(time.perf_counter() - start, "torch" in sys.modules)
"""


def opening_seconds(index: Path) -> tuple[float, bool]:
    """Seconds to import and open in a new process, and whether torch was loaded."""
    command = [sys.executable, "-c", OPENING, str(index)]
    seconds, torch = subprocess.run(
        command, capture_output=True, text=True, check=True
    ).stdout.split()
    return float(seconds), torch == "True"


def known_and_new(measure: CorpusMeasure) -> tuple[float, float]:
    """Median seconds to measure a sentence of the corpus, and an embedded one that is not."""
    known = [measure.corpus.text(row) for row in range(500)]
    times = []
    for text in known:
        start = time.perf_counter()
        measure.measure_now([measure.query(text, None)])
        times.append(time.perf_counter() - start)
    vectors = measure.corpus.vectors(range(200))
    searches = []
    for vector in vectors:
        start = time.perf_counter()
        measure.corpus.nearest(vector[None], "findings")
        searches.append(time.perf_counter() - start)
    return median(times), median(searches)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("recording", type=Path)
    parser.add_argument("index", type=Path)
    parser.add_argument("embeddings", type=Path)
    parser.add_argument("--k", type=int, default=8)
    arguments = parser.parse_args()

    seconds, torch = opening_seconds(arguments.index)
    print(f"import and open the index in a new process: {seconds:.2f} s, torch loaded: {torch}")
    start = time.perf_counter()
    with open_measure(arguments.index, embeddings=arguments.embeddings) as measure:
        studies = load_studies(arguments.recording, measure, k=arguments.k)
        loaded = time.perf_counter()
        replay(
            studies,
            measure,
            {spec: policies.make(spec) for spec in PRUNES},
            {"corpus": selectors.make("corpus")},
            {"parallel": launch_plans.make("parallel")},
            k=arguments.k,
        )
        replayed = time.perf_counter()
        embedded = measure.encoder.embedded
        known, search = known_and_new(measure)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"read, segment and measure {len(studies)} studies: {loaded - start:.1f} s")
    print(f"replay {len(PRUNES)} policies: {replayed - loaded:.1f} s")
    print(f"sentences embedded meanwhile: {embedded}; peak memory: {peak:,.0f} MiB")
    print(f"a sentence that stands in the corpus: {known * 1e6:.0f} microseconds")
    print(f"the nearest of a sentence that does not: {search * 1e6:.0f} microseconds")
    print(f"ratio: {search / known:.0f}")


if __name__ == "__main__":
    main()
