"""Wraps any client and writes what it streams as a recording."""

from __future__ import annotations

import asyncio
import os
import threading
from collections import deque

from clients.base import CandidateStream, Client, Finish, Piece, Request, SharedRequest, Usage
from clients.errors import ClientClosedError, RecordingError, StreamError
from clients.recording.study import RecordedStudy
from clients.recording.take import StudyTake, Take, request_key
from clients.recording.writer import RecordingWriter


class Recorder(Client):
    """Passes the streams of ``client`` through and records them to ``path``.

    A study is written when ``k`` of its candidates have ended, ``k`` being what ``check`` was told;
    a study with fewer (a staged launch) or with an unknown ``k`` is written by ``aclose``, which
    also closes ``client`` and puts the recording in its place. Until then nothing stands at
    ``path``; a write that failed is raised there. Decodes may run side by side.

    A stream that was cancelled is recorded as far as it came, with ``finish_reason`` ``error`` and
    ``"cancelled": true``: replaying it is not exact, so record without pruning. Of an image only
    its name and its sha256 are kept. A study without an id gets the name of its first image; a
    study that comes again gets a number.
    """

    def __init__(self, client: Client, path: str | os.PathLike[str]) -> None:
        self.client = client
        self.name = client.name
        self.lockstep = client.lockstep
        self.ignores_images = client.ignores_images
        self.can_share = client.can_share
        self._writer = RecordingWriter(path)
        self._studies: list[StudyTake] = []
        self._finished: deque[RecordedStudy] = deque()
        self._names: set[str] = set()
        self._writing = threading.Lock()
        self._failure: RecordingError | None = None
        self._closed = False

    async def check(self, request: Request, k: int) -> None:
        await self.client.check(request, k)
        self._studies.append(StudyTake(request, expected=k))

    def stream(self, request: Request, candidate: int) -> CandidateStream:
        self._refuse_closed()
        return self._recorded(request, candidate, self.client.stream(request, candidate))

    def shared(self, request: Request, k: int) -> SharedRequest:
        """Recorded as if each candidate had been asked for alone; the token counts of the request
        belong to no candidate, and are not kept."""
        self._refuse_closed()
        request_to_all = self.client.shared(request, k)
        return RecorderRequest(
            request_to_all,
            tuple(
                self._recorded(request, candidate, stream)
                for candidate, stream in enumerate(request_to_all.streams)
            ),
        )

    def _recorded(
        self, request: Request, candidate: int, stream: CandidateStream
    ) -> RecorderStream:
        # Equal requests may be decoded side by side; which of them a candidate joins is all one.
        key = request_key(request)
        for study in self._studies:
            if study.key == key and study.wants(candidate):
                break
        else:
            study = StudyTake(request, expected=None)
            self._studies.append(study)
        take = study.takes[candidate] = Take(timed=not self.lockstep, source=self.name)
        return RecorderStream(self, stream, study, take)

    def full_tokens(self, request: Request, candidate: int) -> int | None:
        return self.client.full_tokens(request, candidate)

    async def aclose(self) -> None:
        if self._closed:
            return
        self._closed = True
        try:
            await self.client.aclose()
        finally:
            for study in list(self._studies):
                self._finish(study)
            await asyncio.to_thread(self._close)
        if self._failure is not None:
            raise self._failure

    def _refuse_closed(self) -> None:
        if self._closed:
            raise ClientClosedError(f"the recorder of {self.name} is closed; open another")

    def ended(self, study: StudyTake) -> None:
        """A candidate of ``study`` has ended."""
        if study in self._studies and study.is_complete:
            self._finish(study)
            asyncio.get_running_loop().run_in_executor(None, self._write)

    def _finish(self, study: StudyTake) -> None:
        self._studies.remove(study)
        if not study.takes:
            return
        name, number = study.name, 1
        while name in self._names:
            number += 1
            name = f"{study.name} ({number})"
        self._names.add(name)
        self._finished.append(study.recorded(name))

    def _write(self) -> None:
        with self._writing:
            while self._finished and self._failure is None:
                try:
                    self._writer.write(self._finished.popleft())
                except RecordingError as error:
                    self._failure = error

    def _close(self) -> None:
        self._write()
        try:
            if self._failure is None:
                self._writer.close()
            else:
                self._writer.discard()
        except RecordingError as error:
            self._failure = error


class RecorderStream(CandidateStream):
    """One stream that is being recorded."""

    def __init__(
        self, recorder: Recorder, stream: CandidateStream, study: StudyTake, take: Take
    ) -> None:
        self._recorder = recorder
        self._stream = stream
        self._study = study
        self._take = take

    @property
    def undelivered(self) -> tuple[Piece, ...]:
        return self._stream.undelivered

    async def __anext__(self) -> Piece:
        now = asyncio.get_running_loop().time
        self._take.start(now())
        try:
            piece = await anext(self._stream)
        except StopAsyncIteration:
            self._end(self._stream.finish or Finish("stop"))
            raise
        except StreamError as error:
            self._end(Finish("error", str(error)))
            raise
        self._take.add(piece, now())
        return piece

    async def cancel(self) -> None:
        try:
            await self._stream.cancel()
        finally:
            self._end(self._stream.finish or Finish("cancelled"))

    def _end(self, finish: Finish) -> None:
        self.finish = self.finish or finish
        self.usage = self._stream.usage
        if self._take.finish is None:
            self._take.finish, self._take.usage = self.finish, self.usage
            self._recorder.ended(self._study)


class RecorderRequest(SharedRequest):
    """One request for several candidates, each of which is being recorded."""

    def __init__(self, request: SharedRequest, streams: tuple[CandidateStream, ...]) -> None:
        self._request = request
        self._streams = streams

    @property
    def streams(self) -> tuple[CandidateStream, ...]:
        return self._streams

    @property
    def usage(self) -> Usage | None:
        return self._request.usage
