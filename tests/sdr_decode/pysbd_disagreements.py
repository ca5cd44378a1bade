"""Where these rules and pysbd part over the whole Open-i corpus, by kind, and who is right.

Every disagreement was read. Where pysbd was right the rules were mended; what is left is below,
with the number of places. A place is a boundary that only one of the two sees, counted between
letters and digits, so that nobody is blamed for where white space and stops go.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Place:
    """``text`` before and after a boundary that ``seen_by`` sees alone. ``heading`` is true at
    either end of a heading."""

    seen_by: Literal["ours", "pysbd"]
    before: str
    after: str
    heading: bool


@dataclass(frozen=True)
class DisagreementKind:
    name: str
    right: Literal["ours", "pysbd", "either"]
    why: str
    places: int
    holds: Callable[[Place], bool]


def _ours(place: Place) -> bool:
    return place.seen_by == "ours" and not place.heading and not _bracketed(place)


def _bracketed(place: Place) -> bool:
    return place.before.rfind("[") > place.before.rfind("]")


KINDS = (
    DisagreementKind(
        "no space after the stop",
        "ours",
        "Two sentences glued together; pysbd needs white space.",
        15,
        lambda p: _ours(p) and re.match(r"\.[A-Z]", p.after) is not None,
    ),
    DisagreementKind(
        "heading within the text",
        "ours",
        "Whole reports pasted into a section bring headings, which are no part of a sentence.",
        11,
        lambda p: p.seen_by == "ours" and p.heading,
    ),
    DisagreementKind(
        "brackets around several sentences",
        "ours",
        "pysbd keeps what stands in brackets together, however many sentences it is.",
        4,
        lambda p: p.seen_by == "ours" and not p.heading and _bracketed(p),
    ),
    DisagreementKind(
        "list begins behind a title without stop",
        "ours",
        "The name of a body part, then item 1: pysbd leaves the number with the title.",
        6,
        lambda p: _ours(p) and re.match(r":? \d\. [A-Z]", p.after) is not None,
    ),
    DisagreementKind(
        "number torn from its list item",
        "ours",
        "pysbd makes the number of an item a sentence, or the end of the one before.",
        19,
        lambda p: p.seen_by == "pysbd" and re.search(r"(?:^|\s)\d$", p.before) is not None,
    ),
    DisagreementKind(
        "time of day before a blanked date",
        "ours",
        "A date follows the time of a phone call; pysbd takes the blank for a new sentence.",
        4,
        lambda p: p.seen_by == "pysbd" and re.search(r"[ap]\.m$", p.before) is not None,
    ),
)
