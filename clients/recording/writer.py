"""Writes a recording that is either whole or not there."""

from __future__ import annotations

import gzip
import io
import os
import secrets
from pathlib import Path
from types import TracebackType
from typing import Self

from clients.errors import RecordingError
from clients.recording.line import line_from_study, study_from_line
from clients.recording.study import RecordedStudy


class RecordingWriter:
    """Writes studies line by line beside ``path`` and renames into place on ``close``.

    As a context manager it closes at the end and discards after an exception. The same studies
    give the same bytes, compressed when the name ends in ``.gz``. A file that stands at ``path``
    is replaced on ``close``, not before. Raises ``RecordingError`` when the file cannot be
    written.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._partial = self.path.with_name(
            f".{self.path.name}.{os.getpid()}-{secrets.token_hex(4)}.partial"
        )
        self._studies: set[str] = set()
        if self.path.is_dir():
            raise RecordingError(f"{self.path} is a folder; expected the name of a file")
        if self.path.exists() and not self.path.is_file():
            raise RecordingError(f"{self.path} is a device or a pipe; expected the name of a file")
        try:
            self._raw: io.BufferedIOBase = self._partial.open("xb")
        except OSError as error:
            raise self._unwritable(error) from None
        # No name and no time in the header, so that equal studies give equal bytes.
        self._file: io.BufferedIOBase = (
            gzip.GzipFile("", "wb", compresslevel=6, fileobj=self._raw, mtime=0)
            if self.path.suffix == ".gz"
            else self._raw
        )
        self._open = True

    @property
    def studies(self) -> frozenset[str]:
        """The ids written so far."""
        return frozenset(self._studies)

    def write(self, study: RecordedStudy) -> None:
        """Append one study. Raises ``RecordingError`` for what could not be read again: a
        repeated id, no candidates, lists of unequal length, what JSON cannot hold."""
        if not self._open:
            raise RecordingError(f"the writer of {self.path} is closed; open another")
        if study.study in self._studies:
            raise RecordingError(
                f"found the study {study.study!r} again; a recording holds each study once"
            )
        line = line_from_study(study)
        study_from_line(line.decode())
        try:
            self._file.write(line + b"\n")
        except OSError as error:
            raise self._unwritable(error) from None
        self._studies.add(study.study)

    def close(self) -> None:
        """Put the recording in its place. Idempotent. Without any study there is none to put."""
        if not self._open:
            return
        if not self._studies:
            self.discard()
            return
        self._open = False
        try:
            if self._file is not self._raw:
                self._file.close()
            self._raw.flush()
            os.fsync(self._raw.fileno())
            self._raw.close()
            self._partial.replace(self.path)
        except OSError as error:
            self._remove()
            raise self._unwritable(error) from None

    def discard(self) -> None:
        """Remove what was written; leave what stood at ``path``. Idempotent."""
        if self._open:
            self._open = False
            self._remove()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if kind is None:
            self.close()
        else:
            self.discard()

    def _remove(self) -> None:
        try:
            self._file.close()
            self._raw.close()
        except OSError:  # a full disk: the file goes anyway
            pass
        self._partial.unlink(missing_ok=True)

    def _unwritable(self, error: OSError) -> RecordingError:
        return RecordingError(
            f"the recording {self.path} cannot be written: {error.strerror or error}; "
            "check the folder and the space left"
        )
