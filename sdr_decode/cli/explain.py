"""``sdr-decode explain``: report a decode to a person."""

from __future__ import annotations

from errno import EEXIST
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from sdr_decode.cli.output import require_folder, write_text


def explain(
    result: Annotated[Path, typer.Argument(metavar="RESULT", help="What generate --json wrote.")],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="The page; by default RESULT with .html for its ending."
        ),
    ] = None,
) -> None:
    """Print what became of every candidate of RESULT, and write it as one HTML page."""
    from sdr_decode.explain import read_result, render_page  # noqa: PLC0415 - fast --help
    from sdr_decode.explain.terminal import print_story  # noqa: PLC0415

    page = result.with_suffix(".html") if output is None else output
    if output is None and result.exists() and not result.is_file():
        raise FileExistsError(EEXIST, "name the page with -o: this is no file", str(result))
    if page.exists() and result.exists() and page.samefile(result):
        raise FileExistsError(EEXIST, "the page would replace the result; use -o", str(page))
    require_folder(page)
    saved = read_result(result)
    write_text(page, render_page(saved))
    console = Console()
    print_story(saved, console)
    console.print(Text(f"page: {page}"), soft_wrap=True)
