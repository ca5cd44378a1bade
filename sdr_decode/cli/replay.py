"""``sdr-decode replay``: any policy and selector on recorded candidates."""

from __future__ import annotations

import json as json_format
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import track as progress_bar
from rich.table import Table

from sdr_decode.cli.output import require_file, require_folder, write_text
from sdr_decode.defaults import DEFAULT_PRUNE

if TYPE_CHECKING:
    from sdr_decode.replay import Row


def replay(
    recording: Annotated[Path, typer.Argument(help="A recording, .jsonl or .jsonl.gz.")],
    index: Annotated[Path, typer.Option(help="The index directory, NAME.sdr.")] = ...,  # type: ignore[assignment]
    k: Annotated[int, typer.Option("--k", "-k", help="How many of the candidates.")] = 8,
    prune: Annotated[list[str] | None, typer.Option(help="A prune policy; repeatable.")] = None,
    select: Annotated[list[str] | None, typer.Option(help="A selector; repeatable.")] = None,
    launch: Annotated[list[str] | None, typer.Option(help="A launch plan; repeatable.")] = None,
    gate: Annotated[
        list[str] | None,
        typer.Option(help="A reward that a report must pass, such as format; repeatable."),
    ] = None,
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
    json: Annotated[Path | None, typer.Option(help="Write the rows to this file.")] = None,
) -> None:
    """Replay RECORDING exactly under every policy with every selector."""
    from sdr_decode.launch import launch_plans  # noqa: PLC0415 - fast --help
    from sdr_decode.load import load_studies, open_measure  # noqa: PLC0415
    from sdr_decode.pruning import policies  # noqa: PLC0415
    from sdr_decode.replay import replay as replay_rows  # noqa: PLC0415
    from sdr_decode.rewards.gate import open_gates  # noqa: PLC0415
    from sdr_decode.selection import selectors  # noqa: PLC0415

    require_folder(json)
    require_file(embeddings)
    prunes = {spec: policies.make(spec) for spec in prune or ["none", DEFAULT_PRUNE]}
    selects = {spec: selectors.make(spec) for spec in select or ["corpus"]}
    launches = {spec: launch_plans.make(spec) for spec in launch or ["parallel"]}
    for plan in launches.values():
        plan.due((), k)  # refuses what needs a client, before anything takes long
    gates = open_gates(gate or ())
    progress = Console(stderr=True)
    with open_measure(index, encoder=encoder, sections=sections, embeddings=embeddings) as measure:
        studies = load_studies(
            recording,
            measure,
            k=k,
            gates=gates,
            progress=lambda batches, what: progress_bar(
                batches, what, console=progress, disable=not progress.is_terminal
            ),
        )
        rows = replay_rows(studies, measure, prunes, selects, launches, k=k, seed=seed)
    if json is not None:
        data = {"rows": [asdict(row) for row in rows]}
        write_text(json, json_format.dumps(data, indent=2) + "\n")
    _print(rows)
    without = sum(all(each.track.flaw for each in study.tracks) for study in studies)
    if without:
        typer.echo(f"note: in {without} studies no candidate is valid; the least bad was taken")


def _print(rows: list[Row]) -> None:
    console = Console()
    if not console.is_terminal:
        console.width = 200
    first = rows[0]
    console.print(
        f"Studies: {first.studies}. K = {first.k}. Full best-of-N {first.tokens_full:,} output "
        f"tokens and {first.prompts_full:,} prompts. Token-F1 and SDR (1 - symmetric Chamfer) are "
        "against the reference, higher is better.",
        highlight=False,
    )
    table = Table(box=None, pad_edge=False)
    for name in ("prune", "select", "launch"):
        table.add_column(name)
    for name in (
        "tokens",
        "saved",
        "same winner",
        "same distance",
        "Token-F1",
        "random",
        "full",
        "SDR",
        "random",
        "full",
        "prompts",
    ):
        table.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        table.add_row(
            row.prune,
            row.select,
            row.launch,
            f"{row.tokens_generated:,}",
            *map(_number, (row.saved, row.same_winner, row.same_distance)),
            *map(_number, (row.token_f1, row.token_f1_random, row.token_f1_full)),
            *map(_number, (row.sdr, row.sdr_random, row.sdr_full)),
            f"{row.prompts_launched:,}",
        )
    console.print(table)


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
