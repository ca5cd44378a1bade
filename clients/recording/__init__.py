"""Recordings: K complete streams per study, kept so that any policy can be replayed exactly.

Format version 1 is JSON Lines, one study a line, compressed when the name ends in ``.gz``.
"""

from __future__ import annotations

from clients.recording.reader import read_recording, recording_fingerprint
from clients.recording.study import RecordedCandidate, RecordedStudy, Reference, word_pieces
from clients.recording.writer import RecordingWriter

__all__ = [
    "RecordedCandidate",
    "RecordedStudy",
    "RecordingWriter",
    "Reference",
    "read_recording",
    "recording_fingerprint",
    "word_pieces",
]
