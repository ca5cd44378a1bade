"""The training report nearest to a candidate, exactly, without comparing it with each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sdr_decode.corpus_tables import CorpusReportRows
from sdr_decode.distances import TOLERANCE, EmbeddedSet, Vectors, cosine_distance
from sdr_decode.selection.projection import Projection, projection_of
from sdr_decode.selection.report_table import (
    FINDINGS,
    IMPRESSION,
    UNSECTIONED,
    ReportTable,
    table_of,
)

DIRECTIONS = 128
# Bounds are computed in single precision from unit vectors that are so to 1e-6.
_ROUNDING = 1e-5
_FIRST, _GROWTH = 16, 4  # reports compared exactly at a time, at first, and how that number grows

_CODES = {None: UNSECTIONED, "findings": FINDINGS, "impression": IMPRESSION}


@dataclass(frozen=True, slots=True)
class NearestReport:
    """The ``id`` of a training report and its symmetric Chamfer distance, in [0, 1].
    ``compared`` is with how many reports the candidate was compared exactly."""

    id: str
    distance: float
    compared: int


class ReportSearch:
    """Finds the least symmetric Chamfer distance to any one report. Exact: retrieval prunes by
    bounds that are never above the distance, and what is left is compared in full.

    For a candidate A and a report R, with d compared section by section,

        2 D(A, R) = mean over a in A of min over c in R of d(a, c)
                  + mean over c in R of min over a in A of d(a, c).

    Let l(a, c) <= d(a, c) be the distance of the short vectors (``Projection``), 1 where sections
    do not compare. Means and minima are monotone, so l in place of d bounds both terms from below:

    1. the second term, for all reports: min over a of l(a, c) once per distinct sentence, then one
       mean per report. The first term is at least the mean over a of min over all c of l(a, c),
       since R is a part of the corpus. Both together are the bound by which reports are retrieved;
    2. for the retrieved ones, the first term with l over the sentences of R alone;
    3. in the order of that bound, D itself, until the bound of the next report is above the least
       D found. No report beyond it can be nearer.

    A report is dropped only when its bound exceeds a distance that was reached by more than the
    rounding of single precision and ``TOLERANCE``, so that of reports which tie within
    ``TOLERANCE`` the first of the corpus is named. Time grows with the sentences of the corpus,
    but in a few passes over short arrays. Safe to use from several threads.
    """

    def __init__(
        self,
        reports: Iterable[CorpusReportRows] | ReportTable,
        vectors: Callable[[NDArray[np.int64]], Vectors],
        sentences: int,
        *,
        directions: int = DIRECTIONS,
    ) -> None:
        """``vectors`` gives the unit vectors of some of the ``sentences`` rows of the corpus.

        Raises ``ValueError`` when no report has a sentence.
        """
        self.table = reports if isinstance(reports, ReportTable) else table_of(reports)
        if not self.table.ids:
            raise ValueError("no report has a sentence")
        self._vectors = vectors
        self._projection: Projection = projection_of(vectors, sentences, directions)
        # A sentence in each of the three sections has an entry of its own.
        keys = self.table.sections.astype(np.int64) * sentences + self.table.rows
        self._keys = keys.astype(np.int32 if 3 * sentences < 2**31 else np.int64)
        self._lengths = self.table.lengths.astype(np.float32)
        self._starts = self.table.starts[:-1]

    def nearest(self, candidate: EmbeddedSet) -> NearestReport:
        """The report nearest to a candidate that has at least one sentence."""
        codes = codes_of(candidate)
        bounds = np.maximum(self._projection.bounds(candidate.vectors), 0.0)
        backward = self._backward(bounds, codes)
        retrieval = (backward + self._least_forward(bounds, codes)) / 2.0
        first = _least(retrieval, _FIRST)
        distances = self._compare(candidate.vectors, codes, first)
        best = float(distances.min())
        found = {int(at): float(d) for at, d in zip(first, distances, strict=True)}

        retrieved = np.flatnonzero(retrieval <= best + TOLERANCE + _ROUNDING)
        bound = (backward[retrieved] + self._forward(bounds, codes, retrieved)) / 2.0
        for some in _in_order(retrieved, bound):
            at = [place for place in some if int(retrieved[place]) not in found]
            reports = retrieved[at]
            reports = reports[bound[at] <= best + TOLERANCE + _ROUNDING]
            if len(reports):
                distances = self._compare(candidate.vectors, codes, reports)
                best = min(best, float(distances.min()))
                found.update(zip(reports.tolist(), distances.tolist(), strict=True))
            if bound[some[-1]] > best + TOLERANCE + _ROUNDING:
                break
        winner = min(at for at, distance in found.items() if distance <= best + TOLERANCE)
        return NearestReport(self.table.ids[winner], found[winner], len(found))

    def brute_force(self, candidate: EmbeddedSet) -> NearestReport:
        """The same by comparing with every report: what the search is checked against."""
        every = np.arange(len(self.table.ids))
        distances = self._compare(candidate.vectors, codes_of(candidate), every)
        winner = int(np.flatnonzero(distances <= distances.min() + TOLERANCE)[0])
        return NearestReport(self.table.ids[winner], float(distances[winner]), len(every))

    def _backward(
        self, bounds: NDArray[np.float32], codes: NDArray[np.int8]
    ) -> NDArray[np.float32]:
        """For every report the mean over its sentences of the bound to the nearest of the
        candidate."""
        least = [
            bounds[compared].min(axis=0)
            if (compared := _comparing(codes, section)).any()
            else np.ones(bounds.shape[1], np.float32)
            for section in (UNSECTIONED, FINDINGS, IMPRESSION)
        ]
        each = np.concatenate(least)[self._keys]
        means: NDArray[np.float32] = np.add.reduceat(each, self._starts) / self._lengths
        return means

    def _least_forward(self, bounds: NDArray[np.float32], codes: NDArray[np.int8]) -> float:
        """The mean over the candidate's sentences of the bound to any sentence: at most the
        first term for any report."""
        return float(bounds.min(axis=1).mean())

    def _forward(
        self, bounds: NDArray[np.float32], codes: NDArray[np.int8], reports: NDArray[np.int64]
    ) -> NDArray[np.float32]:
        """For some reports the mean over the candidate's sentences of the bound to the nearest."""
        places, begins = self.table.places(reports)
        rows, sections = self.table.rows[places], self.table.sections[places]
        total = np.zeros(len(reports), np.float32)
        for bound, code in zip(bounds, codes, strict=True):  # a row at a time stays in the cache
            each = bound[rows]
            each[_apart(code, sections)] = 1.0
            total += np.minimum.reduceat(each, begins)
        return total / len(codes)

    def _compare(
        self, vectors: Vectors, codes: NDArray[np.int8], reports: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """The symmetric Chamfer distances to some reports, in double precision."""
        places, begins = self.table.places(reports)
        rows, inverse = np.unique(self.table.rows[places], return_inverse=True)
        distances = cosine_distance(vectors, self._vectors(rows))[:, inverse]
        sections = self.table.sections[places]
        for distance, code in zip(distances, codes, strict=True):
            distance[_apart(code, sections)] = 1.0
        forward = np.minimum.reduceat(distances, begins, axis=1).mean(axis=0)
        backward = np.add.reduceat(distances.min(axis=0), begins) / self.table.lengths[reports]
        halves: NDArray[np.float64] = (forward + backward) / 2.0
        return halves


def codes_of(candidate: EmbeddedSet) -> NDArray[np.int8]:
    """The sections of a candidate's sentences as numbers; 0, which compares with all, where
    sections play no part."""
    if candidate.sections is None:
        return np.zeros(len(candidate), np.int8)
    return np.array([_CODES[section] for section in candidate.sections], np.int8)


def _comparing(codes: NDArray[np.int8], section: int) -> NDArray[np.bool_]:
    if section == UNSECTIONED:
        return np.ones(len(codes), np.bool_)
    return (codes == section) | (codes == UNSECTIONED)


def _apart(code: np.int8, sections: NDArray[np.int8]) -> NDArray[np.bool_]:
    if code == UNSECTIONED:
        return np.zeros(len(sections), np.bool_)
    return (sections != code) & (sections != UNSECTIONED)


def _least(values: NDArray[np.float32], many: int) -> NDArray[np.int64]:
    many = min(many, len(values))
    return np.argpartition(values, many - 1)[:many]


def _in_order(
    reports: NDArray[np.int64], bound: NDArray[np.float32]
) -> Iterator[NDArray[np.int64]]:
    """Places in ``reports`` in the order of their bounds, in growing batches."""
    order = np.argsort(bound, kind="stable")
    start, size = 0, _FIRST
    while start < len(order):
        yield order[start : start + size]
        start, size = start + size, size * _GROWTH
