"""How a result is printed and written."""

from __future__ import annotations

import os
import tempfile
from errno import EISDIR, ENOENT
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

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
    saved = result.ledger.saved
    if saved is not None:
        source = result.ledger.avoided.provenance
        console.print(f"saved {saved:.1%} of the output tokens of full best-of-N ({source})")
    for warning in result.warnings:
        console.print(Text(f"note: {warning}", "yellow"))


def _ledger(result: Result) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("candidate", justify="right")
    table.add_column("state")
    for name in ("distance", "prompt tokens", "output tokens", "tokens avoided"):
        table.add_column(name, justify="right")
    rows = zip(result.candidates, result.ledger.rows, strict=True)
    for candidate, row in rows:
        table.add_row(
            str(candidate.number),
            candidate.state,
            "-" if candidate.chamfer is None else f"{candidate.chamfer:.4f}",
            str(row.prompt),
            str(row.observed),
            str(row.avoided),
        )
    ledger = result.ledger
    table.add_row(
        "sum", "", "", str(ledger.prompt), str(ledger.observed), str(ledger.avoided), style="bold"
    )
    return table


def require_folder(path: Path | None) -> None:
    """Raise ``OSError`` for a file that cannot be written, before anything is spent on it."""
    if path is not None and not path.parent.is_dir():
        raise FileNotFoundError(ENOENT, "the folder for this file does not exist", str(path))
    if path is not None and path.is_dir():
        raise IsADirectoryError(EISDIR, "expected a file, found a folder", str(path))


def write_text(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
