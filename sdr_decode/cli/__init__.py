"""The ``sdr-decode`` command."""

from __future__ import annotations

from sdr_decode.cli.app import main

__all__ = ["main"]
