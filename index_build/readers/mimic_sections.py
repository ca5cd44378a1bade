"""Cuts the free text of a MIMIC-CXR report into what the index wants of it.

The names of the headings, and what stands in where neither findings nor impression is headed, are
those of the section scripts that the corpus's authors publish with it (MIT-LCP/mimic-cxr, ``txt``):
a conclusion is an impression, "chest, two views" heads findings, and a report with neither section
gives what follows the first paragraph of its last one. That is not called an impression here: it
is text without a section. Unlike those scripts, which keep the last of two sections with one name,
both are kept, because an index wants every sentence that was written; and "findings and
impression" is the one that it names first, as everywhere in this package.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from sdr_decode.invisible import visible
from sdr_decode.sections import HEADINGS

# "aside" is what is not the reading itself: a wet read, an addendum's prose, whom it was told to.
Part = Literal["findings", "impression", "body", "aside", "other"]


@dataclass(frozen=True, slots=True)
class ReportParts:
    """``text`` is set only where both sections are absent."""

    findings: str | None
    impression: str | None
    text: str | None


# Headings that only MIMIC-CXR has; all others are those of the package's own sentence rules.
_MIMIC_HEADINGS = frozenset(
    {
        *("comment", "comparison exam", "comparison film", "comparison films", "date"),
        *("patient history", "pfi", "reference exam"),
    }
)
_ASIDES = frozenset(
    {
        *("addendum", "addenda", "final addendum", "notification", "notifications"),
        *("preliminary read", "preliminary report", "recommendation", "recommendations"),
        *("recommendation(s)", "wet read", "wet reading", "wetread"),
    }
)

# "PA AND LATERAL VIEWS OF THE CHEST:", "CHEST, TWO VIEWS:"
_VIEW = re.compile(r"\b(?:VIEWS?|CHEST|PORTABLE|PA|AP|LATERAL|FRONTAL|RADIOGRAPHS?)\b")

_COLON_HEADING = re.compile(r"[ \t]*([A-Za-z][A-Za-z ,/()&.-]{1,60}?)[ \t]*:")
_STOPPED_HEADING = re.compile(r"[ \t]*([A-Z][A-Za-z /&-]{1,60}?)[ \t]*\.(?=\s|$)")
_BARE_HEADING = re.compile(
    r"[ \t]*(FINAL REPORT|WET READ|PRELIMINARY REPORT|(?:FINAL )?ADDENDUM)[ \t]*$"
)
_RULE = re.compile(r"[ \t]*_{10,}[ \t]*$")
_VERSION = re.compile(r"^[ \t]*WET READ VERSION\b", re.IGNORECASE)
_BLANK_LINE = re.compile(r"\n[ \t]*\n")


def split_report(text: str) -> ReportParts:
    """The sections of a report. Line breaks are kept: the sentence rules know hard wraps."""
    lines = visible(text).replace("\r\n", "\n").replace("\r", "\n").split("\n")
    pieces: list[tuple[Part, list[str]]] = [("body", [])]
    final_report = _last_final_report(lines)
    for number, line in enumerate(lines):
        if number < final_report or _RULE.match(line):
            # A wet read, and whatever else came before the final report, is superseded by it.
            if pieces[-1][0] == "aside":
                pieces.append(("body", []))
            continue
        part, rest = _heading(line, pieces[-1][0])
        if part is not None:
            pieces.append((part, [rest]))
        else:
            pieces[-1][1].append(line)
    findings, impression = _joined(pieces, "findings"), _joined(pieces, "impression")
    if findings is None and impression is None:
        return ReportParts(None, None, _last_paragraphs(pieces))
    return ReportParts(findings, impression, None)


def _last_final_report(lines: list[str]) -> int:
    """The line of the last FINAL REPORT that something follows, or 0."""
    for number in range(len(lines) - 1, -1, -1):
        if _heading(lines[number], "body")[0] == "body" and any(
            map(str.strip, lines[number + 1 :])
        ):
            return number
    return 0


def _heading(line: str, inside: Part) -> tuple[Part | None, str]:
    """What ``line`` starts, if it is a heading, and what stands behind the heading."""
    bare = _BARE_HEADING.match(line)
    if bare:
        return _known_part(bare[1]), ""
    stopped = _STOPPED_HEADING.match(line)  # "IMPRESSION. No change."
    known = _known_part(stopped[1]) if stopped else None
    if stopped and (known in ("findings", "impression") or (known and stopped[1].isupper())):
        return known, line[stopped.end() :]
    found = _COLON_HEADING.match(line)
    if found is None or _VERSION.match(line):
        return None, ""
    name = " ".join(found[1].split())
    rest = line[found.end() :]
    known = _known_part(name)
    # "date:" or "study:" in running text is no heading; "impression:" is one in any case.
    if known in ("findings", "impression") or (known is not None and name[0].isupper()):
        return known, rest
    # Capitals name the views that the findings then describe; inside a section they are a part of
    # it, such as "HEART:" or "RIGHT CHEST TUBE:".
    if known is None and inside not in ("findings", "impression") and name.isupper():
        return ("findings" if _VIEW.search(name) else "other"), rest
    return None, ""


def _known_part(name: str) -> Part | None:
    words = re.sub(r"[/&]", " and ", name.lower()).replace("-", " ").split()
    plain = " ".join(words)
    if plain == "final report":
        return "body"
    if plain in _ASIDES:
        return "aside"
    if plain in _MIMIC_HEADINGS:
        return "other"
    heading = tuple(words)
    return (HEADINGS[heading] or "other") if heading in HEADINGS else None


def _joined(pieces: list[tuple[Part, list[str]]], wanted: Part) -> str | None:
    texts: list[str] = []
    for part, lines in pieces:
        text = "\n".join(lines).strip()
        if part == wanted and text and text not in texts:
            texts.append(text)
    return "\n\n".join(texts) or None


def _last_paragraphs(pieces: list[tuple[Part, list[str]]]) -> str | None:
    """What follows the first paragraph of the last section, or all of a text without headings."""
    readings = [lines for part, lines in pieces if part != "aside" and any(map(str.strip, lines))]
    if not readings:
        return None
    paragraphs = [p.strip() for p in _BLANK_LINE.split("\n".join(readings[-1])) if p.strip()]
    # The first paragraph is the heading's own (an indication, a technique) or the report's title.
    headed = any(part == "other" for part, _ in pieces)
    if len(paragraphs) == 1 and not headed:
        return paragraphs[0]
    return "\n\n".join(paragraphs[1:]) or None
