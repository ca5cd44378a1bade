"""One report of a corpus, as a reader hands it to the builder."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CorpusReport:
    """One report.

    ``findings`` and ``impression`` are the sections where the corpus tells them apart; ``text`` is
    the whole report where it does not, with headings or without. ``None`` is absent. ``source``
    says where the report stands (a file, a row), for messages.
    """

    id: str
    findings: str | None
    impression: str | None
    text: str | None
    source: str | None = None
