"""The commands of ``sdr-decode``."""

from __future__ import annotations

import typer

from sdr_decode.cli.calibrate import calibrate
from sdr_decode.cli.errors import EXIT_CODES, clear_errors
from sdr_decode.cli.explain import explain
from sdr_decode.cli.generate import generate
from sdr_decode.cli.plan import plan
from sdr_decode.cli.replay import replay

app = typer.Typer(
    name="sdr-decode",
    help="Decode chest X-ray reports from K streams against a corpus of real reports.",
    epilog=EXIT_CODES,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
for command in (generate, replay, calibrate, plan, explain):
    app.command(epilog=EXIT_CODES)(clear_errors()(command))


def main() -> None:
    """Run the command line; every error is one clear sentence on standard error."""
    app(prog_name="sdr-decode")
