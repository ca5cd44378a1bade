"""From reports to distinct sentences, counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from index_build.report import CorpusReport
from sdr_decode.errors import CorpusError
from sdr_decode.segmenter import split_sentences
from sdr_decode.sentences import Section, Sentence, is_sentence, normalise, well_formed


@dataclass(slots=True)
class DistinctSentence:
    """One distinct sentence while the corpus is read; ``forms`` are the ways it is written."""

    forms: Counter[str] = field(default_factory=Counter)
    sections: Counter[Section | None] = field(default_factory=Counter)

    @property
    def count(self) -> int:
        return self.sections.total()

    @property
    def text(self) -> str:
        """The form written most often, of equals the first seen."""
        return self.forms.most_common(1)[0][0]


@dataclass(frozen=True, slots=True)
class CollectedReport:
    """A report as its distinct sentences, by section and in order, in their normalised form."""

    id: str
    sentences: dict[Section | None, list[str]]


@dataclass(slots=True)
class Collection:
    """A corpus that has been read: distinct sentences by their normalised form, and reports."""

    sentences: dict[str, DistinctSentence] = field(default_factory=dict)
    reports: list[CollectedReport] = field(default_factory=list)
    fragments_dropped: int = 0

    @property
    def reports_without_section(self) -> int:
        return sum(
            not (report.sentences["findings"] or report.sentences["impression"])
            for report in self.reports
        )

    def total(self, section: Section | None) -> int:
        return sum(len(report.sentences[section]) for report in self.reports)


def collect(
    reports: Iterable[CorpusReport],
    *,
    sections: bool = True,
    read: Callable[[int], None] | None = None,
) -> Collection:
    """Read a corpus. ``read`` is called with the number of reports read so far.

    With ``sections=False`` every sentence counts as one without a section. Raises ``CorpusError``
    for a corpus without reports, without sentences or without sections, and for an id that stands
    twice.
    """
    corpus = Collection()
    sources: dict[str, str | None] = {}
    for report in reports:
        if report.id in sources:
            raise CorpusError(_twice(report.id, sources[report.id], report.source))
        sources[report.id] = report.source
        collected = CollectedReport(report.id, {"findings": [], "impression": [], None: []})
        for sentence, section in _sentences(report):
            key = normalise(sentence.text)
            if not key or not is_sentence(sentence.text):
                corpus.fragments_dropped += 1
                continue
            place = section if sections else None
            distinct = corpus.sentences.setdefault(key, DistinctSentence())
            distinct.forms[sentence.text] += 1
            distinct.sections[place] += 1
            collected.sentences[place].append(key)
        corpus.reports.append(collected)
        if read is not None:
            read(len(corpus.reports))
    _require_usable(corpus, sections)
    return corpus


# A text is split when a report is admitted and again when it is collected, and many reports say the
# same: "No acute disease."
@lru_cache(maxsize=4096)
def sentences_of(text: str) -> tuple[Sentence, ...]:
    """The sentences of one text of a corpus."""
    return tuple(split_sentences(well_formed(text)))


def _sentences(report: CorpusReport) -> Iterator[tuple[Sentence, Section | None]]:
    if report.findings is None and report.impression is None:
        for sentence in sentences_of(report.text or ""):
            yield sentence, sentence.section
        return
    parts: tuple[tuple[Section, str | None], ...] = (
        ("findings", report.findings),
        ("impression", report.impression),
    )
    for section, text in parts:
        for sentence in sentences_of(text or ""):
            yield sentence, sentence.section or section  # a heading inside the text knows better


def _twice(report: str, first: str | None, second: str | None) -> str:
    where = f" ({first} and {second})" if first is not None and second is not None else ""
    return (
        f"the report id {report!r} stands twice in the corpus{where}; every report needs an id of "
        "its own: remove one of the two, or name another column as the id"
    )


def _require_usable(corpus: Collection, sections: bool) -> None:
    if not corpus.reports:
        raise CorpusError(
            "the corpus is empty: found no report; expected at least one: check the source, its "
            "reader and the ids that are included and excluded"
        )
    if not corpus.sentences:
        raise CorpusError(
            f"found no sentence in the {len(corpus.reports)} reports of the corpus "
            f"({corpus.fragments_dropped} fragments were dropped); expected report text: check "
            "which columns or sections are read"
        )
    if sections and corpus.reports_without_section == len(corpus.reports):
        raise CorpusError(
            f"found no findings or impression section in the {len(corpus.reports)} reports of the "
            "corpus; expected headings such as 'FINDINGS:', or a column for each section; to index "
            "it without sections, pass --no-sections (sections=False)"
        )
