"""``python -m sdr_decode.cli``."""

from __future__ import annotations

from sdr_decode.cli import main

main()
