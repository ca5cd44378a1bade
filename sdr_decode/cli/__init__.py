"""The ``sdr-decode`` command."""

from __future__ import annotations

from sdr_decode.cli.entry import run_command

__all__ = ["main"]


def main() -> None:
    """Run the command line; every error is one clear sentence on standard error."""
    run_command("sdr_decode.cli.app")
