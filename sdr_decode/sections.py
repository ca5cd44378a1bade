"""Which words head a section of a report, and how a heading is recognised while it streams in.

A heading is one of the phrases below, written

- with a colon, at the start of a line or of a sentence, in any case (``Findings:``,
  ``**Impression**:``, ``impression :``, ``abnormalities.Impression:No``);
- with a colon in the middle of a sentence, if it is capitalised and does not follow a word such as
  "my" or "the" (``... in the stomach Impression: ...``);
- with a full stop, where the phrase is the whole sentence and in capitals, or capitalised at the
  start of a line (``IMPRESSION. No change.``);
- alone on its line, capitalised or marked as Markdown (``IMPRESSION``, ``## Findings``);
- as any of these with a short remark (``FINDINGS (CHEST):``, ``RECOMMENDATION(S):``);
- in capitals before mixed-case text or a numbered list (``FINDINGS Heart is normal.``), and in
  capitals before a dash at the start of a line or sentence; only for the two sections.

Findings and impression are the two sections; a heading that names both belongs to the one it names
first. Every other phrase of the table (indication, comparison, recommendation, wet read ...) ends
the section: what follows it has no section. A sub-heading such as ``Lungs:`` is not in the table.
"""

from __future__ import annotations

from dataclasses import dataclass

from sdr_decode.characters import DASHES
from sdr_decode.sentences import Section
from sdr_decode.vocabulary import PROSE_BEFORE_HEADING


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of the source text, ``source[start:end]``.

    ``section`` is that of the text below it: of an unknown heading or a sub-heading on a line of
    its own, the one it stands in; ``None`` where no section holds. ``text`` is without Markdown,
    colon and full stop.
    """

    text: str
    section: Section | None
    start: int
    end: int


_FINDINGS = """finding, findings, chest findings, imaging findings, other findings,
    pertinent findings, radiographic findings, radiological findings, radiology findings,
    x ray findings, key findings, findings and impression, findings and impressions,
    findings and conclusion, findings and recommendation, findings and recommendations,
    observation, observations"""

_IMPRESSION = """impression, impressions, imp, assessment, assessment and plan, conclusion,
    conclusions, clinical impression, diagnostic impression, final impression, overall impression,
    preliminary impression, radiographic impression, radiological impression,
    impression and findings, impression and plan, impression and recommendation,
    impression and recommendations, conclusion and recommendation,
    conclusion and recommendations, conclusions and recommendations, interpretation, opinion,
    summary, summary and impression"""

_OTHER = """addendum, addenda, attestation, clinical data, clinical details, clinical history,
    clinical indication, clinical information, clinical question, communication, comparison,
    comparisons, comparison studies, comparison study, compared, correlation, dictated by,
    disclaimer, electronically signed by, exam, exam type, examination, examinations,
    final addendum, final report, history, history and indication, indication,
    indication and history, indications, limitations, method, methods, notification,
    notifications, preliminary read, preliminary report, procedure, reason for consult,
    reason for exam, reason for examination, reason for study, reason for the exam,
    reason for the examination, reason for this exam, reason for this examination,
    reason for visit, recommendation, recommendations, recommendation and notification,
    recommendations and notification, references, signed by, study, technique, technique and views,
    techniques, type of exam, type of examination, wet read, wet reading"""


def _table() -> dict[tuple[str, ...], Section | None]:
    table: dict[tuple[str, ...], Section | None] = {}
    kinds: tuple[tuple[str, Section | None], ...] = (
        (_FINDINGS, "findings"),
        (_IMPRESSION, "impression"),
        (_OTHER, None),
    )
    for phrases, section in kinds:
        for phrase in phrases.split(","):
            table[tuple(phrase.split())] = section
    return table


HEADINGS = _table()
_BEGINNINGS = {words[:n] for words in HEADINGS for n in range(1, len(words) + 1)}

_REMARK_WORDS = 4
_TRANSPARENT = frozenset("*_#`")  # marks of emphasis within a heading


class HeadingMatcher:
    """Follows the words of a text and knows when they are a heading.

    It keeps one candidate at most, of bounded length. Offsets are the caller's.
    """

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        self._words: tuple[str, ...] = ()
        self.start = self.end = 0
        self._opening = self._line = False
        self._capitals = self._capitalised = False
        self._remark: int | None = None  # words so far of a remark: "FINDINGS (CHEST):"

    @property
    def idle(self) -> bool:
        """Whether no heading has begun."""
        return not self._words and self._remark is None

    @property
    def complete(self) -> bool:
        """Whether the words so far are a heading, if what follows says so too."""
        return self._words in HEADINGS and self._remark is None

    @property
    def section(self) -> Section | None:
        return HEADINGS[self._words]

    def word(
        self, word: str, start: int, end: int, *, before: str, opening: bool, line: bool
    ) -> None:
        """A word ended. ``before`` is the word before it; ``opening`` is true at the start of a
        sentence or line, ``line`` when nothing stands before it on its line but marks."""
        if self._remark is not None and self._remark < _REMARK_WORDS:
            self._remark += 1
            return
        if not opening and not self._words and word[0].islower():
            return
        bare = word.strip("_")
        longer = (*self._words, bare.casefold())
        if self._words and longer in _BEGINNINGS:
            self._words, self.end = longer, end
            self._capitals = self._capitals and bare.isupper()
            return
        self.forget()
        if longer[-1:] not in _BEGINNINGS:
            return
        capitalised = bare[0].isupper()
        if opening or (capitalised and before.casefold() not in PROSE_BEFORE_HEADING):
            self._words, self.start, self.end = longer[-1:], start, end
            self._opening, self._line = opening, line
            self._capitalised, self._capitals = capitalised, bare.isupper()

    def mark(self, char: str, at: int, spaced: bool) -> bool:
        """A mark follows at offset ``at``; ``spaced`` when white space stands before it. True when
        that makes the words a heading."""
        if not self._words or char in _TRANSPARENT or (self._remark is not None and char in ",/-"):
            return False
        if self._remark is not None:
            if char != ")":
                self.forget()
            self._remark, self.end = None, at + 1
            return False
        if self.complete:
            if char == ":" or (char in DASHES and spaced and self.before_text):
                return True
            if char == "(" and self._opening and self._capitalised:
                self._remark = 0
                return False
        if char in "/&" and (*self._words, "and") in _BEGINNINGS:
            self._words = (*self._words, "and")
        elif char != "-" or self._words != ("x",):
            self.forget()
        return False

    @property
    def stands_alone(self) -> bool:
        """Whether the words are a heading if they are a sentence of their own."""
        return self.complete and (self._capitals or (self._capitalised and self._line))

    def line_end(self, marked: bool) -> bool:
        """The line ends. True when it held a heading alone; ``marked`` is true of Markdown."""
        if self.complete and self._line and (self._capitalised or marked):
            return True
        self.forget()
        return False

    @property
    def before_text(self) -> bool:
        """Whether the words are a heading if mixed-case text or a list follows at once."""
        return self.complete and self._opening and self._capitals and self.section is not None
