"""The live view of the K candidates: a table in a terminal, plain lines elsewhere."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator

from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from sdr_decode.events import (
    CandidateFinished,
    CandidateLaunched,
    CandidatePruned,
    DistanceUpdated,
    Event,
    TokenDelta,
)
from sdr_decode.result import Result
from sdr_decode.visible import on_one_line, visible

_STYLES = {"running": "cyan", "finished": "green", "pruned": "yellow", "invalid": "red"}


class _Row:
    def __init__(self) -> None:
        self.state = "running"
        self.tokens = 0
        self.sentences = 0
        self.chamfer: float | None = None
        self.last = ""


async def watch(events: AsyncIterator[Event], k: int, console: Console) -> Result:
    """Show a decode as it goes and return its result."""
    if not console.is_terminal:
        return await _lines(events, console)
    rows: dict[int, _Row] = {}
    with Live(console=console, refresh_per_second=12, transient=False) as live:
        async for event in events:
            if isinstance(event, Result):
                live.update(_table(rows), refresh=True)
                return event
            _take(rows, event)
            live.update(_table(rows))
    raise AssertionError("a decode ends with its result")


async def _lines(events: AsyncIterator[Event], console: Console) -> Result:
    rows: dict[int, _Row] = {}
    async for event in events:
        if isinstance(event, Result):
            return event
        _take(rows, event)
        if isinstance(event, CandidatePruned):
            tokens = rows[event.candidate].tokens
            _line(console, f"candidate {event.candidate} pruned at {tokens} tokens: {event.reason}")
        elif isinstance(event, CandidateFinished):
            row = rows[event.candidate]
            how = event.invalid or f"distance {_number(row.chamfer)}"
            _line(console, f"candidate {event.candidate} {row.state} at {row.tokens} tokens: {how}")
    raise AssertionError("a decode ends with its result")


def _line(console: Console, text: str) -> None:
    # Where nobody reads any more, rich sends the rest nowhere and asks for an exit; the decode has
    # been paid for and goes on.
    with contextlib.suppress(BrokenPipeError, SystemExit):
        console.print(visible(text), markup=False, highlight=False, soft_wrap=True)


def _take(rows: dict[int, _Row], event: Event) -> None:
    if isinstance(event, CandidateLaunched):
        rows[event.candidate] = _Row()
    elif isinstance(event, TokenDelta):
        rows[event.candidate].tokens = event.tokens
    elif isinstance(event, DistanceUpdated):
        row = rows[event.candidate]
        row.chamfer, row.last = event.chamfer, event.sentence.sentence.text
        row.sentences += 1
    elif isinstance(event, CandidatePruned):
        rows[event.candidate].state = "pruned"
    elif isinstance(event, CandidateFinished):
        rows[event.candidate].state = "invalid" if event.invalid else "finished"


def _table(rows: dict[int, _Row]) -> Table:
    table = Table(box=None, pad_edge=False)
    for name in ("candidate", "state", "tokens", "sentences", "distance"):
        table.add_column(name, justify="left" if name == "state" else "right", no_wrap=True)
    table.add_column("last sentence", no_wrap=True, overflow="ellipsis", ratio=1)
    for number, row in sorted(rows.items()):
        table.add_row(
            str(number),
            Text(row.state, _STYLES[row.state]),
            str(row.tokens),
            str(row.sentences),
            _number(row.chamfer),
            Text(on_one_line(row.last)),
        )
    return table


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"
