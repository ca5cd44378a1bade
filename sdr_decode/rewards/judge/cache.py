"""Ratings that need not be asked for again."""

from __future__ import annotations

import json
import logging
import math
import os
import threading
from hashlib import sha256
from pathlib import Path
from typing import Any

from sdr_decode.errors import RewardError
from sdr_decode.rewards.judge.rating import RATINGS, Rating

log = logging.getLogger(__name__)


def cache_key(*parts: str | int | None) -> str:
    """A hash of everything that a rating depends on."""
    return sha256(json.dumps(parts).encode()).hexdigest()


class RatingCache:
    """In memory, and in a file of JSON lines where ``path`` is given.

    Each line holds a hash and five probabilities, no word of a report. Several processes may
    share the file: a line is appended in one write, and nothing is ever rewritten. Lines that
    cannot be read are left alone, with one warning. Raises ``RewardError`` for a path that cannot
    be read or written.
    """

    def __init__(self, path: str | Path | None = None) -> None:
        self._path = None if path is None else Path(path)
        self._ratings: dict[str, Rating] = {}
        self._writing = threading.Lock()
        self._torn = False
        if self._path is not None:
            self._load(self._path)

    def __len__(self) -> int:
        return len(self._ratings)

    def get(self, key: str) -> Rating | None:
        return self._ratings.get(key)

    def put(self, key: str, rating: Rating) -> None:
        self._ratings[key] = rating
        if self._path is not None:
            line = json.dumps({"key": key, "probabilities": rating.probabilities})
            self._append(self._path, line)

    def _load(self, path: Path) -> None:
        try:
            path.touch()
            data = path.read_bytes()
        except OSError as error:
            raise RewardError(
                f"the ratings in {path} cannot be kept ({error.strerror}); expected a file of JSON "
                "lines, or a name for one in a folder that exists"
            ) from None
        damaged = []
        for number, line in enumerate(data.splitlines(), 1):
            read = _read(line)
            if read is not None:
                self._ratings[read[0]] = read[1]
            elif line.strip():
                damaged.append(number)
        if damaged:
            lines = "line" if len(damaged) == 1 else f"{len(damaged)} lines, first"
            log.warning(
                "%s: %s %d is not a rating and was skipped; what it held is asked for again",
                path, lines, damaged[0],
            )  # fmt: skip
        self._torn = bool(data) and not data.endswith(b"\n")

    def _append(self, path: Path, line: str) -> None:
        with self._writing:
            start, self._torn = "\n" if self._torn else "", False
            try:
                file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
                try:
                    os.write(file, f"{start}{line}\n".encode())
                finally:
                    os.close(file)
            except OSError as error:
                self._path = None
                log.warning(
                    "%s can no longer be written (%s); ratings are kept in memory only",
                    path, error.strerror,
                )  # fmt: skip


def _read(line: bytes) -> tuple[str, Rating] | None:
    try:
        fields: Any = json.loads(line)
        key, values = fields["key"], [float(value) for value in fields["probabilities"]]
    except (ValueError, TypeError, KeyError):
        return None
    whole = len(values) == len(RATINGS) and all(value >= 0 for value in values)
    if (
        not isinstance(key, str)
        or not whole
        or not math.isclose(math.fsum(values), 1, abs_tol=1e-6)
    ):
        return None
    return key, Rating(tuple(values))
