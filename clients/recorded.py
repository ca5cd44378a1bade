"""``recorded:FILE``: replays a recording."""

from __future__ import annotations

import asyncio
import math
import os
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Self

from clients.base import Client, Request, SharedRequest
from clients.errors import ClientClosedError, RecordingError, SpecError
from clients.local_stream import Ending, LocalRequest, LocalStream, Pieces
from clients.recording.ending import full_tokens, read_finish, read_usage
from clients.recording.reader import read_recording
from clients.recording.store import StudyStore
from clients.recording.study import RecordedCandidate, RecordedStudy
from clients.registry import ClientContext
from clients.spec import Spec, allow_options, number


class RecordedClient(Client):
    """Replays the candidates of ``request.study``, which may be ``None`` where the recording
    holds one study only. The prompt, the images and the sampling are not looked at.

    Without ``speed`` and ``rate`` the client is in lockstep: pieces have no time of their own and
    results are exact. ``speed`` replays on the recorded times, twice as fast with 2.0; ``rate``,
    in pieces per second before ``speed``, is for candidates without times. A candidate that failed
    when it was recorded fails again, after the same pieces.
    """

    ignores_images = True
    can_share = True

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        speed: float | None = None,
        rate: float | None = None,
    ) -> None:
        """Reads nothing yet: errors of the file surface in ``check`` and in the streams."""
        self.path = Path(path)
        self.speed = speed
        self.rate = rate
        self.lockstep = speed is None and rate is None
        options = [f"{key}={value:g}" for key, value in (("speed", speed), ("rate", rate)) if value]
        self.name = ",".join([f"recorded:{path}", *options])
        self._store: StudyStore | None = None
        self._reading = threading.Lock()
        self._closed = False

    @classmethod
    def from_studies(
        cls,
        studies: Iterable[RecordedStudy],
        *,
        speed: float | None = None,
        rate: float | None = None,
    ) -> Self:
        """A client of studies in memory."""
        client = cls("memory", speed=speed, rate=rate)
        client._store = StudyStore(studies, "the recording")
        return client

    async def studies(self) -> tuple[str, ...]:
        """The ids in the order of the recording. Raises ``RecordingError``."""
        return (await self._opened()).studies

    async def study(self, study: str | None) -> RecordedStudy:
        """One recorded study. Raises ``RecordingError`` for an unknown id."""
        store = await self._opened()
        if store.has_parsed(study):
            return store.get(study)
        return await asyncio.to_thread(store.get, study)

    async def check(self, request: Request, k: int) -> None:
        recorded = await self.study(request.study)
        if k > len(recorded.candidates):
            raise RecordingError(
                f"the recording holds {len(recorded.candidates)} candidates for {recorded.study}, "
                f"k is {k}; ask for fewer"
            )
        for at, candidate in enumerate(recorded.candidates[:k]):
            self.check_times(candidate, f"candidate {at} of {recorded.study}")

    def stream(self, request: Request, candidate: int) -> RecordedStream:
        if self._closed:
            raise ClientClosedError(f"the client {self.name} is closed; open another")
        return RecordedStream(self, request.study, candidate)

    def shared(self, request: Request, k: int) -> SharedRequest:
        return LocalRequest(self.stream(request, candidate) for candidate in range(k))

    def full_tokens(self, request: Request, candidate: int) -> int | None:
        if self._store is None or not self._store.has_parsed(request.study):
            return None
        return full_tokens(self._store.get(request.study).candidates[candidate])

    async def aclose(self) -> None:
        self._closed = True
        self._store = None

    async def _opened(self) -> StudyStore:
        if self._closed:
            raise ClientClosedError(f"the client {self.name} is closed; open another")
        return self._store if self._store is not None else await asyncio.to_thread(self._read)

    def _read(self) -> StudyStore:
        with self._reading:  # once, however many candidates start at the same time
            store = self._store
            if store is None:
                store = self._store = StudyStore(read_recording(self.path), str(self.path))
            return store

    def check_times(self, candidate: RecordedCandidate, what: str) -> None:
        """Raise ``RecordingError`` where it is not known when to replay the pieces."""
        if not self.lockstep and candidate.times is None and self.rate is None:
            raise RecordingError(
                f"{what} was recorded without times; add rate=PIECES_PER_SECOND, or leave speed out"
            )

    def due(self, candidate: RecordedCandidate, piece: int) -> float | None:
        """Seconds from the start to a piece, ``None`` in lockstep."""
        if self.lockstep:
            return None
        if candidate.times is not None:
            recorded = candidate.times[piece]
        else:
            assert self.rate is not None
            recorded = (piece + 1) / self.rate
        return recorded / (self.speed or 1.0)


class RecordedStream(LocalStream):
    """One candidate of a recording."""

    def __init__(self, client: RecordedClient, study: str | None, candidate: int) -> None:
        super().__init__()
        self._client = client
        self._study = study
        self._candidate = candidate

    async def open_pieces(self) -> Pieces:
        recorded = await self._client.study(self._study)
        if not 0 <= self._candidate < len(recorded.candidates):
            raise RecordingError(
                f"the recording holds {len(recorded.candidates)} candidates for {recorded.study}, "
                f"candidate number {self._candidate} was asked for; ask for fewer"
            )
        candidate = recorded.candidates[self._candidate]
        self._client.check_times(candidate, f"candidate {self._candidate} of {recorded.study}")
        return self._replay(candidate)

    def _replay(self, candidate: RecordedCandidate) -> Pieces:
        for at, piece in enumerate(candidate.pieces()):
            yield self._client.due(candidate, at), piece
        return Ending(read_finish(candidate), read_usage(candidate))


def open_from_spec(spec: Spec, context: ClientContext) -> RecordedClient:
    """``recorded:FILE[,speed=FACTOR][,rate=PIECES_PER_SECOND]``."""
    allow_options(spec, "speed", "rate")
    if spec.value is None:
        raise SpecError("recorded found no file; expected recorded:FILE")
    return RecordedClient(
        Path(spec.value).expanduser(), speed=_factor(spec, "speed"), rate=_factor(spec, "rate")
    )


def _factor(spec: Spec, option: str) -> float | None:
    if option not in spec.options:
        return None
    factor = number(spec, spec.options[option], option)
    if not 0 < factor < math.inf:
        raise SpecError(f"{spec.name} found {option}={factor:g}; expected a number above 0")
    return factor
