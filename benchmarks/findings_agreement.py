"""Measures how the finding labels of reports agree with the human tags of Open-i.

    python -m benchmarks.findings_agreement NLMCXR_reports.tgz [--recording RECORDING] [--json FILE]

The phrases, the mapping of tags and the reading of "uncertain" were chosen on the tuning half; the
report half was only counted. With a recording it also says which share of the abnormal studies a
random candidate calls abnormal.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.halves import Half
from benchmarks.openi_tags import MAPPED, TaggedReport, observations_of, tagged_reports
from clients.recording import read_recording
from sdr_decode.findings import Findings, Mention, Observation, label_report
from sdr_decode.segmenter import split_sentences

Counts = NDArray[np.int64]

RESAMPLES = 10_000
STATED = (Mention.POSITIVE,)
STATED_OR_SUSPECTED = (Mention.POSITIVE, Mention.UNCERTAIN)
READINGS = {"positive": STATED, "positive or uncertain": STATED_OR_SUSPECTED}
CHOSEN = STATED  # by micro-F1 on the tuning half, by less than its interval is wide


@dataclass(frozen=True, slots=True)
class Agreement:
    """Precision, recall and F1 against the tags, F1 with its bootstrap 95% interval. ``tagged`` is
    the number of reports that the tags give the observation."""

    name: str
    tagged: int
    precision: float | None
    recall: float | None
    f1: float | None
    low: float | None
    high: float | None


def findings_of(text: str) -> Findings:
    return label_report(split_sentences(text))


def outcomes(reports: Iterable[TaggedReport], stated: Sequence[Mention]) -> Counts:
    """True positives, false positives and false negatives, of shape (reports, observations, 3)."""
    rows = []
    for report in reports:
        labelled = findings_of(report.text)
        tagged = observations_of(report.tags)
        rows.append([_outcome(labelled[o] in stated, o in tagged) for o in MAPPED])
    return np.array(rows, dtype=np.int64).reshape(-1, len(MAPPED), 3)


def _outcome(labelled: bool, tagged: bool) -> tuple[int, int, int]:
    return int(labelled and tagged), int(labelled and not tagged), int(tagged and not labelled)


def micro_f1(counts: Counts) -> float | None:
    """F1 over all reports and observations; ``None`` of nothing tagged and nothing labelled."""
    return _agreement("all", counts.sum(axis=1), ()).f1


def agreements(counts: Counts, resamples: int = RESAMPLES, seed: int = 0) -> list[Agreement]:
    """The agreement of each observation, and of all (micro) at the end. The bootstrap draws
    reports, the same for every row."""
    drawn = _weights(len(counts), resamples, seed)
    rows = [(o.value, counts[:, place]) for place, o in enumerate(MAPPED)]
    return [_agreement(name, row, drawn) for name, row in [*rows, ("all", counts.sum(axis=1))]]


def _weights(reports: int, resamples: int, seed: int) -> list[NDArray[np.float64]]:
    """How often each resample draws each report, in blocks that fit in memory."""
    random = np.random.default_rng(seed)
    shares = np.full(reports, 1 / reports)
    block = 500
    sizes = [min(block, resamples - done) for done in range(0, resamples, block)]
    return [random.multinomial(reports, shares, size).astype(np.float64) for size in sizes]


def _agreement(name: str, counts: Counts, drawn: Sequence[NDArray[np.float64]]) -> Agreement:
    hit, extra, missed = (int(total) for total in counts.sum(axis=0))
    low = high = None
    if drawn and hit + extra + missed:
        totals = np.concatenate([weights @ counts for weights in drawn])
        whole = 2 * totals[:, 0] + totals[:, 1] + totals[:, 2]
        sampled = 2 * totals[whole > 0, 0] / whole[whole > 0]
        low, high = (float(bound) for bound in np.quantile(sampled, (0.025, 0.975)))
    return Agreement(
        name,
        hit + missed,
        _ratio(hit, hit + extra),
        _ratio(hit, hit + missed),
        _ratio(2 * hit, 2 * hit + extra + missed),
        low,
        high,
    )


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None


@dataclass(frozen=True, slots=True)
class AbnormalRecall:
    """Of the studies whose reference states an abnormality (one of the observations without "No
    Finding" and "Support Devices"), the share of candidates that state one (``any``), and of the
    abnormal observations of those references the share that a candidate states too (``same``),
    both averaged over the first ``k`` candidates. Of no such study nothing is known."""

    k: int
    studies: int
    any: float | None
    same: float | None


def abnormal_recall(recording: Path, k: int, stated: Sequence[Mention]) -> AbnormalRecall:
    """What choosing one of the first ``k`` candidates at random keeps of abnormal findings."""
    anything, same = [], []
    for study in read_recording(recording):
        reference = study.reference
        if reference is None:
            continue
        text = f"FINDINGS:\n{reference.findings}\nIMPRESSION:\n{reference.impression}"
        expected = _abnormal(text, stated)
        if expected:
            named = [_abnormal(candidate.text, stated) for candidate in study.candidates[:k]]
            anything.append(np.mean([bool(found) for found in named]))
            same.append(np.mean([len(found & expected) / len(expected) for found in named]))
    if not anything:
        return AbnormalRecall(k, 0, None, None)
    return AbnormalRecall(k, len(anything), float(np.mean(anything)), float(np.mean(same)))


def _abnormal(text: str, stated: Sequence[Mention]) -> frozenset[Observation]:
    findings = findings_of(text)
    return findings.abnormal & findings.stated(*stated)


def _table(title: str, rows: Sequence[Agreement]) -> str:
    lines = [
        title,
        "",
        "| observation | tagged | precision | recall | F1 | 95% interval |",
        "|---|---:|---:|---:|---:|---|",
    ]
    lines.extend(
        f"| {row.name} | {row.tagged} | {_shown(row.precision)} | {_shown(row.recall)} "
        f"| {_shown(row.f1)} | {_shown(row.low)} to {_shown(row.high)} |"
        for row in rows
    )
    return "\n".join([*lines, ""])


def _shown(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.3f}"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("openi", type=Path, help="the Open-i reports as .tgz")
    parser.add_argument("--recording", type=Path, help="a recording with reference reports")
    parser.add_argument("--json", type=Path, help="also write the figures here")
    chosen = parser.parse_args(arguments)
    reports = list(tagged_reports(chosen.openi))
    figures: dict[str, object] = {}
    halves: tuple[Half, ...] = ("tuning", "report")
    for half in halves:
        within = [report for report in reports if report.half == half]
        for name, stated in READINGS.items():
            rows = agreements(outcomes(within, stated))
            mark = ", the reading chosen" if stated == CHOSEN else ""
            print(_table(f"{half} half, {len(within)} reports, {name}{mark}", rows))
            figures[f"{half}, {name}"] = [asdict(row) for row in rows]
    if chosen.recording is not None:
        for name, stated in READINGS.items():
            for k in (8, 16):
                recall = abnormal_recall(chosen.recording, k, stated)
                print(f"{name}: {recall}")
                figures[f"abnormal recall, {name}, k={k}"] = asdict(recall)
    if chosen.json is not None:
        chosen.json.write_text(json.dumps(figures, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
