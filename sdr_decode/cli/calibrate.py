"""``sdr-decode calibrate``: the most saving prune policy whose risk is controlled."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeVar

import typer
from rich.console import Console
from rich.progress import track as progress_bar
from rich.table import Table

from sdr_decode.cli.output import require_file, write_text
from sdr_decode.defaults import DEFAULT_SELECT

if TYPE_CHECKING:
    from sdr_decode.calibration.file import Calibration, Tried

Step = TypeVar("Step")


def calibrate(
    recording: Annotated[
        Path, typer.Argument(help="A recording of full streams, .jsonl or .jsonl.gz.")
    ],
    index: Annotated[Path, typer.Option(help="The index directory, NAME.sdr.")] = ...,  # type: ignore[assignment]
    output: Annotated[Path, typer.Option("--output", "-o", help="The file to write.")] = ...,  # type: ignore[assignment]
    k: Annotated[int, typer.Option("--k", "-k", help="How many of the candidates.")] = 8,
    risk: Annotated[float, typer.Option(help="The mean loss allowed.")] = 0.05,
    confidence: Annotated[float, typer.Option(help="That the promise holds.")] = 0.95,
    loss: Annotated[
        Literal["winner", "distance", "quality"],
        typer.Option(help="Another winner; its distance's rise; its Token-F1's fall."),
    ] = "winner",
    clip: Annotated[
        float, typer.Option(help="A study's loss counts as at most this, above 0, at most 1.")
    ] = 1.0,
    sequence: Annotated[
        list[str] | None,
        typer.Option(
            help="Policies to test instead of the usual ones, with spaces between them, from the "
            "most careful to the most saving; repeatable."
        ),
    ] = None,
    select: Annotated[str, typer.Option(help="The selector.")] = DEFAULT_SELECT,
    launch: Annotated[str, typer.Option(help="The launch plan.")] = "parallel",
    client: Annotated[
        str | None,
        typer.Option(help="What was recorded; by default what the recording says."),
    ] = None,
    max_tokens: Annotated[int, typer.Option(min=1, help="Cap of one recorded candidate.")] = 512,
    seed: Annotated[int, typer.Option(help="Of the random selector.")] = 0,
    encoder: Annotated[
        str | None, typer.Option(help="A folder or name; by default the index's own.")
    ] = None,
    sections: Annotated[
        bool, typer.Option(help="Compare findings with findings, impression with impression.")
    ] = True,
    embeddings: Annotated[
        Path | None, typer.Option(help="Keep the embeddings in this file for the next run.")
    ] = None,
) -> None:
    """Find the most saving prune policy that keeps its promise, for --prune calibrated:FILE."""
    from clients.recording import read_recording, recording_fingerprint  # noqa: PLC0415
    from sdr_decode.calibration.certify import Demand  # noqa: PLC0415 - fast --help
    from sdr_decode.calibration.conditions import client_of  # noqa: PLC0415
    from sdr_decode.calibration.file import Source  # noqa: PLC0415
    from sdr_decode.calibration.grid import DEFAULT_GRID, grid_of  # noqa: PLC0415
    from sdr_decode.calibration.search import Setting, calibrate, check  # noqa: PLC0415
    from sdr_decode.load import load_studies, open_measure  # noqa: PLC0415

    require_file(output)
    require_file(embeddings)
    demand = Demand(loss, risk, confidence, clip)
    setting = Setting(k, select, launch, max_tokens, seed)
    grid = grid_of(sequence) if sequence else DEFAULT_GRID
    check(grid, setting)
    progress = Console(stderr=True)

    def shown(steps: Iterable[Step], what: str) -> Iterable[Step]:
        return progress_bar(steps, what, console=progress, disable=not progress.is_terminal)

    with open_measure(index, encoder=encoder, sections=sections, embeddings=embeddings) as measure:
        studies = load_studies(recording, measure, k=k, progress=shown)
        recorded = (c for study in read_recording(recording) for c in study.candidates[:k])
        found = calibrate(
            studies,
            measure,
            grid,
            demand,
            setting,
            recording=Source(name=recording.name, sha256=recording_fingerprint(recording)),
            client=client or client_of(recorded),
            progress=lambda specs: shown(specs, "Replaying the policies"),
        )
    write_text(output, found.to_json())
    _print(found, output)


def _ends(found: Calibration) -> Iterator[Tried]:
    """Where testing ended: what is proved, and of each sequence the last policy that is certified
    and the first that is not."""
    tried = {each.spec: each for each in found.policies}
    yield from (each for each in found.policies if each.level == 0)
    for sequence in found.sequences:
        certified = [spec for spec in sequence.specs if tried[spec].level is not None]
        last = len(certified)
        yield from (tried[spec] for spec in sequence.specs[max(0, last - 1) : last + 1])


def _print(found: Calibration, output: Path) -> None:
    console = Console()
    if not console.is_terminal:
        console.width = 200
    table = Table(box=None, pad_edge=False)
    table.add_column("prune")
    for name in ("risk", "p-value", "level", "saved"):
        table.add_column(name, justify="right", no_wrap=True)
    for tried in _ends(found):
        level = "-" if tried.level is None else f"{tried.level:.4f}" if tried.level else "proved"
        table.add_row(
            tried.spec, f"{tried.risk:.4f}", f"{tried.p_value:.4f}", level, f"{tried.saved:.3f}"
        )
    count = sum(each.level is not None for each in found.policies)
    console.print(
        f"Certified: {count} of {len(found.policies)} policies, at risk {found.risk:g} with "
        f"confidence {found.confidence:g} from {found.studies} studies. Where each sequence ends:",
        highlight=False,
    )
    console.print(table)
    chosen = next(tried for tried in found.policies if tried.spec == found.prune)
    typer.echo(f"{found.prune} saves {chosen.saved:.1%} of {found.tokens_full:,} output tokens.")
    typer.echo(found.promise)
    if found.client is None:
        typer.echo(
            "note: the recording does not say what client it came from, so that nobody will be "
            "warned of another one; name it with --client"
        )
    typer.echo(f"Written to {output}: use --prune calibrated:{output}")
