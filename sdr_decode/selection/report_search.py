"""The training report nearest to a candidate, exactly, without comparing it with each."""

from __future__ import annotations

from collections.abc import Callable, Iterable
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
    Floats,
    Integers,
    ReportTable,
    table_of,
)

DIRECTIONS = 96
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
    2. for the retrieved ones, the first term with l over the sentences of R alone, one sentence of
       the candidate after the other: each raises the bound, and reports drop out on the way;
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
        vectors: Callable[[Integers], Vectors],
        sentences: int,
        *,
        directions: int = DIRECTIONS,
    ) -> None:
        """``vectors`` gives the unit vectors of some of the ``sentences`` rows of the corpus.

        Raises ``ValueError`` when no report has a sentence.
        """
        self.table = reports if isinstance(reports, ReportTable) else table_of(reports, sentences)
        if not len(self.table):
            raise ValueError("no report has a sentence")
        self._vectors = vectors
        self._projection: Projection = projection_of(vectors, sentences, directions)

    def nearest(self, candidate: EmbeddedSet) -> NearestReport:
        """The report nearest to a candidate that has at least one sentence."""
        codes = codes_of(candidate)
        bounds = np.maximum(self._projection.bounds(candidate.vectors), 0.0)
        least = bounds.min(axis=1)
        retrieval = (self.table.mean(_of_nearest(bounds, codes)) + least.mean()) / 2.0

        found = _Found(self, candidate.vectors, codes)
        found.compare(_lowest(retrieval, _FIRST))
        reports, bound = self._raised(bounds, codes, least, retrieval, found.limit)
        order = np.argsort(bound, kind="stable")
        start, size = 0, _FIRST
        while start < len(order) and bound[order[start]] <= found.limit:
            found.compare(np.sort(reports[order[start : start + size]]))
            start, size = start + size, size * _GROWTH
        return found.nearest()

    def brute_force(self, candidate: EmbeddedSet) -> NearestReport:
        """The same by comparing with every report: what the search is measured against."""
        found = _Found(self, candidate.vectors, codes_of(candidate))
        found.compare(np.arange(len(self.table)))
        return found.nearest()

    def _raised(
        self,
        bounds: NDArray[np.float32],
        codes: NDArray[np.int8],
        least: NDArray[np.float32],
        retrieval: Floats,
        limit: float,
    ) -> tuple[Integers, Floats]:
        """The reports that the limit leaves, and their bounds with the first term in full."""
        reports = np.flatnonzero(retrieval <= limit)
        bound = retrieval[reports]
        # First the sentences that few reports have: they raise most bounds.
        for at in np.argsort(least - bounds.mean(axis=1)):
            raised = self.table.least(_by_section(bounds[at], codes[at]), reports) - least[at]
            bound = bound + raised / (2 * len(codes))
            left = bound <= limit
            reports, bound = reports[left], bound[left]
            if not len(reports):
                break
        return reports, bound

    def distances(
        self, vectors: Vectors, codes: NDArray[np.int8], reports: Integers
    ) -> NDArray[np.float64]:
        """The symmetric Chamfer distances of a candidate to some reports, in double precision."""
        table, keys = self.table.part(reports)
        sections, rows = np.divmod(keys, self.table.sentences)
        distinct, places = np.unique(rows, return_inverse=True)
        between = cosine_distance(vectors, self._vectors(distinct))[:, places]
        apart = (codes[:, None] != sections) & (codes[:, None] != 0) & (sections != 0)
        between[apart] = 1.0
        forward = np.mean([table.least(each) for each in between], axis=0)
        halves: NDArray[np.float64] = (forward + table.mean(between.min(axis=0))) / 2.0
        return halves


class _Found:
    """The distances computed so far of one candidate to reports."""

    def __init__(self, search: ReportSearch, vectors: Vectors, codes: NDArray[np.int8]) -> None:
        self._search, self._vectors, self._codes = search, vectors, codes
        self._reports: list[Integers] = []
        self._distances: list[NDArray[np.float64]] = []
        self.least = float("inf")

    @property
    def limit(self) -> float:
        """A report whose bound is above this is neither the nearest nor ties with it."""
        return self.least + TOLERANCE + _ROUNDING

    def compare(self, reports: Integers) -> None:
        distances = self._search.distances(self._vectors, self._codes, reports)
        self._reports.append(reports)
        self._distances.append(distances)
        self.least = min(self.least, float(distances.min()))

    def nearest(self) -> NearestReport:
        table = self._search.table
        reports, distances = np.concatenate(self._reports), np.concatenate(self._distances)
        tied = np.flatnonzero(distances <= self.least + TOLERANCE)
        winner = tied[np.argmin(table.order[reports[tied]])]
        name = table.ids[table.order[reports[winner]]]
        return NearestReport(name, float(distances[winner]), len(np.unique(reports)))


def codes_of(candidate: EmbeddedSet) -> NDArray[np.int8]:
    """The sections of a candidate's sentences as numbers; 0, which compares with all, where
    sections play no part."""
    if candidate.sections is None:
        return np.zeros(len(candidate), np.int8)
    return np.array([_CODES[section] for section in candidate.sections], np.int8)


def _of_nearest(bounds: NDArray[np.float32], codes: NDArray[np.int8]) -> NDArray[np.float32]:
    """For every key the bound of its distance to the nearest sentence of the candidate."""
    apart = np.ones(bounds.shape[1], np.float32)
    return np.concatenate(
        [
            bounds.min(axis=0),
            *(
                bounds[compared].min(axis=0) if compared.any() else apart
                for section in (FINDINGS, IMPRESSION)
                for compared in [(codes == section) | (codes == UNSECTIONED)]
            ),
        ]
    )


def _by_section(bound: NDArray[np.float32], code: np.int8) -> NDArray[np.float32]:
    """For every key the bound of its distance to one sentence of the candidate."""
    apart = np.ones(len(bound), np.float32)
    return np.concatenate(
        [
            bound,
            *(
                bound if code in {section, UNSECTIONED} else apart
                for section in (FINDINGS, IMPRESSION)
            ),
        ]
    )


def _lowest(values: Floats, many: int) -> Integers:
    """Where the lowest values stand, in rising order."""
    many = min(many, len(values))
    lowest: Integers = np.sort(np.argpartition(values, many - 1)[:many])
    return lowest
