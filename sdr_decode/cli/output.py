"""How a result is printed and written."""

from __future__ import annotations

import os
import tempfile
from errno import EEXIST, EISDIR, ENOENT
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from clients.pricing.bill import Dollars
from sdr_decode.ledger import COLUMNS, Ledger
from sdr_decode.money import Money
from sdr_decode.result import Result


def print_result(result: Result, console: Console) -> None:
    """The winning report, why it won, and the ledger."""
    title = f"Candidate {result.winner}: {result.reason}"
    console.print()
    console.print(Text(title, "bold"))
    console.print()
    report = result.report
    if report.findings is None and report.impression is None:
        console.print(Text(report.text.strip()))
    if report.findings is not None:
        console.print(Text("Findings: ", "bold") + Text(report.findings))
    if report.impression is not None:
        console.print(Text("Impression: ", "bold") + Text(report.impression))
    console.print()
    console.print(_ledger(result))
    ledger = result.ledger
    if ledger.saved is not None:
        source = ledger.avoided.provenance
        console.print(f"saved {ledger.saved:.1%} of the output tokens of full best-of-N ({source})")
    console.print(Text(_money(ledger.money)))
    for warning in result.warnings:
        console.print(Text(f"note: {warning}", "yellow"))


def _ledger(result: Result) -> Table:
    """One line a candidate and the sums; columns of which nothing is known are left out."""
    ledger = result.ledger
    columns = [column for column in COLUMNS if _worth(ledger, column)]
    table = Table(box=None, pad_edge=False)
    table.add_column("candidate", justify="right")
    table.add_column("state")
    for name in ("distance", *columns):
        table.add_column(name, justify="right")
    distances = {candidate.number: candidate.chamfer for candidate in result.candidates}
    for row in ledger.rows:
        distance = distances.get(row.candidate)
        table.add_row(
            str(row.candidate),
            row.state,
            "-" if distance is None else f"{distance:.4f}",
            *(str(getattr(row, column)) for column in columns),
        )
    sums = (_sum(ledger, column) for column in columns)
    table.add_row("sum", "", "tokens:", *sums, style="bold")
    return table


def _worth(ledger: Ledger, column: str) -> bool:
    if column in ("observed", "avoided"):
        return True
    if column == "generated":
        return ledger.sum("generated") != ledger.sum("observed")
    return ledger.known(column) > 0


def _sum(ledger: Ledger, column: str) -> str:
    whole = ledger.sum(column)
    return str(whole) if whole.value is not None else f"{ledger.known(column):,} or more"


def _money(money: Money) -> str:
    if money.cost.low is None:
        return f"cost unknown: {money.why}"
    full = "" if money.full.low is None else f"; full best-of-N {_range(money.full)}"
    return f"cost {_range(money.cost)}{full} (prices: {money.source}, {money.date})"


def _range(dollars: Dollars) -> str:
    low, high = dollars
    if low == high or high is None:
        return f"${low:.6f}" if high is not None else f"at least ${low:.6f}"
    return f"between ${low:.6f} and ${high:.6f}"


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
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
