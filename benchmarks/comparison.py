"""From outcomes to figures: a row for each contender, held against full best-of-N."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from benchmarks.contenders import DEFAULT, FULL, PARALLEL, Contender
from benchmarks.outcomes import NOBODY, Outcomes
from benchmarks.quality import COUNTS, MEANS, Quality
from benchmarks.splits import LOW, MEAN
from benchmarks.statistics import Interval, Resamples, mcnemar_exact

Numbers = NDArray[np.float64]

F1_OF = {"findings": "f1", "observations": "f1_of_14"}
"""The F1 figure of each of the counts."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure with its 95% interval; ``None`` is unknown."""

    value: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """One contender at one K.

    ``saved`` and ``prompts_saved`` are shares of full best-of-N's output tokens and prompts;
    ``tokens``, ``prompts`` and ``steps`` are means a study. ``same_winner`` is the share of studies
    with full best-of-N's winner, ``mcnemar`` the exact p-value that the default policy keeps it as
    often, ``distance_regret`` how much worse the winner is by the selector's own measure.
    ``quality`` are means (see ``Quality``) with precision, recall and F1 of findings;
    ``difference`` the same minus full best-of-N's with this selector, with paired intervals.
    """

    k: int
    prune: str
    launch: str
    select: str
    studies: int
    tokens: float
    saved: Figure
    prompts: float
    prompts_saved: float
    steps: float
    same_winner: float
    mcnemar: float | None
    distance_regret: float | None
    quality: Mapping[str, float | None]
    difference: Mapping[str, Figure]

    @property
    def not_inferior(self) -> bool:
        """Mean Token-F1 no more than 0.002 below full best-of-N, its interval above -0.015."""
        f1 = self.difference["token_f1"]
        known = f1.value is not None and f1.low is not None
        return known and (f1.value or 0.0) >= MEAN and (f1.low or 0.0) > LOW


@dataclass(frozen=True, slots=True)
class Lines:
    """What there is to win at one K: ``random`` is the expectation over the valid candidates,
    ``oracle`` the candidate with the highest Token-F1."""

    k: int
    random: Mapping[str, float | None]
    oracle: Mapping[str, float | None]


def compare(
    played: Mapping[Contender, Outcomes], quality: Quality, resamples: Resamples
) -> list[Row]:
    """A row for every contender, in order; each selector must have competed with ``none`` in
    parallel launch, which is full best-of-N."""
    names = list(played)
    outcomes = [played[name] for name in names]
    full = [played[Contender(FULL, PARALLEL, name.select)] for name in names]
    k = quality.token_f1.shape[1]
    ours, theirs = _picked(quality, outcomes), _picked(quality, full)
    generated = np.stack([one.tokens for one in outcomes], axis=1).astype(np.float64)
    whole = np.stack([one.tokens for one in full], axis=1).astype(np.float64)
    spent = resamples.ratio(generated, whole)
    saved = Interval(1.0 - spent.high, 1.0 - spent.low)
    intervals = {name: resamples.mean(ours[name] - theirs[name]) for name in MEANS}
    found, best = _counts(quality, outcomes), _counts(quality, full)
    intervals |= {name: resamples.f1_difference(found[of], best[of]) for of, name in F1_OF.items()}
    rows = []
    for at, name in enumerate(names):
        mine, other = (_summary(each, count, at) for each, count in ((ours, found), (theirs, best)))
        one = outcomes[at]
        same = one.winner == full[at].winner
        rows.append(
            Row(
                k=k,
                prune=name.prune,
                launch=name.launch,
                select=name.select,
                studies=len(same),
                tokens=float(one.tokens.mean()),
                saved=_figure(1.0 - generated[:, at].sum() / whole[:, at].sum(), saved, at),
                prompts=float(one.prompts.mean()),
                prompts_saved=float(1.0 - one.prompts.mean() / k),
                steps=float(one.steps.mean()),
                same_winner=float(same.mean()),
                mcnemar=_mcnemar(played, name, same),
                distance_regret=_regret(one, full[at]),
                quality=mine,
                difference={
                    key: _figure(_minus(mine[key], other[key]), intervals[key], at)
                    for key in intervals
                },
            )
        )
    return rows


def lines(outcomes: Outcomes, quality: Quality) -> Lines:
    """Random choice and the oracle among the candidates that ``outcomes`` could choose from."""
    may = outcomes.eligible
    reached = np.where(
        may.any(axis=1), np.argmax(np.where(may, quality.token_f1, -1.0), axis=1), -1
    )
    shares = may / np.maximum(may.sum(axis=1, keepdims=True), 1)
    random = {}
    for name in MEANS:
        values = getattr(quality, name)
        mean = (np.where(may, values, 0.0) * shares).sum(axis=1)
        random[name] = _mean(np.where(np.isnan(values[:, 0]), np.nan, mean))
    expected = {
        name: (getattr(quality, name) * shares[..., None]).sum(axis=(0, 1)) for name in COUNTS
    }
    random |= _count_figures(expected)
    best = replace(outcomes, winner=reached)
    picked, found = _picked(quality, [best]), _counts(quality, [best])
    return Lines(quality.token_f1.shape[1], random, _summary(picked, found, 0))


def _picked(quality: Quality, outcomes: Sequence[Outcomes]) -> dict[str, Numbers]:
    """The qualities of the winners, each (studies, contenders); without a winner 0."""
    winners = np.stack([one.winner for one in outcomes], axis=1)
    picked = {}
    for name in MEANS:
        values = getattr(quality, name)
        of_winner = np.take_along_axis(values, np.maximum(winners, 0), axis=1)
        nothing = (winners == NOBODY) & ~np.isnan(values[:, :1])
        picked[name] = np.where(nothing, 0.0, of_winner)
    return picked


def _counts(quality: Quality, outcomes: Sequence[Outcomes]) -> dict[str, Numbers]:
    """The counts of the winners (studies, contenders, 3); without a winner all are missed."""
    winners = np.stack([one.winner for one in outcomes], axis=1)
    counted = {}
    for name in COUNTS:
        counts = getattr(quality, name)
        of_winner = np.take_along_axis(counts, np.maximum(winners, 0)[..., None], axis=1)
        missed = counts[:, :1, 0] + counts[:, :1, 2]
        nothing = np.stack([np.zeros_like(missed), np.zeros_like(missed), missed], axis=2)
        counted[name] = np.where((winners == NOBODY)[..., None], nothing, of_winner)
    return counted


def _summary(
    picked: Mapping[str, Numbers], found: Mapping[str, Numbers], at: int
) -> dict[str, float | None]:
    means = {name: _mean(picked[name][:, at]) for name in MEANS}
    return means | _count_figures({name: found[name][:, at].sum(axis=0) for name in COUNTS})


def _count_figures(totals: Mapping[str, Numbers]) -> dict[str, float | None]:
    hit, extra, missed = (float(total) for total in totals["findings"])
    return {
        "precision": hit / (hit + extra) if hit + extra else None,
        "recall": hit / (hit + missed) if hit + missed else None,
        **{name: _f1(*map(float, totals[of])) for of, name in F1_OF.items()},
    }


def _f1(hit: float, extra: float, missed: float) -> float | None:
    return 2 * hit / (2 * hit + extra + missed) if hit + extra + missed else None


def _mean(values: Numbers) -> float | None:
    known = values[~np.isnan(values)]
    return float(known.mean()) if known.size else None


def _minus(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one - other


def _figure(value: float | None, interval: Interval, at: int) -> Figure:
    low, high = float(interval.low[at]), float(interval.high[at])
    known = value is not None and not np.isnan(low)
    return Figure(value, low if known else None, high if known else None)


def _mcnemar(
    played: Mapping[Contender, Outcomes], name: Contender, same: NDArray[np.bool_]
) -> float | None:
    default = played.get(Contender(DEFAULT, name.launch, name.select))
    full = played[Contender(FULL, PARALLEL, name.select)]
    return None if default is None else mcnemar_exact(same, default.winner == full.winner)


def _regret(one: Outcomes, full: Outcomes) -> float | None:
    """How much more the winner has of what full best-of-N minimised, over the studies known."""
    studies = np.flatnonzero((one.winner != NOBODY) & (full.winner != NOBODY))
    ours = full.values[studies, one.winner[studies]]
    extra = ours - full.values[studies, full.winner[studies]]
    return _mean(np.where(np.isfinite(extra), np.maximum(extra, 0.0), np.nan))
