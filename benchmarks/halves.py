"""Which half of the studies something is chosen on, and which half it is reported on."""

from __future__ import annotations

import hashlib
from typing import Literal

Half = Literal["tuning", "report"]


def half(study: str) -> Half:
    """The half of a study, by the first byte of the SHA-256 of its id: even tunes, odd reports.

    It depends on nothing else, so a study stays on its side in every file and every version.
    """
    return "report" if hashlib.sha256(study.encode()).digest()[0] % 2 else "tuning"
