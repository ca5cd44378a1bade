"""How far real reports are from the rest of their corpus: each against all others.

Every sentence of a corpus stands in it at distance 0. What a report written by somebody else would
measure is its sentences' distance to the nearest sentence that stands in another report: 0 where
the same sentence does. Sections compare as they do in ``CorpusMeasure``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from threading import Lock
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from sdr_decode.corpus import NONE_FOUND, Corpus
from sdr_decode.corpus_tables import CorpusReportRows
from sdr_decode.sentences import SECTIONS, Section

REPORTS = 3_000
"""So many reports are measured at most, drawn without repetition, always the same."""

COMPARISONS = 300_000_000
"""Fewer are when their sentences need more comparisons with those of the corpus."""

_ENOUGH = 50  # reports that have come so far, for a quantile to be one
_IN_NO_REPORT, _IN_SEVERAL = -1, -2
_NEIGHBOURS = 16


@dataclass(frozen=True, slots=True)
class RunningDistances:
    """The running Chamfer distances of real reports after t = 1, 2, ... sentences.

    ``sorted[t - 1]`` holds those of all reports with at least t sentences, ascending, in [0, 1].
    """

    sorted: tuple[NDArray[np.float64], ...]

    def quantile(self, q: float) -> NDArray[np.float64]:
        """The ``q`` quantile, q in [0, 1], after t sentences, shape (T,): the least distance that
        at least that share of the reports stays within. Where fewer than 50 reports have so many
        sentences, that of the last t with enough."""
        enough = [each for each in self.sorted if len(each) >= _ENOUGH] or self.sorted[:1]
        return np.array([np.quantile(each, q, method="inverted_cdf") for each in enough])


_kept: WeakKeyDictionary[Corpus, dict[bool, RunningDistances]] = WeakKeyDictionary()
_working = Lock()


def running_distances(corpus: Corpus, *, sections: bool = True) -> RunningDistances:
    """Those of the corpus's reports, each against all others; worked out once for each corpus.

    Seconds for 6,000 distinct sentences; for 200,000 some hundred reports are sampled, so that it
    takes less than a minute.
    """
    with _working:
        kept = _kept.setdefault(corpus, {})
        if sections not in kept:
            kept[sections] = _running(report_distances(corpus, sections=sections))
        return kept[sections]


def report_distances(corpus: Corpus, *, sections: bool = True) -> list[NDArray[np.float64]]:
    """For each report of the sample, its sentences' distances to the other reports, in the order
    that they are written in: unsectioned, findings, impression."""
    reports = list(corpus.reports())
    owners = _owners(reports, len(corpus), sections=sections)
    sample, alone = _sample(reports, owners, len(corpus), sections=sections)
    found: dict[tuple[Section | None, int], float] = {}
    for section in dict.fromkeys(section for section, _ in alone):
        rows = np.array([row for its, row in alone if its == section])
        distances = _to_others(corpus, rows, owners[section], section)
        found.update(zip(((section, int(row)) for row in rows), distances, strict=True))
    return [
        np.array([found.get(key, 0.0) for key in _sentences(reports[number], sections)])
        for number in sample
    ]


def _sentences(report: CorpusReportRows, sections: bool) -> Iterable[tuple[Section | None, int]]:
    parts: tuple[tuple[Section | None, tuple[int, ...]], ...] = (
        (None, report.unsectioned),
        ("findings", report.findings),
        ("impression", report.impression),
    )
    return ((section if sections else None, row) for section, rows in parts for row in rows)


def _owners(
    reports: list[CorpusReportRows], rows: int, *, sections: bool
) -> dict[Section | None, NDArray[np.int64]]:
    """For each section, shape (rows,): the report that alone has the sentence there."""
    compared: tuple[Section | None, ...] = (*SECTIONS, None) if sections else (None,)
    owners = {section: np.full(rows, _IN_NO_REPORT) for section in compared}
    for number, report in enumerate(reports):
        for stands_in, row in _sentences(report, sections):
            # What stands in no section compares with all, and everything with what has none.
            for section in compared if stands_in is None else (stands_in, None):
                owner = owners[section]
                first = owner[row] in (_IN_NO_REPORT, number)
                owner[row] = number if first else _IN_SEVERAL
    return owners


def _sample(
    reports: list[CorpusReportRows],
    owners: dict[Section | None, NDArray[np.int64]],
    rows: int,
    *,
    sections: bool,
) -> tuple[list[int], dict[tuple[Section | None, int], None]]:
    """The reports to measure, and their sentences that no other report has."""
    order = np.random.default_rng(0).permutation(len(reports))[:REPORTS]
    alone: dict[tuple[Section | None, int], None] = {}
    for taken, number in enumerate(order):
        if taken >= _ENOUGH and len(alone) * rows > COMPARISONS:
            return order[:taken].tolist(), alone
        for section, row in _sentences(reports[number], sections):
            if owners[section][row] != _IN_SEVERAL:
                alone[section, row] = None
    return order.tolist(), alone


def _to_others(
    corpus: Corpus, rows: NDArray[np.int64], owner: NDArray[np.int64], section: Section | None
) -> NDArray[np.float64]:
    """The distance of each sentence to the nearest that stands in a report other than its own."""
    distances = np.ones(len(rows))
    left, neighbours = np.arange(len(rows)), min(_NEIGHBOURS, len(corpus))
    while left.size:
        nearest = corpus.nearest(corpus.vectors(rows[left]), section, neighbours)
        other = (nearest.rows != NONE_FOUND) & (owner[nearest.rows] != owner[rows[left]][:, None])
        first = other.argmax(axis=1)
        met = other.any(axis=1)
        distances[left[met]] = np.take_along_axis(nearest.distances, first[:, None], 1)[met, 0]
        if neighbours == len(corpus):
            break
        left, neighbours = left[~met], min(8 * neighbours, len(corpus))
    return distances


def _running(reports: list[NDArray[np.float64]]) -> RunningDistances:
    longest = max(map(len, reports), default=0)
    running = [each.cumsum() / np.arange(1, len(each) + 1) for each in reports]
    return RunningDistances(
        tuple(
            np.sort(np.array([each[t] for each in running if len(each) > t]))
            for t in range(longest)
        )
    )
