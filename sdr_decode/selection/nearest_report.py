"""Choose by distance to the nearest single training report."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from clients.spec import Spec, allow_options, no_value
from sdr_decode.candidate import Candidate
from sdr_decode.corpus import Corpus
from sdr_decode.selection.base import Choice, Field, Selector, least
from sdr_decode.selection.report_search import NearestReport, ReportSearch


class NearestReportSelector(Selector):
    """The least symmetric Chamfer distance to any one training report.

    Where the distance to the pooled corpus asks that every sentence was written by someone, this
    asks that some report says the same things, and nothing besides. Exact (``ReportSearch``). What
    the search keeps of a corpus, about 0.5 kB a distinct sentence, is made at the first choice.
    """

    quantity = "symmetric Chamfer distance to the nearest training report"

    def __init__(self) -> None:
        self._making = threading.Lock()
        self._made: tuple[Corpus, ReportSearch] | None = None

    def choose(self, eligible: Sequence[Candidate], field: Field) -> Choice:
        search = self._search(field.measure.corpus)
        found: dict[int, NearestReport] = {
            candidate.number: search.nearest(field.embedded(candidate)) for candidate in eligible
        }
        values = {number: nearest.distance for number, nearest in found.items()}
        winner = least(values)
        reason = (
            f"least {self.quantity}, {values[winner]:.4f} to report {found[winner].id}, of "
            f"{len(values)} candidates"
        )
        return Choice(winner, reason, self.quantity, values)

    def _search(self, corpus: Corpus) -> ReportSearch:
        with self._making:  # of the last corpus only: a selector mostly sees one
            if self._made is None or self._made[0] is not corpus:
                search = ReportSearch(corpus.reports(), corpus.vectors, len(corpus))
                self._made = (corpus, search)
            return self._made[1]


def from_spec(spec: Spec) -> NearestReportSelector:
    no_value(spec)
    allow_options(spec)
    return NearestReportSelector()
