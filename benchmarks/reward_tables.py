"""The tables of rewards against outcomes, as Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

Bounds = tuple[float, float]

_RANKS = """Spearman's correlation with outcomes of the recorded candidates: the F1 of the findings
stated as positive against the reference (1 where neither states one), Token-F1 against the
reference, and, where the recording carries them, the F1 of the findings against the human tags of
the study. *Within* is the mean over the studies in which reward and outcome both vary, which is
what a reward teaches in groups; *pooled* is over all candidates, where studies that are easy to
report count too (its interval keeps the ranks of the whole sample). The rewards `sdr` and
`concepts` read the reference, the others do not. `sdr:polarity=true` and finding F1 label both
reports with the same labeller, so that part of that figure is theirs in common; tag F1 labels the
candidate only. A dash: the reward does not vary."""

_NEGATION = """Pairs of sentences that differ only by a negation, put to a reference sentence on the
same finding in other words: how often is the one that denies the reference ("No pleural effusion."
for "Small left pleural effusion.") worth more than the one that agrees with it? One sentence of a
pair stands in the corpus, the other is made by a rule. *In its report* the pair stands in place of
the sentence in the whole reference. The pairs are those that the labeller can read, and
`sdr:polarity=true` uses the same labeller: its rows are what it does where the labeller reads
right."""


@dataclass(frozen=True, slots=True)
class Correlations:
    """Spearman's correlation of a reward with an outcome, ``within`` a study in the mean over the
    ``studies`` in which both vary, and ``pooled`` over all candidates; with 95% intervals."""

    reward: str
    outcome: str
    studies: int
    within: float | None
    within_bounds: Bounds
    pooled: float | None
    pooled_bounds: Bounds


@dataclass(frozen=True, slots=True)
class Negation:
    """How often (``wrong``, with its interval) a reward prefers the sentence that denies the
    reference, and how often it sees no difference (``ties``), over so many ``pairs``, where the
    reference states the finding as ``present`` or as absent. ``gain`` is the median of what the
    right one is worth more."""

    reward: str
    setting: str
    present: bool
    pairs: int
    wrong: float | None
    bounds: Bounds
    ties: float | None
    gain: float | None


def markdown(
    command: str,
    shape: tuple[int, int],
    correlations: Sequence[Correlations],
    negation: Sequence[Negation],
    unknown: Mapping[str, int],
) -> str:
    """The whole page."""
    studies, k = shape
    made = (
        f"Made by `{command}`: {studies} studies with a reference, {k} candidates each. Intervals "
        "are 95% percentile bootstraps over studies, 10,000 resamples."
    )
    parts = [
        "# Rewards against outcomes",
        made,
        "## Ranks",
        _RANKS,
        _table(
            "reward|outcome|within|95%|studies|pooled|95%",
            [
                f"`{r.reward}`|{r.outcome}|{_number(r.within)}|{_bounds(r.within_bounds)}|"
                f"{r.studies}|{_number(r.pooled)}|{_bounds(r.pooled_bounds)}"
                for r in correlations
            ],
            left=2,
        ),
    ]
    if unknown:
        told = "; ".join(f"`{spec}` {count}" for spec, count in unknown.items())
        parts.append(
            f"Candidates of which a reward tells nothing, and which are left out there: {told}."
        )
    parts += [
        "## Negation",
        _NEGATION,
        _table(
            "reward|reference says|setting|pairs|wrong preferred|95%|no difference|median gain",
            [
                f"`{r.reward}`|{'present' if r.present else 'absent'}|{r.setting}|{r.pairs}|"
                f"{_number(r.wrong)}|{_bounds(r.bounds)}|{_number(r.ties)}|{_number(r.gain)}"
                for r in negation
            ],
            left=3,
        ),
    ]
    return "\n\n".join(parts) + "\n"


def _table(head: str, rows: Sequence[str], *, left: int) -> str:
    columns = head.count("|") + 1
    rule = "|".join("---" if place < left else "---:" for place in range(columns))
    return "\n".join(f"|{line}|" for line in (head, rule, *rows))


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _bounds(bounds: Bounds) -> str:
    low, high = bounds
    return "-" if low != low else f"{low:.3f} to {high:.3f}"  # noqa: PLR0124 - not a number
