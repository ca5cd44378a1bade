"""The ``sdr-index`` command."""

from __future__ import annotations

from sdr_decode.cli.entry import run_command

__all__ = ["main"]


def main() -> None:
    """Run the command line and exit."""
    run_command("index_build.cli.app")
