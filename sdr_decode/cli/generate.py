"""``sdr-decode generate``: decode one study."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from sdr_decode.cli.errors import NO_VALID_CANDIDATE
from sdr_decode.cli.live import watch
from sdr_decode.cli.output import print_result, require_folder, write_text
from sdr_decode.defaults import DEFAULT_PRUNE, DEFAULT_SELECT


def generate(
    images: Annotated[
        list[Path] | None,
        typer.Argument(metavar="IMAGE...", help="One or several images of one study."),
    ] = None,
    index: Annotated[Path, typer.Option(help="The index directory, NAME.sdr.")] = ...,  # type: ignore[assignment]
    client: Annotated[str, typer.Option(help="Such as openai:gpt-4o-mini or demo.")] = ...,  # type: ignore[assignment]
    k: Annotated[int, typer.Option("--k", "-k", help="How many candidates.")] = 8,
    prune: Annotated[str, typer.Option(help="The prune policy.")] = DEFAULT_PRUNE,
    select: Annotated[str, typer.Option(help="The selector.")] = DEFAULT_SELECT,
    launch: Annotated[str, typer.Option(help="The launch plan.")] = "parallel",
    gate: Annotated[
        list[str] | None,
        typer.Option(help="A reward that a report must pass, such as language:ja; repeatable."),
    ] = None,
    prompt: Annotated[
        Path | None, typer.Option(help="A file with a prompt template of your own.")
    ] = None,
    indication: Annotated[str | None, typer.Option(help="Fills the prompt's indication.")] = None,
    comparison: Annotated[str | None, typer.Option(help="Fills the prompt's comparison.")] = None,
    study: Annotated[
        str | None, typer.Option(help="The study's id; a recording with several needs it.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Makes sampling repeatable.")] = None,
    temperature: Annotated[float, typer.Option(min=0.0, help="Of sampling.")] = 1.0,
    max_tokens: Annotated[int, typer.Option(min=1, help="Cap of one candidate.")] = 512,
    encoder: Annotated[
        str | None, typer.Option(help="A folder or name; by default the index's own.")
    ] = None,
    sections: Annotated[
        bool, typer.Option(help="Compare findings with findings, impression with impression.")
    ] = True,
    timeout: Annotated[
        float | None, typer.Option(min=0.0, help="Seconds for the whole decode.")
    ] = None,
    json: Annotated[Path | None, typer.Option(help="Write the result to this file.")] = None,
) -> None:
    """Decode IMAGE... with K candidates and print the best report with its account."""
    from clients.prompts import load_prompt  # noqa: PLC0415 - fast --help
    from sdr_decode.decoder import SDRDecoder  # noqa: PLC0415
    from sdr_decode.result import Result  # noqa: PLC0415
    from sdr_decode.streams import Timeouts  # noqa: PLC0415

    require_folder(json)
    console = Console()

    async def decode() -> Result:
        async with SDRDecoder(
            client,
            index,
            encoder=encoder,
            prune=prune,
            select=select,
            launch=launch,
            gates=gate or (),
            prompt=load_prompt(prompt) if prompt else None,
            sections=sections,
            temperature=temperature,
            max_tokens=max_tokens,
            timeouts=Timeouts(total=timeout),
        ) as decoder:
            events = decoder.stream(
                images or (),
                k=k,
                study=study,
                seed=seed,
                indication=indication,
                comparison=comparison,
            )
            async with aclosing(events):
                return await watch(events, k, console)

    result = asyncio.run(decode())
    if json is not None:  # first: a terminal may have gone away meanwhile
        write_text(json, result.to_json())
    print_result(result, console)
    if not result.valid:
        raise typer.Exit(NO_VALID_CANDIDATE)
