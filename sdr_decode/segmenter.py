"""Splits a report into sentences while it streams in.

An automaton that reads one character at a time and looks ahead by at most one word and a
character, so that its sentences depend on the text alone and never on how it was cut into chunks.
A sentence is open until it is closed, and closed for ever. What is still open may be cut at
a heading or list marker that only its last character made one.

Line ends. A line end after an ordinary full stop ends the sentence. Without one, a blank line, a
list marker, a bullet, a Markdown mark or a heading on the next line does. So does a capital letter,
unless the line looks wrapped: it is 60 to 90 columns wide, or ends with a comma or a word that
needs another ("of", "the"). Everything else goes on with the sentence.

Sub-headings. ``Lungs: Clear.`` is one sentence, for ``Clear.`` alone says little. ``Lungs:`` on
a line of its own is a heading that leaves the section as it is, and so are unknown headings in
Markdown (``## Heart``, ``**Heart**``).
"""

from __future__ import annotations

import re

from sdr_decode.characters import Kind, kind_of, scored
from sdr_decode.list_markers import LABELS, ListMarker
from sdr_decode.sections import Heading, HeadingMatcher
from sdr_decode.sentences import Section, Sentence
from sdr_decode.stops import TERMINATORS, Stop, Verdict
from sdr_decode.words import WORD_LIMIT, Words

WRAP_COLUMNS = range(60, 91)  # MIMIC-CXR wraps at about 80; chat models do not wrap

_SURE_BULLETS = frozenset("•●▪◦‣·")
_LEADING = _SURE_BULLETS | frozenset("-*–—.…,;:!)]}#>|`”’»\ufeff\u200b\u200e\u200f")
_EMPHASIS = frozenset("*#`")
_DANGLING = frozenset(
    """a an and are as at be but by for from has have in into is may no of on or over per than that
    the to versus vs was were which with within without""".split()
)
_LETTERS = re.compile(r"[A-Za-z]+")
# "... with tip in the stomachImpression: ..."
_GLUED_HEADING = re.compile(r"(.*[a-z0-9X])(Findings|FINDINGS|Impression|IMPRESSION)", re.DOTALL)
_SUBHEADING_WORDS = 4
_MARKDOWN_HEADING_WORDS = 12


class Segmenter:
    """The sentences of one streamed text, as they close.

    ``headings`` holds the headings so far; ``skipped`` the spans ``(start, end)`` of list markers
    and of marks that belong to no sentence, a heading's colon among them. Every character that is
    not white space lies within exactly one sentence, heading or skipped span. ``section`` is that
    of the text being read. Offsets count code points.
    """

    def __init__(self) -> None:
        self.headings: list[Heading] = []
        self.skipped: list[tuple[int, int]] = []
        self.section: Section | None = None
        self._finished = False
        self._closed: list[Sentence] = []
        self._at = 0  # offset of the next character
        self._last = "\n"  # the character before it
        self._line_first = True  # nothing but marks and white space so far on this line
        self._column = 0
        self._width = 0  # of the line, trailing white space apart
        self._item: int | None = None  # the number of the open list item
        self._fresh()

    def feed(self, text: str) -> list[Sentence]:
        """The sentences that close with ``text``, in order. ``ValueError`` after ``finish``."""
        if self._finished:
            raise ValueError("feed() after finish(): use a new Segmenter for a new text")
        self._closed = []
        at = 0
        while at < len(text):
            if self._quiet and (letters := _LETTERS.match(text, at)):
                self._take_letters(letters.group())
                at = letters.end()
            else:
                self._step(text[at])
                at += 1
        return self._closed

    def finish(self) -> list[Sentence]:
        """The end of the text: the sentences still open. Empty when called again."""
        self._closed = []
        if not self._finished:
            self._finished = True
            self._end_text()
        return self._closed

    def _fresh(self) -> None:
        """No sentence is open; the next character may begin one."""
        self._buffer: list[str] = []  # the open sentence, white space and all
        self._start = self._at  # the offset of its first character
        self._solid = self._at  # the offset behind the last that is not white space
        self._skip_from: int | None = None  # where leading marks began
        self._words = Words()
        self._opens_line = False
        self._hashed = self._starred = False  # it stands behind Markdown: #, **
        self._marks_from = self._at  # where the marks of emphasis before the next word began
        self._stop: Stop | None = None
        self._break = False  # a line end was met since the last solid character
        self._may_break = False  # ... and a capital letter ends the sentence there
        self._marker: ListMarker | None = None
        self._bullet: int | None = None
        self._heading = HeadingMatcher()
        self._quiet = False  # within a word that nothing waits for

    def _step(self, char: str) -> None:
        kind = kind_of(char)
        if char == "\n" and self._last == "\r":  # CRLF is one line end
            kind = Kind.SPACE
        while self._words.word and kind is not Kind.WORD:
            self._end_word(char)
        if self._buffer:
            self._settle(char, kind)
        if self._buffer:
            self._grow(char, kind)
        else:
            self._lead(char, kind)
        self._at += 1
        self._last = char
        if kind is Kind.NEWLINE:
            self._column = 0
            self._line_first = True
        else:
            self._column += 1
            if kind is not Kind.SPACE:
                self._width = self._column

    # -- taking a character

    def _take_letters(self, letters: str) -> None:
        """What ``_step`` does with each of these, within a word that nothing waits for."""
        self._words.letters(letters)
        self._buffer.extend(letters)
        self._at += len(letters)
        self._solid = self._at
        self._last = letters[-1]
        self._column += len(letters)
        self._width = self._column

    def _lead(self, char: str, kind: Kind) -> None:
        """White space and marks before the first character of a sentence, or that character."""
        if kind is Kind.NEWLINE:
            self._hashed = self._starred = False
        elif kind is Kind.MARK and char in _LEADING:
            if self._skip_from is None:
                self._skip_from = self._at
            self._solid = self._at + 1
            if self._line_first:
                self._hashed = self._hashed or char == "#"
                self._starred = char == "*" and self._last == "*"
        elif kind is not Kind.SPACE:
            self._begin(char)
            self._grow(char, kind)

    def _begin(self, char: str) -> None:
        decimal = char.isdecimal() and self._last == "." and self._skip_from is not None
        self._start = self._at - 1 if decimal else self._at  # ".5 cm"
        if self._skip_from is not None and self._skip_from < self._start:
            self.skipped.append((self._skip_from, min(self._solid, self._start)))
        self._skip_from = None
        self._opens_line = self._line_first
        if decimal:
            self._buffer.append(".")
        elif char.isdecimal() or char == "(":
            self._start_marker(char, running=False)

    def _grow(self, char: str, kind: Kind) -> None:
        """The character joins the open sentence."""
        if kind is Kind.WORD:
            if not self._words.word:
                self._begin_word()
            self._words.letters(char)
        elif kind is Kind.MARK:
            if char in TERMINATORS and self._stop is None:
                self._add_stop(char)
            if char in _EMPHASIS and self._last not in _EMPHASIS:
                self._marks_from = self._at
            self._line_first = self._line_first and char in _EMPHASIS
            self._words.mark(char)
        else:
            self._words.space()
            if kind is Kind.NEWLINE:
                self._may_break = self._stop is None and not self._looks_wrapped()
                self._break = True
        if kind in (Kind.WORD, Kind.MARK):
            self._solid = self._at + 1
            self._break = False
        self._buffer.append(char)
        awaited = self._marker is not None or (self._stop is not None and self._stop.wants_word)
        self._quiet = len(self._words.word) > 1 and not awaited

    def _begin_word(self) -> None:
        marked = self._last in _EMPHASIS and self._marks_from >= self._start
        opening = (
            self._line_first
            or self._stop is not None
            or self._last in TERMINATORS
            or not self._words.count
        )
        self._words.begin(
            self._marks_from if marked else self._at, opening=opening, line=self._line_first
        )
        self._line_first = False

    def _end_word(self, after: str) -> None:
        words = self._words
        if self._stop is not None and self._stop.wants_word and self._await_word(after):
            return
        if len(words.word) < WORD_LIMIT and (glued := _GLUED_HEADING.fullmatch(words.word)):
            before, word = glued.groups()
            self._heading.word(
                word, self._at - len(word), self._at, before=before, opening=False, line=False
            )
        else:
            self._heading.word(
                words.word,
                words.start,
                self._at,
                before=words.before,
                opening=words.opening,
                line=words.line,
            )
        words.end()

    def _add_stop(self, char: str) -> None:
        spaced = self._last.isspace()
        if not self._buffer or (char == "?" and (spaced or self._last == "(")):
            return  # "? pneumonia": a query, not an end
        word_before = kind_of(self._buffer[self._solid - 1 - self._start]) is Kind.WORD
        kind, word = self._words.stop_kind() if word_before else Words().stop_kind()
        self._stop = Stop(self._at + 1, char, kind, word, spaced)

    def _looks_wrapped(self) -> bool:
        return (
            self._width in WRAP_COLUMNS
            or self._buffer[self._solid - 1 - self._start] in ",-–—(/&"
            or self._words.before.casefold() in _DANGLING
        )

    # -- deciding what the next character means for the open sentence

    def _settle(self, char: str, kind: Kind) -> None:
        """Close or cut the open sentence where ``char``, not yet taken, makes that certain."""
        if kind in (Kind.SPACE, Kind.NEWLINE):
            self._settle_marker(char, True)
            self._settle_bullet(char)
            if self._buffer:
                self._settle_stop(char, kind)
            if self._buffer and kind is Kind.NEWLINE:
                self._settle_line()
            return
        if self._words.word:  # within a word
            self._settle_within_word(char)
            return
        self._settle_marker(char, False)
        self._settle_bullet(char)
        if self._buffer:
            self._settle_stop(char, kind)
        if self._buffer and self._line_first and self._break:
            self._settle_line_start(char, kind)
        if not self._buffer:
            return
        if kind is Kind.MARK:
            if self._heading.mark(char, self._last.isspace()):
                self._cut_heading()
            elif char == "(" and self._line_first:
                self._start_marker(char, running=False)
        elif char.isdecimal():
            if self._heading.before_text and self._last.isspace():
                self._cut_heading()
            else:
                self._settle_digit(char)

    def _settle_within_word(self, char: str) -> None:
        word = self._words.word
        if self._marker is not None:
            self._settle_marker(char, False)
        if len(word) == 1 and word.isupper() and char.islower() and self._heading.before_text:
            self._cut_heading()
        elif len(word) == WORD_LIMIT and self._stop is not None and self._stop.wants_word:
            self._await_word("")

    def _settle_stop(self, char: str, kind: Kind) -> None:
        stop = self._stop
        if stop is None:
            return
        if kind is Kind.MARK:
            if stop.extend(char, self._at + 1):
                return
            verdict = stop.mark(char)
        elif kind is Kind.WORD:
            verdict = stop.word_start(char)
        else:
            verdict = stop.space(kind is Kind.NEWLINE)
        if verdict is Verdict.YES:
            self._cut(stop.cut, stop.cut)
        elif verdict is Verdict.NO:
            self._stop = None

    def _await_word(self, after: str) -> bool:
        """Settle the stop that waited for this word. True when the sentence was cut there."""
        stop = self._stop
        assert stop is not None
        self._stop = None
        if stop.word(self._words.word, after) is Verdict.YES:
            self._cut(stop.cut, stop.cut)
            return True
        return False

    def _settle_marker(self, char: str, space: bool) -> None:
        marker = self._marker
        if marker is None:
            return
        verdict = marker.see(char, self._at, space)
        if verdict is Verdict.WAIT:
            return
        self._marker = None
        # a list that runs within a line goes on by one, or begins
        expected = not marker.running or marker.number in (1, (self._item or 0) + 1)
        if verdict is Verdict.YES and expected:
            self._cut_marker(marker)

    def _settle_bullet(self, char: str) -> None:
        bullet, self._bullet = self._bullet, None
        if bullet is not None and (
            char.isspace() or (char == "*" == self._last) or (char.isupper() and self._last != "*")
        ):
            self._cut(bullet, bullet, line_first=True)

    def _settle_line(self) -> None:
        """The line ends."""
        if self._break:
            self._cut(self._solid, self._solid)
        elif self._stop is None:
            self._cut_line_if_heading()

    def _settle_line_start(self, char: str, kind: Kind) -> None:
        """The first solid character of a line."""
        if char in _SURE_BULLETS or char == "#" or (self._may_break and char.isupper()):
            self._cut(self._solid, self._solid)
        elif kind is Kind.MARK and char in "-*–—":
            self._bullet = self._at

    def _settle_digit(self, char: str) -> None:
        if self._line_first:
            self._start_marker(char, running=False)
        elif self._last.isspace():
            solid = self._buffer[self._solid - 1 - self._start]
            if solid != "." and self._words.before.casefold() not in LABELS:
                self._start_marker(char, running=True)

    def _start_marker(self, char: str, *, running: bool) -> None:
        self._marker = ListMarker(self._at, running=running, line=self._line_first)
        self._marker.see(char, self._at, False)

    # -- closing

    def _cut(
        self, end: int, resume: int, *, heading: Heading | None = None, line_first: bool = False
    ) -> None:
        """Close the open sentence at ``end`` and read on from ``resume``.

        Between them stands the heading or a list marker. What was taken behind ``resume``, one
        word at most and white space, is taken anew.
        """
        rest = self._buffer[resume - self._start :]
        last = self._buffer[resume - 1 - self._start]
        self._emit(end)
        if heading is not None:
            self.headings.append(heading)
            self.section, self._item = heading.section, None
        elif end < resume:
            self.skipped.append((end, resume))
        self._at, self._last = resume, last
        self._column -= len(rest)
        self._line_first = line_first
        self._fresh()
        for char in rest:
            self._step(char)

    def _emit(self, end: int) -> None:
        source = "".join(self._buffer[: end - self._start]).rstrip()
        span = (self._start, self._start + len(source))
        if any(kind_of(char) is Kind.WORD for char in source):
            self._closed.append(Sentence(scored(source), self.section, *span))
        elif source:
            self.skipped.append(span)

    def _cut_marker(self, marker: ListMarker) -> None:
        self._item = marker.number
        self._cut(marker.start, marker.end, line_first=marker.line)

    def _cut_heading(self) -> None:
        self._cut_as_heading(self._heading.section, self._heading.start, self._heading.end)

    def _cut_as_heading(self, section: Section | None, start: int, end: int) -> None:
        source = "".join(self._buffer[start - self._start : end - self._start])
        text = scored(source).strip("*#_`: ")
        self._cut(start, end, heading=Heading(text, section, start, end))

    def _cut_line_if_heading(self) -> bool:
        """Whether the line that ends here is a heading."""
        solid = self._buffer[self._solid - 1 - self._start]
        marked = self._hashed or (self._starred and solid == "*")
        if self._heading.line_end(marked or solid in "*_"):
            self._cut_as_heading(self._heading.section, self._heading.start, self._solid)
        elif self._opens_line and (
            (solid == ":" and self._words.count <= _SUBHEADING_WORDS)
            or (marked and self._words.count <= _MARKDOWN_HEADING_WORDS)
        ):
            self._cut_as_heading(self.section, self._start, self._solid)
        else:
            return False
        return True

    def _end_text(self) -> None:
        while self._words.word:
            self._end_word("")
        marker = self._marker
        if self._buffer and marker is not None and marker.closed and not marker.running:
            self._cut_marker(marker)
        if self._buffer and not (self._stop is None and self._cut_line_if_heading()):
            self._emit(self._solid)
        elif self._skip_from is not None:
            self.skipped.append((self._skip_from, self._solid))
        self._fresh()


def split_sentences(text: str) -> list[Sentence]:
    """The sentences of a whole report, in order, each with its section and its span.

    Headings and list markers are not sentences. Blanks such as ``XXXX.`` are: see
    ``sentences.is_sentence``.
    """
    segmenter = Segmenter()
    return [*segmenter.feed(text), *segmenter.finish()]
