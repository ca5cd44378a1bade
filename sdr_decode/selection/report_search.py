"""The training report nearest to a candidate, exactly, without comparing it with each."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

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

Matrix = NDArray[Any]

_CODES = {None: UNSECTIONED, "findings": FINDINGS, "impression": IMPRESSION}


@dataclass(frozen=True, slots=True)
class Pace:
    """How many reports are looked at together, which changes nothing but the time it takes: the
    ``first`` give a limit, of a ``sample`` as many give a better one, then each ``batch`` does."""

    first: int = 64
    sample: int = 4096
    batch: int = 1024


@dataclass(frozen=True, slots=True)
class NearestReport:
    """The ``id`` of a training report and its symmetric Chamfer distance, in [0, 1].
    ``compared`` is with how many reports the candidate was compared sentence by
    sentence."""

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
    3. in the order of that bound, D in single precision, each distinct sentence fetched once, until
       the bound of the next report is above the least D found. No report beyond it can be nearer;
    4. of those that are left near the least, D in double precision.

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
        pace: Pace = Pace(),
    ) -> None:
        """``vectors`` gives the unit vectors of some of the ``sentences`` rows of the corpus.

        Raises ``ValueError`` when no report has a sentence.
        """
        self.table = reports if isinstance(reports, ReportTable) else table_of(reports, sentences)
        if not len(self.table):
            raise ValueError("no report has a sentence")
        self.vectors = vectors
        self._pace = pace
        self._projection: Projection = projection_of(vectors, sentences, directions)

    def nearest(self, candidate: EmbeddedSet) -> NearestReport:
        """The report nearest to a candidate that has at least one sentence."""
        codes = codes_of(candidate)
        bounds = np.maximum(self._projection.bounds(candidate.vectors), 0.0)
        least = bounds.min(axis=1)
        retrieval = (self.table.mean(_of_nearest(bounds, codes)) + least.mean()) / 2.0

        near = _Near(self, candidate.vectors, codes)
        near.look_at(_lowest(retrieval, self._pace.first))
        raising = _Raising(self.table, bounds, codes, retrieval)
        reports, bound = raising.left(_lowest(retrieval, self._pace.sample), near.limit)
        near.look_at(reports[_lowest(bound, self._pace.first)])
        reports, bound = raising.left(np.arange(len(self.table)), near.limit)
        order = np.argsort(bound, kind="stable")
        for start in range(0, len(order), self._pace.batch):
            batch = order[start : start + self._pace.batch]
            batch = batch[: np.searchsorted(bound[batch], near.limit, side="right")]
            if not len(batch):
                break
            near.look_at(np.sort(reports[batch]))
        return self._first_of_nearest(candidate.vectors, codes, near)

    def brute_force(self, candidate: EmbeddedSet) -> NearestReport:
        """The same by comparing with every report: what the search is measured against."""
        every = np.arange(len(self.table))
        distances = self.distances(candidate.vectors, codes_of(candidate), every)
        return self._named(every, distances, len(every))

    def _first_of_nearest(
        self, vectors: Vectors, codes: NDArray[np.int8], near: _Near
    ) -> NearestReport:
        reports = near.reports()
        return self._named(reports, self.distances(vectors, codes, reports), near.looked_at)

    def _named(self, reports: Integers, distances: Floats, compared: int) -> NearestReport:
        tied = np.flatnonzero(distances <= distances.min() + TOLERANCE)
        winner = tied[np.argmin(self.table.order[reports[tied]])]
        name = self.table.ids[self.table.order[reports[winner]]]
        return NearestReport(name, float(distances[winner]), compared)

    def distances(
        self, vectors: Vectors, codes: NDArray[np.int8], reports: Integers
    ) -> NDArray[np.float64]:
        """The symmetric Chamfer distances of a candidate to some reports, in double precision."""
        table, keys = self.table.part(reports)
        distinct, places = np.unique(keys % self.table.sentences, return_inverse=True)
        between = cosine_distance(vectors, self.vectors(distinct))[:, places]
        return self.halves(table, keys, between, codes)

    def halves(
        self, table: ReportTable, keys: Integers, between: Matrix, codes: NDArray[np.int8]
    ) -> Matrix:
        """From the distances (m, keys) of a candidate's sentences to those of a part of the table:
        the mean of both directions for each report."""
        sections = keys // self.table.sentences
        between[(codes[:, None] != sections) & (codes[:, None] != 0) & (sections != 0)] = 1.0
        forward = np.mean([table.least(each) for each in between], axis=0)
        halves: Matrix = (forward + table.mean(between.min(axis=0))) / 2.0
        return halves


class _Raising:
    """Step 2: the bounds of reports, raised by one sentence of a candidate after the other."""

    def __init__(
        self,
        table: ReportTable,
        bounds: NDArray[np.float32],
        codes: NDArray[np.int8],
        retrieval: Floats,
    ) -> None:
        self._table, self._bounds, self._codes = table, bounds, codes
        self._retrieval = retrieval
        self._least = bounds.min(axis=1)

    def left(self, reports: Integers, limit: float) -> tuple[Integers, Floats]:
        """Those of some reports that a limit leaves, and their bounds with the first term in
        full."""
        reports = reports[self._retrieval[reports] <= limit]
        bound = self._retrieval[reports]
        table = self._table.narrowed(reports)
        # First the sentences that few reports have: they raise most bounds.
        for at in np.argsort(self._least - self._bounds.mean(axis=1)):
            if not len(reports):
                break
            nearest = table.least(_by_section(self._bounds[at], self._codes[at]))
            bound = bound + (nearest - self._least[at]) / (2 * len(self._codes))
            staying = np.flatnonzero(bound <= limit)
            if 2 * len(staying) <= len(reports):  # else to narrow costs more than it saves
                reports, bound = reports[staying], bound[staying]
                table = table.narrowed(staying)
        staying = np.flatnonzero(bound <= limit)
        return reports[staying], bound[staying]


class _Near:
    """The distances in single precision of one candidate to the reports looked at so far."""

    def __init__(self, search: ReportSearch, vectors: Vectors, codes: NDArray[np.int8]) -> None:
        self._search, self._vectors, self._codes = search, vectors, codes
        sentences = search.table.sentences
        self._between = np.empty((sentences, len(codes)), np.float32)
        self._known = np.zeros(sentences, np.bool_)
        self._reports: list[Integers] = []
        self._distances: list[Floats] = []
        self.least = float("inf")

    @property
    def limit(self) -> float:
        """A report whose bound is above this is neither the nearest nor ties with it."""
        return self.least + TOLERANCE + _ROUNDING

    @property
    def looked_at(self) -> int:
        return len(np.unique(np.concatenate(self._reports)))

    def look_at(self, reports: Integers) -> None:
        if not len(reports):
            return
        table, keys = self._search.table.part(reports)
        rows = keys % self._search.table.sentences
        self._learn(rows)
        between = np.ascontiguousarray(self._between[rows].T)
        distances = self._search.halves(table, keys, between, self._codes)
        self._reports.append(reports)
        self._distances.append(distances)
        self.least = min(self.least, float(distances.min()))

    def _learn(self, rows: Integers) -> None:
        """Measure the distances to those of the corpus's sentences that are not known yet."""
        new = np.unique(rows[~self._known[rows]])
        products = self._search.vectors(new) @ self._vectors.T
        self._between[new] = np.clip(0.5 - 0.5 * products, 0.0, 1.0)
        self._known[new] = True

    def reports(self) -> Integers:
        """Those that may be the nearest, in rising order."""
        reports, distances = np.concatenate(self._reports), np.concatenate(self._distances)
        return np.unique(reports[distances <= self.limit])


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
