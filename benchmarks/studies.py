"""The studies of a recording, measured, with what only the benchmark looks at."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from clients.recording import RecordedStudy, Reference, read_recording
from clients.recording.study import RecordedCandidate
from sdr_decode.load import Progress, load_studies
from sdr_decode.measure import CorpusMeasure
from sdr_decode.replay import ReplayStudy
from sdr_decode.track import MeasuredTrack

LogProbabilities = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class BenchStudy:
    """A measured study with its reference and the log-probabilities of its candidates.

    ``logprobs`` holds for each candidate the natural log-probability of every piece, or ``None``
    where the recording does not know them all.
    """

    measured: ReplayStudy
    reference: Reference | None
    logprobs: tuple[LogProbabilities | None, ...]

    @property
    def study(self) -> str:
        return self.measured.study

    @property
    def tracks(self) -> tuple[MeasuredTrack, ...]:
        return self.measured.tracks

    def first(self, k: int) -> BenchStudy:
        """The same study with its first ``k`` candidates only."""
        measured = self.measured
        return replace(
            self,
            measured=replace(
                measured,
                tracks=measured.tracks[:k],
                token_f1=measured.token_f1 and measured.token_f1[:k],
                sdr=measured.sdr and measured.sdr[:k],
            ),
            logprobs=self.logprobs[:k],
        )


def load_bench_studies(
    recording: Path, measure: CorpusMeasure, *, k: int, progress: Progress | None = None
) -> list[BenchStudy]:
    """The first ``k`` candidates of every study. Raises ``RecordingError`` as ``load_studies``."""
    measured = load_studies(recording, measure, k=k, progress=progress)
    return [
        _study(one, recorded)
        for one, recorded in zip(measured, read_recording(recording), strict=True)
    ]


def token_limit(studies: list[BenchStudy]) -> int | None:
    """The token limit that the candidates were sampled with, ``None`` where none met it."""
    met = [
        each.track.total
        for study in studies
        for each in study.tracks
        if each.track.flaw is not None and each.track.flaw.flaw == "truncated"
    ]
    return max(met, default=None)


def _study(measured: ReplayStudy, recorded: RecordedStudy) -> BenchStudy:
    candidates = recorded.candidates[: len(measured.tracks)]
    return BenchStudy(measured, recorded.reference, tuple(map(_logprobs, candidates)))


def _logprobs(candidate: RecordedCandidate) -> LogProbabilities | None:
    known = tuple(value for value in candidate.logprobs or () if value is not None)
    return known if known and len(known) == len(candidate.tokens) else None
