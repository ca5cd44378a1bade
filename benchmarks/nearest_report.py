"""What the nearest training report costs, with the index's reports and with 200,000.

    python -m benchmarks.nearest_report RECORDING INDEX EMBEDDINGS [--k 8] [--studies 12]

The candidates are those of a recording, with the embeddings that ``sdr-decode replay --embeddings``
keeps. The larger corpus is made from the index: each report repeats a real one, in which a sentence
of c occurrences is replaced with probability 1 / c by a variant of it. There are as many variants
as distinct sentences would have grown by (Heaps' law, fitted to the index); a variant is its
sentence moved along the difference of two others, as far as new sentences of the recording are from
their nearest. The other side compares with every report, in the same blocks of arrays. Both sides
run in one process on one thread; their ratio is what carries over to other machines.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median

import numpy as np
from numpy.typing import NDArray

from sdr_decode.corpus import Corpus
from sdr_decode.distances import EmbeddedSet, Vectors
from sdr_decode.load import load_studies, open_measure
from sdr_decode.selection.report_search import NearestReport, ReportSearch
from sdr_decode.selection.report_table import ReportTable, table_of

Fetch = Callable[[NDArray[np.int64]], Vectors]


def heaps_exponent(table: ReportTable) -> float:
    """How distinct sentences grow with reports: the exponent between half the reports and all."""
    half = len(table.ids) // 2
    order = np.random.default_rng(0).permutation(len(table.ids))
    halves = [len(np.unique(table.rows[table.places(order[:many])[0]])) for many in (half, None)]
    return float(np.log2(halves[1] / halves[0]))


def enlarged(
    table: ReportTable, vectors: Vectors, reports: int, far: NDArray[np.float64], seed: int = 0
) -> tuple[ReportTable, Vectors]:
    """A corpus of ``reports`` reports made from a smaller one. ``far`` are distances of new
    sentences to their nearest, from which those of the variants are drawn."""
    draw = np.random.default_rng(seed)
    sentences = len(vectors)
    grown = int(sentences * (reports / len(table.ids)) ** heaps_exponent(table))
    counts = np.bincount(table.rows, minlength=sentences)
    # Rare sentences are those that vary.
    bases = draw.choice(table.rows, grown - sentences, p=_shares(1.0 / counts[table.rows]))
    bases.sort()
    variants = np.empty((len(bases), vectors.shape[1]), np.float32)
    for start in range(0, len(bases), 8192):
        of = bases[start : start + 8192]
        one, other = draw.integers(sentences, size=(2, len(of)))
        variants[start : start + 8192] = _moved(
            vectors[of], vectors[one] - vectors[other], draw.choice(far, len(of))
        )
    places, begins = table.places(draw.integers(len(table.ids), size=reports))
    rows = table.rows[places]
    first = np.searchsorted(bases, rows, "left")
    many = np.searchsorted(bases, rows, "right") - first
    varied = (draw.random(len(rows)) < 1.0 / counts[rows]) & (many > 0)
    variant = sentences + first + draw.integers(np.maximum(many, 1))
    made = ReportTable(
        tuple(map(str, range(reports))),
        np.append(begins, len(rows)),
        np.where(varied, variant, rows),
        table.sections[places],
    )
    return made, np.concatenate([vectors, variants])


def _shares(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    return weights / weights.sum()


def _moved(base: Vectors, along: Vectors, far: NDArray[np.float64]) -> Vectors:
    """Unit vectors at the distances ``far`` from ``base``, in the direction of ``along``."""
    across = along - np.einsum("nd,nd->n", along, base)[:, None] * base
    across /= np.maximum(np.linalg.norm(across, axis=1, keepdims=True), 1e-12)
    cosine = (1.0 - 2.0 * far)[:, None]
    moved: Vectors = (cosine * base + np.sqrt(1.0 - cosine**2) * across).astype(np.float32)
    return moved / np.linalg.norm(moved, axis=1, keepdims=True)


def compare(
    name: str,
    table: ReportTable,
    vectors: Fetch,
    sentences: int,
    candidates: Sequence[EmbeddedSet],
    brute: int,
) -> None:
    start = time.perf_counter()
    search = ReportSearch(table, vectors, sentences)
    building = time.perf_counter() - start
    seconds, found = _timed(search.nearest, candidates)
    slow, expected = _timed(search.brute_force, candidates[:brute])
    wrong = sum(
        one.id != other.id for one, other in zip(found[: len(expected)], expected, strict=True)
    )
    share = median(each.compared for each in found) / len(table.ids)
    print(
        f"{name}: {len(table.ids):,} reports, {len(table.rows):,} sentences, {sentences:,} "
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
        start = time.perf_counter()
        found.append(function(candidate))
        seconds.append(time.perf_counter() - start)
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
    table, brute = table_of(corpus.reports()), arguments.brute
    compare("the index", table, corpus.vectors, len(corpus), candidates, brute)
    vectors = corpus.vectors(np.arange(len(corpus)))
    large, more = enlarged(table, vectors, arguments.reports, far)
    compare("made from it", large, more.__getitem__, len(more), candidates, brute)


if __name__ == "__main__":
    main()
