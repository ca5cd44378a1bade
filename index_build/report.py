"""One report of a corpus, as a reader hands it over."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CorpusReport:
    """A training report.

    ``findings`` and ``impression`` are the texts of the two sections where the corpus keeps them
    apart. ``text`` is the whole report with its headings; it is read only where both sections are
    ``None``. ``source`` says where the report stands, for messages ("reports.csv line 12").
    """

    id: str
    findings: str | None = None
    impression: str | None = None
    text: str | None = None
    source: str | None = None
