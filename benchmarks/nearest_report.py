"""What the nearest training report costs, with the index's reports and with 200,000.

    python -m benchmarks.nearest_report RECORDING INDEX EMBEDDINGS [--k 8] [--studies 12]

The candidates are those of a recording, with the embeddings that ``sdr-decode replay --embeddings``
keeps. The larger corpus is made from the index: each report repeats a real one, in which a sentence
of c occurrences is replaced with probability 1 / c by a variant of it. There are as many variants
as distinct sentences would have grown by (Heaps' law, fitted to the index); a variant is its
sentence moved along the difference of two others, as far as new sentences of the recording are from
their nearest. The other side compares with every report, in the same blocks of arrays. Both sides
run in one process; times are of the processor, for one thread (set ``OMP_NUM_THREADS=1``), so that
other work on the machine counts for less. Their ratio is what carries over to other machines.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import numpy as np

from sdr_decode.corpus import Corpus
from sdr_decode.distances import Distances, EmbeddedSet, Vectors
from sdr_decode.load import load_studies, open_measure
from sdr_decode.selection.report_search import NearestReport, ReportSearch
from sdr_decode.selection.report_table import Integers, ReportTable, table_from_flat

Fetch = Callable[[Integers], Vectors]


@dataclass(frozen=True, slots=True)
class Reports:
    """Reports one behind the other: report ``i`` has the sentences ``starts[i]`` to
    ``starts[i + 1]`` of ``rows`` and ``sections``."""

    starts: Integers
    rows: Integers
    sections: Integers

    @classmethod
    def of(cls, corpus: Corpus) -> Reports:
        parts = [(r.unsectioned, r.findings, r.impression) for r in corpus.reports()]
        lengths = [sum(map(len, part)) for part in parts]
        rows = [row for part in parts for rows in part for row in rows]
        sections = [at for part in parts for at, rows in enumerate(part) for _ in rows]
        starts = np.concatenate([[0], np.cumsum(lengths)])
        return cls(starts, np.array(rows), np.array(sections))

    def __len__(self) -> int:
        return len(self.starts) - 1

    def places(self, reports: Integers) -> tuple[Integers, Integers]:
        """Where the sentences of some reports stand, and where each of these begins among them."""
        lengths = np.diff(self.starts)[reports]
        starts = np.concatenate([[0], np.cumsum(lengths)])
        return np.arange(starts[-1]) + np.repeat(
            self.starts[reports] - starts[:-1], lengths
        ), starts

    def table(self, sentences: int) -> ReportTable:
        keys = self.rows + sentences * self.sections
        return table_from_flat(map(str, range(len(self))), self.starts, keys, sentences)


def heaps_exponent(reports: Reports) -> float:
    """How distinct sentences grow with reports: the exponent between half the reports and all."""
    order = np.random.default_rng(0).permutation(len(reports))[: len(reports) // 2]
    half = len(np.unique(reports.rows[reports.places(order)[0]]))
    return float(np.log2(len(np.unique(reports.rows)) / half))


def enlarged(
    reports: Reports, vectors: Vectors, many: int, far: Distances, seed: int = 0
) -> tuple[Reports, Vectors]:
    """A corpus of ``many`` reports made from a smaller one. ``far`` are distances of new sentences
    to their nearest, from which those of the variants are drawn."""
    draw = np.random.default_rng(seed)
    sentences = len(vectors)
    grown = int(sentences * (many / len(reports)) ** heaps_exponent(reports))
    counts = np.bincount(reports.rows, minlength=sentences)
    rarity = 1.0 / counts[reports.rows]  # rare sentences are those that vary
    bases = draw.choice(reports.rows, grown - sentences, p=rarity / rarity.sum())
    bases.sort()
    variants = np.empty((len(bases), vectors.shape[1]), np.float32)
    for start in range(0, len(bases), 8192):
        of = bases[start : start + 8192]
        one, other = draw.integers(sentences, size=(2, len(of)))
        along = vectors[one] - vectors[other]
        variants[start : start + 8192] = _moved(vectors[of], along, draw.choice(far, len(of)))
    places, starts = reports.places(draw.integers(len(reports), size=many))
    rows = reports.rows[places]
    first = np.searchsorted(bases, rows, "left")
    variations = np.searchsorted(bases, rows, "right") - first
    varied = (draw.random(len(rows)) < 1.0 / counts[rows]) & (variations > 0)
    variant = sentences + first + draw.integers(np.maximum(variations, 1))
    made = Reports(starts, np.where(varied, variant, rows), reports.sections[places])
    return made, np.concatenate([vectors, variants])


def _moved(base: Vectors, along: Vectors, far: Distances) -> Vectors:
    """Unit vectors at the distances ``far`` from ``base``, in the direction of ``along``."""
    across = along - np.einsum("nd,nd->n", along, base)[:, None] * base
    across /= np.maximum(np.linalg.norm(across, axis=1, keepdims=True), 1e-12)
    cosine = (1.0 - 2.0 * far)[:, None]
    moved: Vectors = (cosine * base + np.sqrt(1.0 - cosine**2) * across).astype(np.float32)
    moved /= np.linalg.norm(moved, axis=1, keepdims=True)
    return moved


def compare(
    name: str,
    reports: Reports,
    vectors: Fetch,
    sentences: int,
    candidates: Sequence[EmbeddedSet],
    brute: int,
) -> None:
    start = time.thread_time()
    search = ReportSearch(reports.table(sentences), vectors, sentences)
    building = time.thread_time() - start
    seconds, found = _timed(search.nearest, candidates)
    slow, expected = _timed(search.brute_force, candidates[:brute])
    wrong = sum(
        one.id != other.id for one, other in zip(found[: len(expected)], expected, strict=True)
    )
    share = median(each.compared for each in found) / len(reports)
    print(
        f"{name}: {len(reports):,} reports, {len(reports.rows):,} sentences, {sentences:,} "
        f"distinct; built in {building:.1f} s\n"
        f"  search: median {median(seconds) * 1e3:.1f} ms, 95% {_high(seconds) * 1e3:.1f} ms, "
        f"largest {max(seconds) * 1e3:.1f} ms a candidate ({len(seconds)} candidates); "
        f"compares with {share:.4%} of the reports\n"
        f"  every report: median {median(slow) * 1e3:.1f} ms; ratio "
        f"{median(slow) / median(seconds[: len(slow)]):.0f}; other winner: {wrong} of {len(slow)}"
    )


def _timed(
    function: Callable[[EmbeddedSet], NearestReport], candidates: Sequence[EmbeddedSet]
) -> tuple[list[float], list[NearestReport]]:
    seconds, found = [], []
    for candidate in candidates:
        start = time.thread_time()
        found.append(function(candidate))
        seconds.append(time.thread_time() - start)
    return seconds, found


def _high(seconds: Sequence[float]) -> float:
    return float(np.quantile(seconds, 0.95))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("recording", type=Path)
    parser.add_argument("index", type=Path)
    parser.add_argument("embeddings", type=Path)
    parser.add_argument("--k", type=int, default=8)
    parser.add_argument("--studies", type=int, default=12, help="how many studies' candidates")
    parser.add_argument("--reports", type=int, default=200_000)
    parser.add_argument("--brute", type=int, default=8, help="candidates for the other side")
    arguments = parser.parse_args()

    corpus = Corpus.open(arguments.index)
    with open_measure(corpus, embeddings=arguments.embeddings) as measure:
        tracks = [
            track
            for study in load_studies(arguments.recording, measure, k=arguments.k)
            for track in study.tracks
            if track.measured
        ]
        far = np.array([m.distance for track in tracks for m in track.measured if m.distance > 0])
        candidates = [
            measure.embedded_set((m.normalised, m.sentence.section) for m in track.measured)
            for track in tracks[:: max(1, len(tracks) // (arguments.studies * arguments.k))]
        ]
    reports, brute = Reports.of(corpus), arguments.brute
    compare("the index", reports, corpus.vectors, len(corpus), candidates, brute)
    vectors = corpus.vectors(np.arange(len(corpus)))
    large, more = enlarged(reports, vectors, arguments.reports, far)
    compare("made from it", large, more.__getitem__, len(more), candidates, brute)


if __name__ == "__main__":
    main()
