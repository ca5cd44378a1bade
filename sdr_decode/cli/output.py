"""How a result is printed and written."""

from __future__ import annotations

import secrets
import stat
from collections.abc import Iterator
from decimal import Decimal
from errno import EEXIST, EISDIR, ENOENT
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from clients.pricing.bill import Dollars
from sdr_decode.counts import Count
from sdr_decode.ledger import COLUMNS, Ledger
from sdr_decode.money import Money
from sdr_decode.result import Result
from sdr_decode.visible import visible

TABLE_WIDTH = 100


def print_result(result: Result, console: Console) -> None:
    """The winning report, why it won, and the ledger."""
    title = f"Candidate {result.winner}: {result.reason}"
    console.print()
    _line(console, title, "bold")
    console.print()
    report = result.report
    if report.findings is None and report.impression is None:
        console.print(Text(visible(report.text.strip())))
    if report.findings is not None:
        console.print(Text("Findings: ", "bold") + Text(visible(report.findings)))
    if report.impression is not None:
        console.print(Text("Impression: ", "bold") + Text(visible(report.impression)))
    console.print()
    _wide(console).print(_ledger(result))
    _line(console, "~ estimated, > at least, < at most, ? unknown", "dim")
    ledger = result.ledger
    if ledger.saved is not None:
        source = ledger.avoided.provenance
        _line(
            console, f"saved {ledger.saved:.1%} of the output tokens of full best-of-N ({source})"
        )
    for line in _money(ledger.money):
        _line(console, line)
    for warning in result.warnings:
        _line(console, f"note: {warning}", "yellow")


def _wide(console: Console) -> Console:
    """Off a terminal nothing is gained by breaking a line."""
    width = max(console.width, TABLE_WIDTH)
    return console if console.is_terminal else Console(file=console.file, width=width)


def _line(console: Console, text: str, style: str = "") -> None:
    console.print(Text(visible(text), style), soft_wrap=not console.is_terminal)


def _ledger(result: Result) -> Table:
    """One line a candidate and the sums; columns of which nothing is known are left out."""
    ledger = result.ledger
    columns = [column for column in COLUMNS if _worth(ledger, column)]
    priced = ledger.money.source is not None
    table = Table(box=None, pad_edge=False, collapse_padding=len(columns) == len(COLUMNS))
    table.add_column("candidate", justify="right")
    table.add_column("state")
    for name in ("distance", *columns, *(["dollars"] if priced else [])):
        table.add_column(name, justify="right", no_wrap=True)
    distances = {candidate.number: candidate.chamfer for candidate in result.candidates}
    for row in ledger.rows:
        distance = distances.get(row.candidate)
        table.add_row(
            str(row.candidate),
            row.state,
            "-" if distance is None else f"{distance:.4f}",
            *(_short(getattr(row, column)) for column in columns),
            *([_most(row.dollars)] if priced else []),
        )
    sums = (_sum(ledger, column) for column in columns)
    paid = [_most(ledger.money.cost)] if priced else []
    table.add_row("sum", "", "", *sums, *paid, style="bold")
    return table


def _worth(ledger: Ledger, column: str) -> bool:
    if column in ("observed", "avoided"):
        return True
    if column == "generated":
        return ledger.sum("generated") != ledger.sum("observed")
    return ledger.known(column) > 0


def _sum(ledger: Ledger, column: str) -> str:
    whole = ledger.sum(column)
    return _short(whole) if whole.value is not None else f">{ledger.known(column):,}"


def _short(count: Count) -> str:
    if count.value is None:
        return "?"
    return f"~{count.value:,}" if count.provenance == "estimated" else f"{count.value:,}"


def _most(dollars: Dollars) -> str:
    if dollars.high is None:
        return "?" if dollars.low is None else f">{dollars.low:.4f}"
    return f"{dollars.high:.4f}" if dollars.low == dollars.high else f"<{dollars.high:.4f}"


def _money(money: Money) -> Iterator[str]:
    """What it cost, whose prices these are, and what it is compared with."""
    if money.source is None:
        yield f"cost unknown: {money.why}"
        return
    prices = f"prices of {money.source}" + (f", {money.date}" if money.date else "")
    yield f"cost {_range(money.cost) or 'unknown'} ({prices})"
    if money.why is not None:
        known = f"; what is known costs {_range(money.known)}" if money.known.high else ""
        yield f"{money.why}{known}"
    full, saved = _range(money.full), _range(money.saved)
    if full is not None:
        yield f"full best-of-N {full}" + (f"; saved {saved}" if saved else "")


def _range(dollars: Dollars) -> str | None:
    """The bounds in words, ``None`` where nothing is known."""
    low, high = dollars
    if low is None:
        return None if high is None else f"at most {_dollars(high)}"
    if high is None:
        return f"at least {_dollars(low)}"
    return _dollars(low) if low == high else f"between {_dollars(low)} and {_dollars(high)}"


def _dollars(amount: Decimal) -> str:
    return f"-${-amount:.6f}" if amount < 0 else f"${amount:.6f}"


def require_folder(path: Path | None) -> None:
    """Raise ``OSError`` for a file that cannot be written, before anything is spent on it."""
    if path is not None and not path.parent.is_dir():
        raise FileNotFoundError(ENOENT, "the folder for this file does not exist", str(path))
    if path is not None and path.is_dir():
        raise IsADirectoryError(EISDIR, "expected a file, found a folder", str(path))


def require_file(path: Path | None) -> None:
    """``require_folder``, for files that are replaced: a device or a pipe is refused."""
    require_folder(path)
    if path is not None and path.exists() and not path.is_file():
        raise FileExistsError(EEXIST, "expected a file, found a device or a pipe", str(path))


def write_text(path: Path, text: str) -> None:
    """Write a file whole or not at all; a device or a pipe is written to as it is."""
    if path.exists() and not path.is_file():
        path.write_text(text, encoding="utf-8")
        return
    path = path.resolve()  # what a link points to, not the link
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with part.open("x", encoding="utf-8") as file:
            file.write(text)
        if path.exists():
            part.chmod(stat.S_IMODE(path.stat().st_mode))
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
