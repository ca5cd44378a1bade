"""Reads a recording, one study at a time."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import zlib
from collections.abc import Iterator
from pathlib import Path

from clients.errors import RecordingError
from clients.recording.line import line_from_study, study_from_line
from clients.recording.study import RecordedStudy

_GZIP_MAGIC = b"\x1f\x8b"
_LFS_START = b"version https://git-lfs"


def read_recording(path: str | os.PathLike[str]) -> Iterator[RecordedStudy]:
    """Yield the studies of a recording in the order of its lines, holding one at a time.

    The file is gzip when its name ends in ``.gz``. Blank lines are skipped. Raises
    ``RecordingError`` naming the file and the line: for a file that is missing, empty, cut short,
    a Git LFS pointer or not UTF-8, and for a line that is not a study, that repeats a study's id,
    or whose lists do not fit each other.
    """
    path = Path(path)
    seen: set[str] = set()
    for number, line in _lines(path):
        try:
            study = study_from_line(line)
        except RecordingError as error:
            raise RecordingError(f"{path}, line {number}: {error}") from None
        if study.study in seen:
            raise RecordingError(
                f"{path}, line {number}: found the study {study.study!r} again; "
                "expected each study once; remove or rename one of them"
            )
        seen.add(study.study)
        yield study
    if not seen:
        raise RecordingError(f"{path} holds no studies; expected one JSON object a line")


def recording_fingerprint(path: str | os.PathLike[str]) -> str:
    """The sha256 (hexadecimal) of what a recording says.

    Compression, key order and white space do not count; the order of the studies does. Raises
    ``RecordingError`` as ``read_recording`` does.
    """
    digest = hashlib.sha256()
    for study in read_recording(path):
        digest.update(line_from_study(study, canonical=True) + b"\n")
    return digest.hexdigest()


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """Line numbers from 1, and the lines that are not blank."""
    number = 0
    try:
        with _open(path) as file:
            for number, raw in enumerate(file, 1):
                try:
                    line = raw.decode("utf-8-sig" if number == 1 else "utf-8").strip()
                except UnicodeDecodeError as error:
                    raise RecordingError(
                        f"{path}, line {number}: found a byte that is not UTF-8 at position "
                        f"{error.start}; expected UTF-8 text; convert the file"
                    ) from None
                if line:
                    yield number, line
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise RecordingError(
            f"{path} is damaged after line {number} ({error}); expected a whole gzip file; "
            "copy it again"
        ) from None
    except OSError as error:
        raise RecordingError(
            f"the recording {path} cannot be read: {error.strerror or error}; check the path"
        ) from None


def _open(path: Path) -> io.BufferedIOBase:
    with path.open("rb") as file:
        start = file.read(len(_LFS_START))
    if start == _LFS_START:
        raise RecordingError(
            f"{path} is a Git LFS pointer, not the recording itself; run: git lfs pull"
        )
    if not start:
        raise RecordingError(f"{path} is empty; expected one study a line")
    compressed = start.startswith(_GZIP_MAGIC)
    if path.suffix == ".gz":
        if not compressed:
            raise RecordingError(
                f"{path} ends in .gz and is not gzip; drop .gz from its name, or copy it again"
            )
        return gzip.open(path, "rb")
    if compressed:
        raise RecordingError(f"{path} is gzip and does not end in .gz; add .gz to its name")
    return path.open("rb")
