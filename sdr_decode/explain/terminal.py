"""A decode in a terminal: the winner, each candidate's sentences in colour, the ledger."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console
from rich.table import Table
from rich.text import Text

from sdr_decode.explain.account import Account, Cell, account_of, saved_share
from sdr_decode.explain.colours import BANDS, band_of
from sdr_decode.explain.saved import SavedNearest, SavedResult
from sdr_decode.explain.story import CandidateStory, Step, stories
from sdr_decode.visible import on_one_line

OFF_TERMINAL = 120
"""Columns of output that goes to a file or a pipe."""


def print_story(result: SavedResult, console: Console) -> None:
    """The winner and its reason, every candidate's sentences, where each ended, the ledger."""
    for line in _story(result):
        # Off a terminal nothing is gained by breaking a line.
        console.print(line, soft_wrap=not console.is_terminal)
    account = account_of(result.ledger)
    _wide(console).print(_table(account))
    console.print(Text("~ estimated, ? unknown", "dim"))
    for line in _remarks(result, account):
        console.print(line, soft_wrap=not console.is_terminal)


def _wide(console: Console) -> Console:
    if console.is_terminal or console.width >= OFF_TERMINAL:
        return console
    return Console(file=console.file, width=OFF_TERMINAL)


def _story(result: SavedResult) -> Iterator[Text]:
    report = result.report
    reason = on_one_line(result.reason)
    yield Text(f"Candidate {result.winner} was chosen: {reason}", "bold")
    for name, words in (("Findings", report.findings), ("Impression", report.impression)):
        if words is not None:
            yield Text(f"{name}: ", "bold") + Text(on_one_line(words))
    if report.findings is None and report.impression is None:
        yield Text(on_one_line(report.text))
    yield Text()
    yield _legend()
    for story in stories(result):
        yield Text()
        yield _title(story)
        yield from map(_sentence, story.steps)
    yield Text()


def _remarks(result: SavedResult, account: Account) -> Iterator[Text]:
    share = saved_share(result.ledger)
    if share.provenance:
        of = "of the output tokens of full best-of-N"
        yield Text(f"saved {share.text} {of} ({share.provenance})")
    yield from (Text(on_one_line(remark)) for remark in account.remarks)
    yield from (Text(f"note: {on_one_line(warning)}", "yellow") for warning in result.warnings)


def _legend() -> Text:
    words = Text("distance to the corpus: ")
    for band in BANDS:
        words += Text(f" {band.label} ", f"{band.text} on {band.background}")
    return words


def _title(story: CandidateStory) -> Text:
    title = Text(f"Candidate {story.number}: ", "bold") + Text(on_one_line(story.ending))
    if story.winner:
        title += Text(" (chosen)", "bold")
    return title + Text(f": {on_one_line(story.saved.ended)}" if story.saved.ended else "")


def _sentence(step: Step) -> Text:
    sentence = step.sentence
    band = BANDS[band_of(sentence.distance)]
    words = Text(f"  {sentence.distance:.4f} ", "bold")
    words += Text(on_one_line(sentence.text), f"{band.text} on {band.background}")
    return words + Text(f" {_nearest(sentence.distance, sentence.nearest)}", "dim")


def _nearest(distance: float, nearest: SavedNearest | None) -> str:
    if nearest is None:
        return "(no corpus sentence to compare with)"
    times = f"{nearest.count:,} time{'s' * (nearest.count != 1)}"
    if distance == 0.0:
        return f"(in the corpus, {times})"
    return f"(nearest, {times}: {on_one_line(nearest.text)})"


def _table(account: Account) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("candidate", justify="right")
    table.add_column("state")
    for column in account.columns:
        table.add_column(on_one_line(column), justify="right", no_wrap=True)
    for row in account.rows:
        cells = map(_short, row.cells)
        table.add_row(str(row.candidate), Text(on_one_line(row.state)), *cells)
    table.add_row("sum", "", *map(_short, account.sums), style="bold")
    return table


def _short(cell: Cell) -> Text:
    return Text("?" if cell.text == "unknown" else cell.text.replace("about ", "~"))
