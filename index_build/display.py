"""What ``sdr-index`` prints: progress on standard error, results on standard output."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Self

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bars

from index_build.admission import Admission

if TYPE_CHECKING:
    from index_build.builder import BuildSummary
    from sdr_decode.manifest import Manifest

_STAGES = {"read": "reading reports", "embed": "embedding sentences", "write": "writing"}
_QUARTERS = 4
_SECONDS = 10.0


class Progress:
    """Shows the stages of a build: bars on a terminal, a line now and then elsewhere, which is at
    every quarter, or every ten seconds where nobody knows how much there is.

    Use it as a context manager and hand it to ``build`` as ``progress``.
    """

    def __init__(
        self, console: Console | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._console = console or Console(stderr=True)
        self._clock = clock
        self._next = clock() + _SECONDS
        self._tasks: dict[str, TaskID] = {}
        self._said: set[tuple[str, int]] = set()
        self._bars = Bars(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=self._console,
            disable=not self._console.is_terminal,
        )

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._bars.stop()

    def __call__(self, stage: str, done: int, total: int | None) -> None:
        """``done`` of ``total`` (``None``: unknown) of a stage."""
        if self._console.is_terminal:
            if stage not in self._tasks:
                self._tasks[stage] = self._bars.add_task(_STAGES.get(stage, stage), total=total)
            self._bars.update(self._tasks[stage], completed=done, total=total)
            return
        quarter = done * _QUARTERS // total if total is not None and total > 1 else 0
        if total is None and self._clock() >= self._next:
            self._next = self._clock() + _SECONDS
            self._print(f"{_STAGES.get(stage, stage)}: {done:,} so far")
        elif (stage, quarter) not in self._said:
            self._said.add((stage, quarter))
            of = f" {done:,} of {total:,}" if total is not None and total > 1 else ""
            self._print(_STAGES.get(stage, stage) + of)

    def _print(self, text: str) -> None:
        self._console.print(text, markup=False, highlight=False)


def print_summary(
    admission: Admission, summary: BuildSummary, seconds: float, *, passed_over: int = 0
) -> None:
    """What a build took, left out and wrote, with warnings on standard error. ``passed_over`` files
    were taken for no report."""
    wanted = {"both": "without both sections", "any": "without a section", "text": "without text"}
    _print_pairs(
        [
            ("index", str(summary.path)),
            ("encoder", str(summary.encoder)),
            ("files of other names", _unless_zero(passed_over)),
            ("reports read", f"{admission.read:,}"),
            ("  repeated rows", _unless_zero(admission.repeated)),
            ("  excluded", _unless_zero(admission.excluded)),
            ("  not included", _unless_zero(admission.not_included)),
            (f"  {wanted[admission.require]}", _unless_zero(admission.incomplete)),
            ("reports kept", f"{summary.reports:,}"),
            ("  no sentence in a section", _unless_zero(summary.reports_without_section)),
            ("sentences", f"{summary.sentences_total:,}, {summary.sentences_distinct:,} distinct"),
            ("  in findings", f"{summary.findings:,}"),
            ("  in impression", f"{summary.impression:,}"),
            ("  without a section", _unless_zero(summary.unsectioned)),
            ("fragments dropped", f"{summary.fragments_dropped:,}"),
            ("over-long sentences", f"{summary.over_long:,}"),
            ("seconds", f"{seconds:.1f}"),
            ("size on disk", f"{_size(summary.bytes)}, {summary.precision}"),
        ]
    )
    for text in summary.over_long_texts[:3]:
        _warn(f"longer than the encoder looks at: {text[:100]}...")
    for name, missing in admission.unmatched.items():
        listed = len({**admission.include, **admission.exclude}[name])
        _warn(f"{missing:,} of the {listed:,} ids of {name} are not in the corpus")


def print_manifest(
    name: str, manifest: Manifest, top: Sequence[tuple[int, str, str]], bytes_: int
) -> None:
    """The manifest of an index, and its most frequent sentences (count, sections, text)."""
    counts = manifest.counts
    _print_pairs(
        [
            ("index", name),
            ("format", f"{manifest.format_version}, written {manifest.created}"),
            ("written by", manifest.created_by),
            ("encoder", str(manifest.encoder)),
            ("vectors", f"{counts.sentences_distinct:,} x {manifest.dimension}"),
            ("precision", manifest.precision),
            ("metric", manifest.metric),
            ("reports", f"{counts.reports:,}"),
            ("  no sentence in a section", _unless_zero(counts.reports_without_section)),
            ("sentences", f"{counts.sentences_total:,}, {counts.sentences_distinct:,} distinct"),
            ("  in findings", f"{counts.findings:,}"),
            ("  in impression", f"{counts.impression:,}"),
            ("  without a section", _unless_zero(counts.unsectioned)),
            ("fragments dropped", f"{counts.fragments_dropped:,}"),
            ("over-long sentences", f"{counts.over_long:,}"),
            ("size on disk", _size(bytes_)),
            *((f"option {key}", str(value)) for key, value in manifest.options.items()),
        ]
    )
    if top:
        typer.echo("most frequent sentences:")
    for count, where, text in top:
        typer.echo(f"  {count:>7,}  {where:<20}  {text}")


def print_neighbours(rows: Iterable[tuple[float, int, str, str]]) -> None:
    """Sentences with their distance, count and sections, nearest first."""
    typer.echo(f"{'distance':>8}  {'count':>7}  {'sections':<20}  sentence")
    for distance, count, where, text in rows:
        typer.echo(f"{distance:>8.4f}  {count:>7,}  {where:<20}  {text}")


def _print_pairs(pairs: Iterable[tuple[str, str | None]]) -> None:
    shown = [(name, value) for name, value in pairs if value is not None]
    width = max(len(name) for name, _ in shown)
    for name, value in shown:
        typer.echo(f"{name:<{width}}  {value}")


def _size(bytes_: int) -> str:
    return f"{bytes_ / 1e6:.1f} MB" if bytes_ >= 1e6 else f"{bytes_ / 1e3:.1f} KB"


def _unless_zero(count: int) -> str | None:
    return f"{count:,}" if count else None


def _warn(message: str) -> None:
    sys.stdout.flush()
    typer.echo(f"Warning: {message}", err=True)
