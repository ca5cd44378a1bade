"""``python -m index_build.cli``."""

from __future__ import annotations

from index_build.cli import main

main()
