"""Decides which reports of a corpus enter an index, and counts the others."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from index_build.report import CorpusReport
from sdr_decode.errors import CorpusError

Require = Literal["both", "any", "text"]

_WHAT: Mapping[Require, str] = {
    "both": "both findings and impression",
    "any": "findings or an impression",
    "text": "any text",
}


@dataclass(slots=True)
class Admission:
    """A filter over reports that counts what it does.

    ``require`` is what a report must have: ``both`` sections, ``any`` of the two, or ``text``.
    ``include`` and ``exclude`` map the name of a list to its ids; a report on an excluded list
    stays out even if an included list has it too. The counts are of reports and are complete when
    the filter is exhausted.
    """

    require: Require = "both"
    include: Mapping[str, frozenset[str]] = field(default_factory=dict)
    exclude: Mapping[str, frozenset[str]] = field(default_factory=dict)
    read: int = 0
    kept: int = 0
    excluded: int = 0
    not_included: int = 0
    incomplete: int = 0
    repeated: int = 0
    unmatched: dict[str, int] = field(default_factory=dict)

    def filter(self, reports: Iterable[CorpusReport]) -> Iterator[CorpusReport]:
        """The reports that may enter, in their order.

        A report that comes again with the same text (a table of images) counts once. Raises
        ``CorpusError`` for one id with two texts, for a list none of whose ids the corpus has,
        and when no report is left.
        """
        seen: dict[str, bytes] = {}
        for report in reports:
            digest = _digest(report)
            if report.id in seen:
                if seen[report.id] != digest:
                    raise CorpusError(
                        f"the corpus has the id {report.id!r} twice, with different text; the "
                        f"second is {report.source or 'further down'}. Give every report its own id"
                    )
                self.repeated += 1
                continue
            seen[report.id] = digest
            self.read += 1
            if self._enters(report):
                self.kept += 1
                yield report
        self._check_lists(seen)
        if self.read and not self.kept:
            raise CorpusError(self._why_empty())

    def account(self) -> dict[str, Any]:
        """What was asked and what came of it, for the manifest; lists go by their file's name."""
        return {
            "require": self.require,
            "include_ids": _listed(self.include),
            "exclude_ids": _listed(self.exclude),
            "reports_read": self.read,
            "reports_excluded": self.excluded,
            "reports_not_included": self.not_included,
            "reports_incomplete": self.incomplete,
            "rows_repeated": self.repeated,
        }

    def _enters(self, report: CorpusReport) -> bool:
        if any(report.id in ids for ids in self.exclude.values()):
            self.excluded += 1
        elif self.include and not any(report.id in ids for ids in self.include.values()):
            self.not_included += 1
        elif not has_required(report, self.require):
            self.incomplete += 1
        else:
            return True
        return False

    def _check_lists(self, seen: Mapping[str, bytes]) -> None:
        """Test studies would slip in unseen if ids were written otherwise in the list."""
        for name, ids in {**self.include, **self.exclude}.items():
            missing = sum(listed not in seen for listed in ids)
            if missing == len(ids) and seen:
                raise CorpusError(
                    f"none of the {len(ids):,} ids of {name} is in the corpus: the list has ids "
                    f"such as {min(ids)!r}, the corpus such as {next(iter(seen))!r}"
                )
            if missing:
                self.unmatched[name] = missing

    def _why_empty(self) -> str:
        reasons = {
            f"are without {_WHAT[self.require]}": self.incomplete,
            "are excluded": self.excluded,
            "are not on an included list": self.not_included,
        }
        why = ", ".join(f"{count:,} {reason}" for reason, count in reasons.items() if count)
        advice = "; --require any or --require text asks for less" if self.incomplete else ""
        return f"no report is left of {self.read:,}: {why}{advice}"


def has_required(report: CorpusReport, require: Require) -> bool:
    """Whether ``report`` has what is required of it. A whole text is split to see its sections."""
    sections: set[str] = set()
    if report.findings and report.findings.strip():
        sections.add("findings")
    if report.impression and report.impression.strip():
        sections.add("impression")
    whole = report.text if report.text and report.text.strip() and not sections else None
    if require == "text":
        return bool(sections) or whole is not None
    if whole is not None:
        from index_build.collect import sentences_of  # noqa: PLC0415

        sections.update(s.section for s in sentences_of(whole) if s.section is not None)
    return len(sections) >= (2 if require == "both" else 1)


def _listed(lists: Mapping[str, frozenset[str]]) -> dict[str, int]:
    return {Path(name).name: len(ids) for name, ids in lists.items()}


def _digest(report: CorpusReport) -> bytes:
    parts = (report.findings, report.impression, report.text)
    return hashlib.blake2b(repr(parts).encode("utf-8", "surrogatepass"), digest_size=12).digest()
