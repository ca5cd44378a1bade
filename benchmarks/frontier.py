"""Which policy saves most without loss: chosen on one half, reported on the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.comparison import Row
from benchmarks.contenders import FULL, PARALLEL, Contender, Entry

SELECTS = ("corpus", "corpus:tie=consensus", "consensus", "blend:0.8")
_MARGINS = ("0", "0.003", "0.005", "0.01", "0.015", "0.02")

SEARCH = (
    Entry(
        (
            FULL,
            "lossless",
            *(f"margin:{margin},warmup={warmup}" for margin in _MARGINS for warmup in (1, 2)),
            *(f"margin:{margin},ties={ties}" for margin in _MARGINS for ties in (2, 3, 4, 5)),
            *(f"threshold:{distance}" for distance in ("0.01", "0.02", "0.03", "0.04", "0.05")),
            *(f"quantile:{share}" for share in ("0.8", "0.9")),
            *(f"halving:{rate}" for rate in (2, 3, 4, 6)),
            *(
                f"any:margin:{margin}+halving:{rate}"
                for margin in ("0.005", "0.01", "0.02")
                for rate in (2, 3, 4, 6)
            ),
        ),
        (PARALLEL,),
        SELECTS,
    ),
    Entry(
        (FULL, "margin:0", "margin:0.005", "margin:0.01", "margin:0.02"),
        tuple(
            f"staged:{width},accept={accept}{least}"
            for width in (1, 2)
            for accept in ("0", "0.02", "0.03", "0.05", "0.1")
            for least in ("", ",least=2")
        ),
        SELECTS,
    ),
)


GROUPS = tuple((parallel, select) for parallel in (True, False) for select in SELECTS)
"""The kinds of contenders among which one is chosen: all at once or in stages, by selector."""


@dataclass(frozen=True, slots=True)
class Views:
    """The same contender on the half where something was chosen, on the other, and on all."""

    tuned: Row
    reported: Row
    everywhere: Row


def picks(views: Sequence[Views]) -> list[Views]:
    """For each of ``GROUPS`` the most saving contender of the tuning half that was not inferior
    there; none where nothing was."""
    chosen = []
    for group in GROUPS:
        fit = [each for each in views if _group(each) == group and each.tuned.not_inferior]
        if fit:
            chosen.append(max(fit, key=lambda each: each.tuned.saved.value or 0.0))
    return chosen


def steady(views: Sequence[Views], most: int = 4) -> list[Views]:
    """The most saving contenders of each of ``GROUPS`` that are not inferior on either half."""
    chosen = []
    for group in GROUPS:
        fit = [
            each
            for each in views
            if _group(each) == group and each.tuned.not_inferior and each.reported.not_inferior
        ]
        fit.sort(key=lambda each: -(each.everywhere.saved.value or 0.0))
        chosen += fit[:most]
    return chosen


def _group(views: Views) -> tuple[bool, str] | None:
    row = views.tuned
    full = (row.prune, row.launch) == (FULL, PARALLEL)
    return None if full else (row.launch == PARALLEL, row.select)


def key(row: Row) -> Contender:
    return Contender(row.prune, row.launch, row.select)
