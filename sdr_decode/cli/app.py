"""The commands of ``sdr-decode``."""

from __future__ import annotations

import typer

from sdr_decode.cli.errors import clear_errors
from sdr_decode.cli.generate import generate
from sdr_decode.cli.plan import plan
from sdr_decode.cli.replay import replay

EPILOG = (
    "Exit codes: 0 a valid report came back; 2 bad input or usage; 3 no candidate was valid; "
    "130 interrupted."
)

app = typer.Typer(
    name="sdr-decode",
    help="Decode chest X-ray reports from K streams against a corpus of real reports.",
    epilog=EPILOG,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command(epilog=EPILOG)(generate)
app.command(epilog=EPILOG)(replay)
app.command(epilog=EPILOG)(plan)


def main() -> None:
    """Run the command line; every error is one clear sentence on standard error."""
    with clear_errors():
        app()
