"""The training reports in columns, so that all of them are looked at with a few operations."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdr_decode.corpus_tables import CorpusReportRows

UNSECTIONED, FINDINGS, IMPRESSION = 0, 1, 2

Integers = NDArray[np.int64]
Floats = NDArray[np.floating[Any]]


@dataclass(frozen=True, slots=True)
class ReportTable:
    """``r`` reports, none of them empty, the longest first.

    ``columns[j]`` holds the sentence number ``j`` of every report that has so many, as a key: the
    row of the sentence plus ``sentences`` times its section, which is 0 (none), 1 (findings) or 2
    (impression). ``lengths`` (r,) are numbers of sentences; ``order`` (r,) are places in the corpus
    and ``ids`` names of reports, in the order of the corpus.

    Reports to look at are given as numbers in rising order.
    """

    ids: tuple[str, ...]
    order: Integers
    lengths: Integers
    columns: tuple[Integers, ...]
    sentences: int

    def __len__(self) -> int:
        return len(self.order)

    def least(self, values: Floats) -> Floats:
        """The least value of each report's sentences, from one value a key."""
        least: Floats = np.take(values, self.columns[0])
        for column in self.columns[1:]:
            part = least[: len(column)]
            np.minimum(part, np.take(values, column), out=part)
        return least

    def mean(self, values: Floats) -> Floats:
        """The mean value of each report's sentences, from one value a key."""
        total: Floats = np.take(values, self.columns[0])
        for column in self.columns[1:]:
            total[: len(column)] += np.take(values, column)
        mean: Floats = total / self.lengths.astype(total.dtype)
        return mean

    def narrowed(self, reports: Integers) -> ReportTable:
        """A table of some reports, with the same keys."""
        lengths = self.lengths[reports]
        return ReportTable(
            self.ids, self.order[reports], lengths, self._columns(reports), self.sentences
        )

    def part(self, reports: Integers) -> tuple[ReportTable, Integers]:
        """A table of some reports, whose keys are places among the distinct keys that these
        have, and those keys."""
        columns = self._columns(reports)
        keys, places = np.unique(np.concatenate(columns), return_inverse=True)
        ends = np.cumsum([len(column) for column in columns])
        split = tuple(np.split(places, ends[:-1]))
        of = ReportTable(self.ids, self.order[reports], self.lengths[reports], split, 0)
        return of, keys

    def _columns(self, reports: Integers) -> tuple[Integers, ...]:
        # Longer reports come first, so that those with a sentence j are the first ones.
        negated = -self.lengths[reports]
        longest = -int(negated[0]) if len(reports) else 1
        return tuple(
            np.take(self.columns[j], reports[: np.searchsorted(negated, -j)])
            for j in range(longest)
        )


def table_of(reports: Iterable[CorpusReportRows], sentences: int) -> ReportTable:
    """The table of all reports that have a sentence; ``sentences`` is how many rows the corpus
    has."""
    ids: list[str] = []
    starts, keys = [0], list[int]()
    for report in reports:
        for section, rows in enumerate((report.unsectioned, report.findings, report.impression)):
            keys += [row + section * sentences for row in rows]
        if len(keys) > starts[-1]:
            ids.append(report.id)
            starts.append(len(keys))
    return table_from_flat(ids, np.array(starts), np.array(keys, np.int64), sentences)


def table_from_flat(
    ids: Iterable[str], starts: Integers, keys: Integers, sentences: int
) -> ReportTable:
    """The table of reports whose keys stand one report behind the other: report ``i`` has those
    from ``starts[i]`` to ``starts[i + 1]``, at least one."""
    lengths = np.diff(starts)
    order = np.argsort(-lengths, kind="stable")
    lengths, begins = lengths[order], starts[:-1][order]
    columns = tuple(
        keys[begins[: np.searchsorted(-lengths, -j)] + j]
        for j in range(int(lengths[0]) if len(lengths) else 0)
    )
    return ReportTable(tuple(ids), order, lengths, columns, sentences)
