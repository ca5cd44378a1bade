"""A number that says where it comes from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Source = Literal["reported", "counted", "estimated", "unknown"]
_WORST_LAST: tuple[Source, ...] = ("reported", "counted", "estimated", "unknown")


@dataclass(frozen=True, slots=True)
class Count:
    """A number of tokens and its provenance.

    ``reported`` by the provider, ``counted`` from the pieces themselves, ``estimated``, or
    ``unknown``, and then ``value`` is ``None``.
    """

    value: int | None
    provenance: Source

    def __post_init__(self) -> None:
        if (self.value is None) != (self.provenance == "unknown"):
            raise ValueError(f"a count of {self.value} cannot be {self.provenance}")

    def __str__(self) -> str:
        if self.value is None:
            return "unknown"
        return f"{self.value:,}" if self.provenance != "estimated" else f"about {self.value:,}"


UNKNOWN = Count(None, "unknown")
NOTHING = Count(0, "counted")


def less(whole: Count, part: int | None) -> Count:
    """What is left of ``whole`` without ``part``, which is taken for nothing where unknown."""
    if whole.value is None or part is None:
        return whole
    return Count(max(0, whole.value - part), whole.provenance)


def guessed(count: Count) -> Count:
    """The same number as an estimate."""
    return count if count.value is None else Count(count.value, "estimated")


def known_sum(counts: Iterable[Count]) -> int:
    """The sum of those that are known: a lower bound where some are not."""
    return sum(count.value or 0 for count in counts)


def total(counts: Iterable[Count]) -> Count:
    """The sum, as good as the worst of its parts: unknown as soon as one part is."""
    parts = list(counts)
    if any(part.value is None for part in parts):
        return UNKNOWN
    worst = max((_WORST_LAST.index(part.provenance) for part in parts), default=1)
    return Count(sum(part.value or 0 for part in parts), _WORST_LAST[worst])
