"""Cells that were written for a web page: what a reader of the page would read."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from html.parser import HTMLParser

_BREAKS = {"br": "\n", "li": "\n- "} | dict.fromkeys(
    "div h1 h2 h3 h4 h5 h6 ol p table tr ul".split(), "\n\n"
)
_INLINE = frozenset("a b em font i span strong sub sup td th u".split())

_TAG = re.compile(
    rf"</?(?:{'|'.join((*_BREAKS, *_INLINE))})(?:\s+[\w-]+\s*=[^<>]*)?\s*/?>", re.IGNORECASE
)
_ENTITY = re.compile(r"&(?:nbsp|amp|lt|gt|quot|apos|#\d{1,7}|#[xX][0-9a-fA-F]{1,6});")


def without_markup(cell: str) -> str:
    """``cell`` without HTML tags and entities, with a line break for each ``<br>`` and paragraph.

    A cell without a tag or an entity that is usual in text comes back as it is, and so does what
    looks like another tag in one (``<the lesion>``).
    """
    if _TAG.search(cell) is None:
        return html.unescape(cell) if _ENTITY.search(cell) else cell
    page = _Page()
    page.feed(cell)
    page.close()
    return "".join(page.parts).strip()


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []

    def handle_data(self, data: str) -> None:
        self.parts.append(data)

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        if tag in _BREAKS:
            self.parts.append(_BREAKS[tag])
        elif tag not in _INLINE:
            self.parts.append(self.get_starttag_text() or "")

    def handle_startendtag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        if tag in _BREAKS:
            self.parts.append("" if tag == "li" else _BREAKS[tag])
        elif tag not in _INLINE:
            self.parts.append(f"</{tag}>")
