"""What is being recorded: the streams of one study while they run."""

from __future__ import annotations

import math
import re
from pathlib import PureWindowsPath
from typing import Any

from clients.base import Finish, Piece, Request, Usage
from clients.recording.ending import write_finish, write_usage
from clients.recording.study import RecordedCandidate, RecordedStudy

# What a provider may quote back in an error message.
_SECRET = re.compile(r"\b(?:sk-|bearer\s+)\S+", re.IGNORECASE)


class Take:
    """One stream as far as it has come. ``timed`` is false where pieces have no time."""

    def __init__(self, *, timed: bool, source: str) -> None:
        self.finish: Finish | None = None
        self.usage: Usage | None = None
        self._timed = timed
        self._source = source
        self._started: float | None = None
        self._pieces: list[Piece] = []
        self._times: list[float] = []

    def start(self, now: float) -> None:
        """The request goes out now, if it has not already."""
        if self._started is None:
            self._started = now

    def add(self, piece: Piece, now: float) -> None:
        assert self._started is not None
        self._pieces.append(piece)
        self._times.append(round(now - self._started, 6))

    def recorded(self) -> RecordedCandidate:
        """The stream in the words of the format. One that has not ended counts as cancelled."""
        finish = self.finish or Finish("cancelled")
        if finish.detail is not None:
            finish = Finish(finish.reason, _SECRET.sub("[key removed]", finish.detail))
        reason, extra = write_finish(finish)
        logprobs = tuple(_finite(piece.logprob) for piece in self._pieces)
        tokens = tuple(piece.tokens for piece in self._pieces)
        running = tuple(piece.running_tokens for piece in self._pieces)
        return RecordedCandidate(
            tokens=tuple(piece.text for piece in self._pieces),
            finish_reason=reason,
            times=tuple(self._times) if self._timed else None,
            logprobs=logprobs if any(value is not None for value in logprobs) else None,
            piece_tokens=tokens if any(count != 1 for count in tokens) else None,
            running_tokens=running if any(count is not None for count in running) else None,
            usage=write_usage(self.usage),
            source=self._source,
            extra=extra,
        )


class StudyTake:
    """The streams of one study. ``expected`` is how many candidates were announced."""

    def __init__(self, request: Request, *, expected: int | None) -> None:
        self.expected = expected
        self.takes: dict[int, Take] = {}
        self.key = request_key(request)
        self.name = request.study or _image_stem(request) or "study"
        self._prompt = request.prompt
        self._images = [
            {"name": image.name and _file_name(image.name), "sha256": image.sha256}
            for image in request.images
        ]
        sampling = request.sampling
        self._sampling: dict[str, Any] = {
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
            "max_tokens": sampling.max_tokens,
            "seed": sampling.seed,
        }

    def wants(self, candidate: int) -> bool:
        """Whether the candidate is still to come, or failed and is tried again."""
        take = self.takes.get(candidate)
        return take is None or (take.finish is not None and take.finish.reason == "error")

    @property
    def is_complete(self) -> bool:
        return (
            self.expected is not None
            and len(self.takes) >= self.expected
            and all(take.finish is not None for take in self.takes.values())
        )

    def recorded(self, name: str) -> RecordedStudy:
        """The study under ``name``. Candidates keep their numbers: one that was never launched
        before one that was is an error without text."""
        never = RecordedCandidate((), "error", extra={"launched": False})
        extra: dict[str, Any] = {"sampling": self._sampling}
        if self._images:
            extra["images"] = self._images
        return RecordedStudy(
            study=name,
            prompt=self._prompt,
            reference=None,
            candidates=tuple(
                self.takes[number].recorded() if number in self.takes else never
                for number in range(max(self.takes) + 1)
            ),
            extra=extra,
        )


def request_key(request: Request) -> tuple[object, ...]:
    """What makes two requests equal, without holding the images' bytes."""
    images = tuple(image.sha256 for image in request.images)
    return request.study, request.prompt, request.sampling, images


def _file_name(name: str) -> str:
    """The name without its folder, whichever way its slashes lean."""
    return PureWindowsPath(name).name


def _image_stem(request: Request) -> str | None:
    names = [image.name for image in request.images if image.name]
    return PureWindowsPath(names[0]).stem or None if names else None


def _finite(logprob: float | None) -> float | None:
    return logprob if logprob is not None and math.isfinite(logprob) else None
