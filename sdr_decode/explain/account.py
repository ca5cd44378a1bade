"""The ledger of a saved result as a table of words. Its columns are whatever counts and dollars
its rows hold, so that a ledger that learns a new number shows it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sdr_decode.explain.saved import SavedCount, SavedDollars, SavedLedger, SavedRow
from sdr_decode.ledger import NEVER_LAUNCHED

MEANING = {
    "prompt": "tokens that the request sent, the image included",
    "image": "the image's part of the prompt",
    "cached": "the part of the prompt that came from the provider's cache",
    "observed": "output tokens that arrived while they mattered",
    "overshoot": "output tokens that arrived between the decision to stop and the stop",
    "generated": "output tokens that the engine wrote",
    "avoided": "output tokens never generated, because the candidate was pruned or not launched",
    "dollars": "low if a stopped stream is billed no further, high if it is billed in full",
}
"""What the known columns hold."""

PROVENANCE = {
    "reported": "the provider's own number",
    "counted": "counted from what arrived or was recorded",
    "estimated": "worked out from the other candidates",
    "unknown": "nobody told; never counted as 0",
}


@dataclass(frozen=True, slots=True)
class Cell:
    """A number in words and where it comes from; ``provenance`` is empty where that goes without
    saying."""

    text: str
    provenance: str = ""


UNKNOWN = Cell("unknown")


@dataclass(frozen=True, slots=True)
class AccountRow:
    """One candidate's line: a cell for each column."""

    candidate: int
    state: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Account:
    """The ledger in words: columns, rows, their sums, and remarks about money and saving."""

    columns: tuple[str, ...]
    rows: tuple[AccountRow, ...]
    sums: tuple[Cell, ...]
    remarks: tuple[str, ...]


def account_of(ledger: SavedLedger) -> Account:
    """The table of a ledger."""
    columns = tuple(_columns(ledger))
    rows = tuple(
        AccountRow(
            row.candidate,
            row.state,
            tuple(_cell(row.__pydantic_extra__.get(column)) for column in columns),
        )
        for row in ledger.rows
    )
    sums = tuple(_sum(ledger, column) for column in columns)
    return Account(columns, rows, sums, tuple(_remarks(ledger)))


def saved_share(ledger: SavedLedger) -> Cell:
    """The share of full best-of-N's output tokens that was not generated."""
    if ledger.saved is None:
        return UNKNOWN
    avoided = ledger.__pydantic_extra__.get("avoided")
    provenance = avoided.provenance if isinstance(avoided, SavedCount) else ""
    return Cell(f"{ledger.saved:.1%}", provenance)


def cost(ledger: SavedLedger) -> Cell:
    """What the decode cost."""
    return _cell(ledger.money.get("cost"))


def _columns(ledger: SavedLedger) -> dict[str, None]:
    return {
        name: None
        for row in ledger.rows
        for name, value in row.__pydantic_extra__.items()
        if isinstance(value, SavedCount | SavedDollars)
    }


def _cell(value: object) -> Cell:
    if isinstance(value, SavedCount) and value.value is not None:
        about = "about " if value.provenance == "estimated" else ""
        return Cell(f"{about}{value.value:,}", value.provenance)
    if isinstance(value, SavedDollars):
        return Cell(_range(value))
    return UNKNOWN


def _sum(ledger: SavedLedger, column: str) -> Cell:
    whole = ledger.__pydantic_extra__.get(column)
    if isinstance(whole, SavedCount):
        if whole.value is not None:
            return _cell(whole)
        known = sum(_known(row, column) for row in ledger.rows)
        return Cell(f"{known:,} or more", "some unknown") if known else UNKNOWN
    return cost(ledger) if column == "dollars" else Cell("")


def _known(row: SavedRow, column: str) -> int:
    count = row.__pydantic_extra__.get(column)
    return (count.value or 0) if isinstance(count, SavedCount) else 0


_MONEY = {
    "cost": "This decode cost",
    "known": "What is known of it cost",
    "full": "Full best-of-N would have cost",
    "saved": "Pruning and staging saved",
}


def _remarks(ledger: SavedLedger) -> Iterator[str]:
    never = sum(row.state == NEVER_LAUNCHED for row in ledger.rows)
    if never:
        yield f"{never} of {ledger.asked} candidates never launched."
    told = {name: value for name, value in ledger.money.items() if isinstance(value, str)}
    if source := told.get("source"):
        yield from _amounts(ledger)
        date = f", {told['date']}" if told.get("date") else ""
        yield f"Prices of {source}{date}."
        if why := told.get("why"):
            yield f"Not known in full: {why}."
        if stopped := told.get("stopped"):
            yield f"Stopped streams: {stopped.rstrip('.')}."
    else:
        yield f"Cost unknown: {told.get('why', 'nobody told')}."


def _amounts(ledger: SavedLedger) -> Iterator[str]:
    for name, words in _MONEY.items():
        amount = ledger.money.get(name)
        if isinstance(amount, SavedDollars) and (name != "known" or amount != ledger.money["cost"]):
            yield f"{words}: {_range(amount)}."


def _range(dollars: SavedDollars) -> str:
    low, high = dollars.low, dollars.high
    if low is None or high is None:
        if low is None and high is None:
            return "unknown"
        return f"at most ${high:,.6f}" if low is None else f"at least ${low:,.6f}"
    return f"${low:,.6f}" if low == high else f"${low:,.6f} to ${high:,.6f}"
