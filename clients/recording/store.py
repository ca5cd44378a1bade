"""Holds a recording for random access in about the memory of its compressed file."""

from __future__ import annotations

import threading
import zlib
from collections import OrderedDict
from collections.abc import Iterable

from clients.errors import RecordingError
from clients.recording.line import line_from_study, study_from_line
from clients.recording.study import RecordedStudy

_PARSED_KEPT = 16  # studies that may be decoded at the same time
_IDS_SHOWN = 3


class StudyStore:
    """Studies by id. Each is kept as a compressed line, because a gzip file cannot be entered in
    its middle and parsed studies take ten times the memory. Safe to use from several threads.

    ``name`` says in errors where the studies come from.
    """

    def __init__(self, studies: Iterable[RecordedStudy], name: str) -> None:
        self.name = name
        self._lines = {
            study.study: zlib.compress(line_from_study(study), level=1) for study in studies
        }
        self._parsed: OrderedDict[str, RecordedStudy] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def studies(self) -> tuple[str, ...]:
        """The ids in the order of the recording."""
        return tuple(self._lines)

    def resolve(self, study: str | None) -> str:
        """The id to replay. ``None`` is enough where there is one study only. Raises
        ``RecordingError`` naming a few ids where none fits."""
        if study in self._lines:
            return study
        if study is None and len(self._lines) == 1:
            return next(iter(self._lines))
        shown = ", ".join(list(self._lines)[:_IDS_SHOWN])
        holds = f"{self.name} holds {len(self._lines)} studies, such as {shown}"
        if study is None:
            raise RecordingError(f"{holds}; say which of them to replay")
        raise RecordingError(f"no study {study!r} was recorded: {holds}")

    def get(self, study: str | None) -> RecordedStudy:
        """The study itself. Raises ``RecordingError`` as ``resolve`` does."""
        identity = self.resolve(study)
        with self._lock:
            parsed = self._parsed.pop(identity, None)
            if parsed is None:
                parsed = study_from_line(zlib.decompress(self._lines[identity]).decode())
            self._parsed[identity] = parsed
            if len(self._parsed) > _PARSED_KEPT:
                self._parsed.popitem(last=False)
        return parsed

    def has_parsed(self, study: str | None) -> bool:
        """Whether ``get`` is instant."""
        if study is None and len(self._lines) == 1:
            study = next(iter(self._lines))
        return study in self._parsed
