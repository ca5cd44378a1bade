"""Characters that show nothing. They are taken out before any rule reads the text.

A report copied from a web page, a PDF or a word processor carries zero-width spaces and joiners,
byte order marks, soft hyphens, variation selectors and stray control characters. They stand within
words as well as between them (``effu<soft hyphen>sion``), so they are no blanks: what they are
taken for is nothing.
"""

from __future__ import annotations

import re
from bisect import bisect_right

# Unicode's Default_Ignorable_Code_Point (DerivedCoreProperties.txt), and the control characters
# that are not white space.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f"
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)


def visible(text: str) -> str:
    """The text without the characters that show nothing."""
    return _INVISIBLE.sub("", text)


class VisibleText:
    """A streamed text without the characters that show nothing, and where those stood.

    ``take`` gives what is visible of the next piece; ``span`` turns offsets of what is visible into
    offsets of the source.
    """

    def __init__(self) -> None:
        self._length = 0  # of what is visible
        self._hidden: list[int] = []  # for each other character, how many visible are before it

    def take(self, text: str) -> str:
        if _INVISIBLE.search(text) is None:
            self._length += len(text)
            return text
        begin = 0
        for found in _INVISIBLE.finditer(text):
            self._length += found.start() - begin
            self._hidden.append(self._length)
            begin = found.end()
        self._length += len(text) - begin
        return visible(text)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The source's span from the visible character at ``start`` to that before ``end``."""
        last = end - 1
        hidden = self._hidden
        return start + bisect_right(hidden, start), last + bisect_right(hidden, last) + 1
