"""The sentence that is still being read, and the rules that close it.

Line ends. A line end after an ordinary full stop ends the sentence. Without one, a blank line, a
list marker, a bullet, a Markdown mark or a heading on the next line does. So does a capital letter,
unless the line looks wrapped: it is 60 to 90 columns wide, or ends with a comma or a word that
needs another ("of", "the"). Everything else goes on with the sentence.

Sub-headings. ``Lungs: Clear.`` is one sentence, for ``Clear.`` alone says little. ``Lungs:`` on
a line of its own or before a list is a heading that leaves the section as it is, and so are unknown
headings in Markdown (``## Heart``, ``**Heart**``).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from sdr_decode.characters import (
    BULLETS,
    DASHES,
    INNER_BULLETS,
    MARK,
    NEWLINE,
    SPACE,
    WORD,
    Kind,
    kind_of,
)
from sdr_decode.cursor import Cursor
from sdr_decode.list_markers import ListMarker
from sdr_decode.sections import HeadingMatcher
from sdr_decode.sentences import Section
from sdr_decode.stops import TERMINATORS, Stop, Verdict
from sdr_decode.vocabulary import BEFORE_NUMBERS, NEVER_LAST
from sdr_decode.words import WORD_LIMIT, Words

WRAP_COLUMNS = range(60, 91)  # MIMIC-CXR wraps at about 80; chat models do not wrap
SUBHEADING_WORDS = 4
MARKDOWN_HEADING_WORDS = 12

_EMPHASIS = frozenset("*#`")
_HANGING = DASHES | frozenset(",(/&")
_MARKER_STARTS = frozenset("0123456789(")
_GLUED_FROM = len("xFindings")
# "... with tip in the stomachImpression: ..."
_GLUED_HEADING = re.compile(r"(.*[a-z0-9X])(Findings|FINDINGS|Impression|IMPRESSION)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Cut:
    """Where a sentence ends, and where reading goes on; between them stands a list marker or, if
    ``heading``, a heading. ``section`` is its section unless it ``keeps_section``. ``item`` is
    the number of the list item. ``line_first`` is true when the place opens its line."""

    end: int
    resume: int
    heading: bool = False
    section: Section | None = None
    keeps_section: bool = False
    item: int | None = None
    line_first: bool = False


class OpenSentence:
    """A sentence that began at offset ``start`` and is not closed yet.

    ``settle`` is asked before each character is taken, ``end_word`` when a word ended before it;
    both return the ``Cut`` that the character makes certain, if any. ``grow`` takes the character.
    ``item`` is the number of the list item that it belongs to; ``markdown`` is "#" or "**" when
    that opens its line.
    """

    def __init__(self, cursor: Cursor, item: int | None, markdown: str) -> None:
        self.start = cursor.at
        self.solid = cursor.at  # the offset behind the last character that is not white space
        self._cursor = cursor
        self._item = item
        self._markdown = markdown
        self._opens_line = cursor.line_first
        self._buffer: list[str] = []
        self._words = Words()
        self._marks_from = self.start  # where the marks of emphasis before the next word began
        self._stop: Stop | None = None
        self._title: Cut | None = None  # "IMPRESSION.", if that is the whole sentence
        self._broken = False  # a line end was met since the last solid character
        self._may_break = False  # ... and a capital letter ends the sentence there
        self._marker: ListMarker | None = None
        self._bullet: int | None = None
        self._heading = HeadingMatcher()

    def source(self, start: int, end: int) -> str:
        """The source between two offsets that were taken."""
        return "".join(self._buffer[start - self.start : end - self.start])

    @property
    def in_word(self) -> bool:
        return bool(self._words.word)

    @property
    def quiet(self) -> bool:
        """Whether more letters can only lengthen the word that was begun."""
        length = len(self._words.word)
        return (
            length > 0
            and self._marker is None
            and (self._stop is None or not self._stop.wants_word)
            and (length > 1 or not self._heading.before_text)
        )

    @property
    def idle(self) -> bool:
        """Whether a space was taken, nothing is awaited, and no word has begun that could be one of
        a heading: then lower-case words can only follow each other."""
        return (
            self._cursor.last == " "
            and self._stop is None
            and self._marker is None
            and self._bullet is None
            and not self._broken
            and not self._cursor.line_first
            and self._heading.idle
            and self._words.count > 0
        )

    @property
    def _last_solid(self) -> str:
        return self._buffer[self.solid - 1 - self.start]

    # -- taking characters

    def lead(self, decimal_point: str) -> None:
        """The point of ``.5 cm`` opens the sentence; the cursor is behind it."""
        self.start -= 1
        self._buffer.append(decimal_point)

    def grow(self, char: str, kind: Kind) -> None:
        """Take the character at the cursor."""
        if kind is WORD:
            if not self._words.word:
                self._begin_word(char)
            self._words.letters(char)
        elif kind is MARK:
            self._add_mark(char)
        else:
            self._words.space()
            if kind is NEWLINE:
                self._may_break = self._stop is None and not self._looks_wrapped()
                self._broken = True
        if kind is WORD or kind is MARK:
            self.solid = self._cursor.at + 1
            self._broken = False
        self._buffer.append(char)

    def grow_letters(self, letters: str) -> None:
        """Take letters while ``quiet``."""
        self._words.letters(letters)
        self._buffer.extend(letters)
        self.solid = self._cursor.at + len(letters)

    def grow_words(self, whole: str, begun: str) -> None:
        """Take lower-case words while ``idle``: whole ones, each with a space and perhaps a comma
        before that, and the beginning of another."""
        self._buffer.extend(whole)
        self._buffer.extend(begun)
        at = self._cursor.at + len(whole)
        self.solid = at + len(begun) if begun else at - 1
        self._words.several(whole)
        if begun:
            self._words.begin(at, opening=False, line=False)
            self._words.letters(begun)

    def _begin_word(self, char: str) -> None:
        cursor, words = self._cursor, self._words
        if char in _MARKER_STARTS:
            self._try_marker(char)
        marked = cursor.last in _EMPHASIS and self._buffer
        opening = (
            cursor.line_first
            or self._stop is not None
            or cursor.last in TERMINATORS
            or not words.count
        )
        start = self._marks_from if marked else cursor.at
        words.begin(start, opening=opening, line=cursor.line_first)
        cursor.line_first = False

    def _add_mark(self, char: str) -> None:
        cursor = self._cursor
        if char in TERMINATORS and self._stop is None and self._buffer:
            self._add_stop(char)
        if char == "(":
            self._try_marker(char)
        if char in _EMPHASIS and cursor.last not in _EMPHASIS:
            self._marks_from = cursor.at
        cursor.line_first = cursor.line_first and char in _EMPHASIS
        self._words.mark(char)

    def _add_stop(self, char: str) -> None:
        spaced = self._cursor.last.isspace()
        if char == "?" and (spaced or self._cursor.last == "("):
            return  # "? pneumonia": a query, not an end
        words = self._words if kind_of(self._last_solid) is WORD else Words()
        kind, word = words.stop_kind()
        self._stop = Stop(self._cursor.at + 1, char, kind, word, spaced)

    def _try_marker(self, char: str) -> None:
        """A number of a list may begin here."""
        running = bool(self._buffer) and not self._cursor.line_first
        if running and (
            char == "("
            or not self._cursor.last.isspace()
            or self._last_solid == "."
            or self._words.before.casefold() in BEFORE_NUMBERS
        ):
            return
        marker = ListMarker(self._cursor.at, running=running, line=self._cursor.line_first)
        if marker.see(char, self._cursor.at, False) is Verdict.WAIT:
            self._marker = marker

    def _looks_wrapped(self) -> bool:
        return (
            self._cursor.width in WRAP_COLUMNS
            or self._last_solid in _HANGING
            or self._words.before.casefold() in NEVER_LAST
        )

    # -- closing

    def end_word(self, after: str) -> Cut | None:
        """The word ends before ``after`` ("" at the end of the text)."""
        if cut := self._settle_awaited(after):
            return cut
        words, at = self._words, self._cursor.at
        glued = _GLUED_FROM <= len(words.word) < WORD_LIMIT and _GLUED_HEADING.fullmatch(words.word)
        if glued:
            before, word = glued.groups()
            self._heading.word(word, at - len(word), at, before=before, opening=False, line=False)
        else:
            self._heading.word(
                words.word,
                words.start,
                at,
                before=words.before,
                opening=words.opening,
                line=words.line,
            )
        words.end()
        return None

    def settle(self, char: str, kind: Kind) -> Cut | None:
        """What ``char`` at the cursor makes certain."""
        if self._words.word and kind is WORD:
            return self._settle_marker(char, False) or self._settle_in_word(char)
        space = kind is SPACE or kind is NEWLINE
        cut = (
            self._settle_marker(char, space)
            or self._settle_bullet(char)
            or self._settle_stop(char, kind)
        )
        if cut is not None:
            return cut
        if kind is NEWLINE:
            return Cut(self.solid, self.solid) if self._broken else self.heading_line()
        if space:
            return None
        line_first = self._cursor.line_first and self._broken
        if (line_first and self._breaks_before(char)) or (
            char in INNER_BULLETS and self._cursor.last.isspace()
        ):
            return Cut(self.solid, self.solid)
        if kind is MARK:
            if char == "." and self._heading.stands_alone and self._heading.start == self.start:
                self._title = self._title_before(self._cursor.at + 1)
            headed = self._heading.mark(char, self._cursor.at, self._cursor.last.isspace())
        else:
            headed = char.isdecimal() and self._cursor.last.isspace() and self._heading.before_text
        return self._cut_heading() if headed else None

    def _settle_in_word(self, char: str) -> Cut | None:
        word = self._words.word
        if len(word) == 1 and word.isupper() and char.islower() and self._heading.before_text:
            return self._cut_heading()
        return self._settle_awaited("") if len(word) == WORD_LIMIT else None

    def _settle_awaited(self, after: str) -> Cut | None:
        """The word that a stop waits for is known, as far as it will be."""
        stop = self._stop
        if stop is None or not stop.wants_word:
            return None
        self._stop = None
        verdict = stop.word(self._words.word, after)
        return self._cut_stop(stop) if verdict is Verdict.YES else None

    def _settle_stop(self, char: str, kind: Kind) -> Cut | None:
        stop = self._stop
        if stop is None:
            return None
        if kind is MARK:
            if stop.extend(char, self._cursor.at + 1):
                return None
            verdict = stop.mark(char)
        elif kind is WORD:
            verdict = stop.word_start(char)
        else:
            verdict = stop.space(kind is NEWLINE)
        if verdict is Verdict.NO:
            self._stop = None
        return self._cut_stop(stop) if verdict is Verdict.YES else None

    def _cut_stop(self, stop: Stop) -> Cut:
        title = self._title
        if title is None or self.source(title.resume, stop.cut).strip("*"):
            return Cut(stop.cut, stop.cut)
        return replace(title, resume=stop.cut)

    def _settle_marker(self, char: str, space: bool) -> Cut | None:
        marker = self._marker
        if marker is None:
            return None
        verdict = marker.see(char, self._cursor.at, space)
        if verdict is Verdict.WAIT:
            return None
        self._marker = None
        # a list within a line begins, or goes on by one
        if verdict is Verdict.NO or (
            marker.running and marker.number not in (1, (self._item or 0) + 1)
        ):
            return None
        return self._cut_marker(marker)

    def _cut_marker(self, marker: ListMarker) -> Cut:
        before = self.source(self.start, marker.start).rstrip()
        # the digits were counted as a word
        if before.endswith(":") and self._opens_line and self._words.count <= SUBHEADING_WORDS + 1:
            end = self.start + len(before)
            return Cut(self.start, end, heading=True, keeps_section=True)
        return Cut(marker.start, marker.end, item=marker.number, line_first=marker.line)

    def _settle_bullet(self, char: str) -> Cut | None:
        bullet, self._bullet = self._bullet, None
        last = self._cursor.last
        if bullet is not None and (
            char.isspace() or char == "*" == last or (char.isupper() and last != "*")
        ):
            return Cut(bullet, bullet, line_first=True)
        return None

    def _breaks_before(self, char: str) -> bool:
        """Whether ``char`` at the start of a line ends the sentence of the line before."""
        if char in DASHES or char == "*":
            self._bullet = self._cursor.at  # the next character decides
            return False
        return char in BULLETS or char == "#" or (self._may_break and char.isupper())

    def _title_before(self, end: int) -> Cut:
        return Cut(self.start, end, heading=True, section=self._heading.section)

    def _cut_heading(self) -> Cut:
        heading = self._heading
        return Cut(heading.start, heading.end, heading=True, section=heading.section)

    def heading_line(self) -> Cut | None:
        """Whether the line that ends at the cursor is a heading."""
        if self._stop is not None:
            return None
        last, words = self._last_solid, self._words.count
        marked = self._markdown == "#" or (self._markdown == "**" and last == "*")
        if self._heading.line_end(marked or last in "*_"):
            heading = self._heading
            return Cut(heading.start, self.solid, heading=True, section=heading.section)
        if self._opens_line and (
            (last == ":" and words <= SUBHEADING_WORDS)
            or (marked and words <= MARKDOWN_HEADING_WORDS)
        ):
            return Cut(self.start, self.solid, heading=True, keeps_section=True)
        return None

    def end(self) -> Cut | None:
        """The text ends. The cut before its last heading or list marker, if it ends with one."""
        marker = self._marker
        if marker is not None and marker.closed and not marker.running:
            return Cut(marker.start, marker.end)
        return self.heading_line() if self._stop is None else self._cut_stop(self._stop)
