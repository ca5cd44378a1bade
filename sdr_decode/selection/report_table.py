"""The training reports as flat arrays, so that all of them are looked at with a few operations."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sdr_decode.corpus_tables import CorpusReportRows

UNSECTIONED, FINDINGS, IMPRESSION = 0, 1, 2


@dataclass(frozen=True, slots=True)
class ReportTable:
    """``reports`` reports with ``n`` sentences in all, one report behind the other.

    Report ``i`` is called ``ids[i]`` and holds the sentences ``starts[i]`` to ``starts[i + 1]`` of
    ``rows`` (n,), which are rows of the corpus, and of ``sections`` (n,), which are 0 (no section),
    1 (findings) or 2 (impression). No report is empty. ``starts`` has one more entry than ``ids``.
    """

    ids: tuple[str, ...]
    starts: NDArray[np.int64]
    rows: NDArray[np.int64]
    sections: NDArray[np.int8]

    @property
    def lengths(self) -> NDArray[np.int64]:
        """How many sentences each report has."""
        return np.diff(self.starts)

    def places(self, reports: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Where the sentences of some reports stand in ``rows``, one report behind the other, and
        where each report begins among these places."""
        lengths = self.lengths[reports]
        begins = np.concatenate([[0], np.cumsum(lengths)[:-1]])
        places = np.arange(lengths.sum()) + np.repeat(self.starts[reports] - begins, lengths)
        return places, begins


def table_of(reports: Iterable[CorpusReportRows]) -> ReportTable:
    """The table of all reports that have a sentence, in the order given."""
    ids: list[str] = []
    starts, rows, sections = [0], [], []
    for report in reports:
        parts = (report.unsectioned, report.findings, report.impression)
        if any(parts):
            ids.append(report.id)
            for section, part in enumerate(parts):
                rows += part
                sections += [section] * len(part)
            starts.append(len(rows))
    return ReportTable(
        tuple(ids),
        np.array(starts, np.int64),
        np.array(rows, np.int64),
        np.array(sections, np.int8),
    )
