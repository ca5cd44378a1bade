"""What comes back from a decode."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from decimal import Decimal
from typing import Any

from clients.pricing.bill import Dollars
from sdr_decode.counts import Count
from sdr_decode.ledger import Ledger
from sdr_decode.sentences import Section, Sentence, well_formed

FORMAT_VERSION = 1
"""Of a result as JSON: raised when a reader of the version before could not read it."""


@dataclass(frozen=True, slots=True)
class Report:
    """A report: ``text`` as the model wrote it, ``findings`` and ``impression`` as clean prose.

    A section that the report does not have is ``None``.
    """

    text: str
    findings: str | None
    impression: str | None


def report_of(text: str, sentences: Iterable[Sentence]) -> Report:
    """The report that these sentences of ``text`` make."""
    prose: dict[Section | None, list[str]] = {}
    for sentence in sentences:
        prose.setdefault(sentence.section, []).append(sentence.text)

    def section(name: Section) -> str | None:
        return " ".join(prose[name]) if name in prose else None

    return Report(text, section("findings"), section("impression"))


@dataclass(frozen=True, slots=True)
class NearestSentence:
    """A corpus sentence and how often it stands in the corpus."""

    text: str
    count: int


@dataclass(frozen=True, slots=True)
class SentenceResult:
    """A closed sentence of a candidate.

    ``start`` and ``end`` are code points of the candidate's text; ``distance`` is to the nearest
    corpus sentence, in [0, 1]; ``tokens`` is the candidate's output when the sentence closed.
    """

    text: str
    section: Section | None
    start: int
    end: int
    distance: float
    nearest: NearestSentence | None
    tokens: int


@dataclass(frozen=True, slots=True)
class CandidateResult:
    """One candidate, whatever became of it.

    ``state`` is finished, pruned or invalid, and ``ended`` says why the latter two ended.
    ``chamfer`` and ``hausdorff`` are its directed distances to the corpus over the closed
    sentences, in [0, 1], ``None`` without a sentence. ``selected_by`` is what the selector
    minimised, ``None`` where it did not judge the candidate.
    """

    number: int
    state: str
    ended: str | None
    text: str
    sentences: tuple[SentenceResult, ...]
    chamfer: float | None
    hausdorff: float | None
    tokens: Count
    selected_by: float | None


@dataclass(frozen=True, slots=True)
class Result:
    """The report chosen, why, and the account of what it took.

    ``valid`` is false when no candidate was valid and the best of the others had to be taken.
    ``quantity`` names what the selector minimised. ``warnings`` are sentences for the user.
    ``settings`` is what it takes to run the decode again, without secrets.
    """

    report: Report
    winner: int
    valid: bool
    reason: str
    quantity: str
    candidates: tuple[CandidateResult, ...]
    ledger: Ledger
    warnings: tuple[str, ...]
    settings: Mapping[str, Any]
    study: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON. The ledger carries its sums; dollars are decimal strings."""
        data = {"format_version": FORMAT_VERSION} | asdict(self, dict_factory=_plain)
        data["ledger"] |= self.ledger.sums()
        return data

    def to_json(self) -> str:
        """The result as JSON: the same bytes for the same decode."""
        text = json.dumps(self.to_dict(), indent=2, ensure_ascii=False)
        return well_formed(text) + "\n"


def _plain(fields: list[tuple[str, Any]]) -> dict[str, Any]:
    return {
        name: {"low": _decimal(value.low), "high": _decimal(value.high)}
        if isinstance(value, Dollars)
        else value
        for name, value in fields
    }


def _decimal(amount: Decimal | None) -> str | None:
    return None if amount is None else f"{amount:f}"
