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


@dataclass(frozen=True, slots=True)
class Pick:
    """What was chosen on the tuning half, and how it did on both halves."""

    tuned: Row
    reported: Row


def picks(tuning: Sequence[Row], report: Sequence[Row]) -> list[Pick]:
    """For each kind of launch and selector the most saving contender of the tuning half that was
    not inferior there; none where nothing was."""
    reported = {key(row): row for row in report}
    groups: dict[tuple[bool, str], list[Row]] = {}
    for row in tuning:
        group = groups.setdefault((row.launch == PARALLEL, row.select), [])
        if row.not_inferior and (row.prune, row.launch) != (FULL, PARALLEL):
            group.append(row)
    chosen = [max(rows, key=lambda row: row.saved.value or 0.0) for rows in groups.values() if rows]
    return [Pick(row, reported[key(row)]) for row in chosen]


def key(row: Row) -> Contender:
    return Contender(row.prune, row.launch, row.select)
