"""A recorded candidate as a decode in lockstep hears it: which sentence closes with which piece."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from clients.recording import RecordedCandidate
from clients.recording.ending import read_finish, read_usage
from sdr_decode.candidate import MeasuredSentence
from sdr_decode.measure import CorpusMeasure
from sdr_decode.result import Report, report_of
from sdr_decode.rewards.gate import Gate, flaw_of
from sdr_decode.sentences import Sentence
from sdr_decode.transcript import Transcript
from sdr_decode.validity import Invalid, invalid


@dataclass(frozen=True, slots=True)
class Closing:
    """A sentence that closes with piece number ``piece`` (from 0), when ``tokens`` are out."""

    piece: int
    tokens: int
    sentence: Sentence


@dataclass(frozen=True, slots=True)
class Track:
    """One recorded candidate, segmented.

    ``tokens[i]`` is the output after piece ``i`` and ``mean_logprobs[i]`` the mean natural
    log-probability of its tokens, ``None`` where not recorded; the track ends with its last piece.
    ``flaw`` is why it cannot be chosen, if it cannot. ``loop`` is the piece with which it came to
    repeat something without end, and what that is in words.
    """

    closings: tuple[Closing, ...]
    tokens: tuple[int, ...]
    report: Report
    flaw: Invalid | None
    loop: tuple[int, str] | None = None
    mean_logprobs: tuple[float | None, ...] = ()

    @property
    def last(self) -> int:
        """The number of the last piece; a stream without pieces ends with piece 0."""
        return max(len(self.tokens) - 1, 0)

    @property
    def total(self) -> int:
        """Output tokens of the complete stream."""
        return self.tokens[-1] if self.tokens else 0

    def tokens_by(self, piece: int) -> int:
        """Output tokens once piece number ``piece`` is out."""
        return self.tokens[min(piece, self.last)] if self.tokens else 0

    def mean_logprob_by(self, piece: int) -> float | None:
        """The mean log-probability of the tokens once piece number ``piece`` is out."""
        return self.mean_logprobs[min(piece, self.last)] if self.mean_logprobs else None


@dataclass(frozen=True, slots=True)
class MeasuredTrack:
    """A track with every sentence measured; ``measured`` runs parallel to ``track.closings``."""

    track: Track
    measured: tuple[MeasuredSentence, ...]

    @property
    def moments(self) -> list[int]:
        """The pieces with which something happens: the first token, closings, a loop, the end."""
        moments = {0, self.track.last, *(closing.piece for closing in self.track.closings)}
        if self.track.loop is not None:
            moments.add(self.track.loop[0])
        return sorted(moments)


def track(recorded: RecordedCandidate, gates: Sequence[Gate] = ()) -> Track:
    """Segment a recorded candidate piece by piece. What does not pass the ``gates`` is invalid."""
    transcript = Transcript()
    closings: list[Closing] = []
    tokens: list[int] = []
    loop: tuple[int, str] | None = None
    mean_logprobs: list[float | None] = []
    for number, piece in enumerate(recorded.pieces()):
        closed = transcript.write(piece)
        tokens.append(transcript.tokens.value or 0)
        mean_logprobs.append(transcript.mean_logprob)
        closings += [Closing(number, tokens[-1], sentence) for sentence in closed]
        if loop is None and transcript.loop is not None:
            loop = (number, transcript.loop)
    last = transcript.finish(read_usage(recorded))
    end = max(len(tokens) - 1, 0)
    if tokens:
        tokens[-1] = transcript.tokens.value or 0
    closings += [Closing(end, tokens[-1] if tokens else 0, sentence) for sentence in last]
    flaw = invalid(
        read_finish(recorded),
        transcript.text,
        sentences=len(closings),
        sectioned=transcript.sectioned,
    )
    return Track(
        closings=tuple(closings),
        tokens=tuple(tokens),
        mean_logprobs=tuple(mean_logprobs),
        report=report_of(transcript.text, (closing.sentence for closing in closings)),
        flaw=flaw or flaw_of(transcript.text, gates),
        loop=loop,
    )


def measure_tracks(tracks: Sequence[Track], measure: CorpusMeasure) -> list[MeasuredTrack]:
    """Measure every sentence of all tracks; each distinct one is embedded once."""
    queries = [
        measure.query(closing.sentence.text, closing.sentence.section)
        for each in tracks
        for closing in each.closings
    ]
    nearest = iter(zip(queries, measure.measure_now(queries), strict=True))
    measured = []
    for each in tracks:
        sentences = []
        for closing in each.closings:
            query, found = next(nearest)
            sentences.append(
                MeasuredSentence(
                    closing.sentence, query.normalised, found.distance, found.row, closing.tokens
                )
            )
        measured.append(MeasuredTrack(each, tuple(sentences)))
    return measured
