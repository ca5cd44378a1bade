"""Splits a report into sentences while it streams in.

An automaton that reads one character at a time and looks ahead by at most one word and a
character, so that its sentences depend on the text alone and never on how it was cut into chunks.
A sentence is open until it is closed, and closed for ever. What is still open may be cut at
a heading or list marker that only its last character made one.
"""

from __future__ import annotations

import re

from sdr_decode.characters import (
    BULLETS,
    CLOSING_QUOTES,
    DASHES,
    MARK,
    NEWLINE,
    SPACE,
    WORD,
    Kind,
    kind_of,
    readable,
)
from sdr_decode.cursor import Cursor
from sdr_decode.invisible import VisibleText
from sdr_decode.open_sentence import Cut, OpenSentence
from sdr_decode.sections import Heading
from sdr_decode.sentences import Section, Sentence

# marks that open no sentence
_LEADING = BULLETS | DASHES | CLOSING_QUOTES | frozenset("*.…,;:!)]}#>|`")
_SAYS = re.compile(r"[^\W_]")  # a letter or a digit
_LETTERS = re.compile(r"[A-Za-z]+")
# Lower-case words in a row, the last perhaps only begun, none longer than ``WORD_LIMIT``.
_PLAIN_WORDS = re.compile(r"((?:[a-z]{1,31},? )*)([a-z]{0,31})")


class Segmenter:
    """The sentences of one streamed text, as they close.

    ``headings`` holds the headings so far; ``skipped`` the spans ``(start, end)`` of list markers
    and of marks that belong to no sentence, a heading's colon among them. Every character that is
    neither white space nor invisible lies within exactly one sentence, heading or skipped span,
    and each of those begins and ends with such a character. ``section`` is that of the text being
    read. Offsets count code points of the text as it was fed.
    """

    def __init__(self) -> None:
        self.headings: list[Heading] = []
        self.skipped: list[tuple[int, int]] = []
        self.section: Section | None = None
        self._visible = VisibleText()
        self._cursor = Cursor()  # in what is visible, as are all offsets but those that are given
        self._open: OpenSentence | None = None
        self._item: int | None = None  # the number of the last list item
        self._markdown = ""  # "#" or "**" where that opens the line
        self._skip: tuple[int, int] | None = None  # marks that no sentence has followed yet
        self._skip_before = 0  # where those end without the last of them
        self._closed: list[Sentence] = []
        self._finished = False

    def feed(self, text: str) -> list[Sentence]:
        """The sentences that close with ``text``, in order. ``ValueError`` after ``finish``."""
        if self._finished:
            raise ValueError("feed() after finish(): use a new Segmenter for a new text")
        self._closed = []
        text = self._visible.take(text)
        at = 0
        while at < len(text):
            taken = 0 if self._open is None else self._take_at_once(self._open, text, at)
            if not taken:
                self._step(text[at])
            at += taken or 1
        return self._closed

    def finish(self) -> list[Sentence]:
        """The end of the text: the sentences still open. Empty when called again."""
        self._closed = []
        if not self._finished:
            self._finished = True
            while self._open is not None:
                while self._open is not None and self._open.in_word:
                    cut = self._open.end_word("")
                    if cut is not None:
                        self._apply(cut)
                if self._open is not None:
                    solid = self._open.solid
                    self._apply(self._open.end() or Cut(solid, solid))
            self._close_skip()
        return self._closed

    def _take_at_once(self, sentence: OpenSentence, text: str, at: int) -> int:
        """How many characters were taken because no rule can look at them one by one."""
        if sentence.idle:
            plain = _PLAIN_WORDS.match(text, at)
            if plain is None or not plain.group():
                return 0
            sentence.grow_words(*plain.groups())
            self._cursor.advance_words(plain.group())
            return len(plain.group())
        if not sentence.quiet:
            return 0
        letters = _LETTERS.match(text, at)
        if letters is None:
            return 0
        sentence.grow_letters(letters.group())
        self._cursor.advance_words(letters.group())
        return len(letters.group())

    def _step(self, char: str) -> None:
        kind = kind_of(char)
        if char == "\n" and self._cursor.last == "\r":  # CRLF is one line end
            kind = SPACE
        if kind is not WORD:
            while self._open is not None and self._open.in_word:
                cut = self._open.end_word(char)
                if cut is not None:
                    self._apply(cut)
        while self._open is not None:
            cut = self._open.settle(char, kind)
            if cut is None:
                break
            self._apply(cut)
        if self._open is None:
            self._lead(char, kind)
        if self._open is not None:
            self._open.grow(char, kind)
        self._cursor.advance(char, kind)

    def _lead(self, char: str, kind: Kind) -> None:
        """No sentence is open: skip the character, or open a sentence with it."""
        cursor = self._cursor
        if kind is SPACE:
            return
        if kind is NEWLINE:
            self._markdown = ""
        elif kind is MARK and char in _LEADING:
            begin, self._skip_before = self._skip or (cursor.at, cursor.at)
            self._skip = (begin, cursor.at + 1)
            if cursor.line_first and self._markdown != "#":
                starred = char == "*" == cursor.last
                self._markdown = "#" if char == "#" else "**" if starred else ""
        else:
            self._open = OpenSentence(cursor, self._item, self._markdown)
            if char.isdecimal() and cursor.last == "." and self._skip is not None:
                self._open.lead(".")
                self._skip = (self._skip[0], self._skip_before)
            self._close_skip()
            self._markdown = ""

    def _close_skip(self) -> None:
        if self._skip is not None and self._skip[0] < self._skip[1]:
            self.skipped.append(self._visible.span(*self._skip))
        self._skip = None

    def _apply(self, cut: Cut) -> None:
        """Close the open sentence at ``cut`` and take anew what was taken behind it: one word at
        most, and white space."""
        taken = self._open
        if taken is None:
            return
        self._close(taken.source(taken.start, cut.end), taken.start)
        between = taken.source(cut.end, cut.resume)
        if cut.heading:
            if not cut.keeps_section:
                self.section = cut.section
            text = readable(between).strip("*#_`:. ")
            span = self._visible.span(cut.end, cut.resume)
            self.headings.append(Heading(text, self.section, *span))
            self._item = None
        elif between:
            self.skipped.append(self._visible.span(cut.end, cut.resume))
            self._item = cut.item
        if cut.resume == self._cursor.at and not cut.line_first:
            self._open = None
            self._cursor.line_first = False
            return
        rest = taken.source(cut.resume, self._cursor.at)
        last = taken.source(cut.resume - 1, cut.resume)
        self._cursor.go_back(cut.resume, last, line_first=cut.line_first)
        self._open = None
        for char in rest:
            self._step(char)

    def _close(self, source: str, start: int) -> None:
        source = source.rstrip()
        if not source:
            return
        span = self._visible.span(start, start + len(source))
        if _SAYS.search(source):
            self._closed.append(Sentence(readable(source), self.section, *span))
        else:
            self.skipped.append(span)


def split_sentences(text: str) -> list[Sentence]:
    """The sentences of a whole report, in order, each with its section and its span.

    Headings and list markers are not sentences. Blanks such as ``XXXX.`` are: see
    ``sentences.is_sentence``.
    """
    segmenter = Segmenter()
    return [*segmenter.feed(text), *segmenter.finish()]
