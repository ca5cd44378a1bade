"""The state of one decode, fed by arrivals: text in, events and decisions out. No waiting on
streams here; that is the decoder's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from clients import Finish, Piece, Usage
from sdr_decode.candidate import MeasuredSentence
from sdr_decode.counts import Count
from sdr_decode.events import (
    CandidateFinished,
    CandidateLaunched,
    CandidatePruned,
    DistanceUpdated,
    Event,
    SentenceClosed,
    TokenDelta,
)
from sdr_decode.launch import LaunchPlan
from sdr_decode.measure import CorpusMeasure
from sdr_decode.pruning import PrunePolicy
from sdr_decode.race import Race
from sdr_decode.rewards.gate import Gate
from sdr_decode.sentences import Sentence
from sdr_decode.shared_usage import shares_of, usages_of
from sdr_decode.streams import Arrival, Ended
from sdr_decode.transcript import Transcript
from sdr_decode.validity import invalid


class Decode:
    """K transcripts in one race.

    Each step of the decoder hands in what arrived at the same time (``hear``), then measures the
    sentences that closed and lets the race decide (``decide``).
    """

    def __init__(
        self,
        policy: PrunePolicy,
        plan: LaunchPlan,
        measure: CorpusMeasure,
        k: int,
        gates: Sequence[Gate] = (),
    ) -> None:
        self.race = Race(policy, k)
        self.plan = plan
        self.transcripts: list[Transcript] = []
        self.usages: dict[int, Usage] = {}
        self.shares: dict[int, Count] = {}
        self.complete: set[int] = set()
        self._measure = measure
        self._gates = gates
        self._closed: list[tuple[int, Sentence, int]] = []
        self._ended: list[tuple[int, Finish]] = []

    def launch(self) -> list[CandidateLaunched]:
        """Launch what the plan says is due."""
        launched = []
        for _ in range(self.plan.due(self.race.candidates, self.race.k)):
            self.transcripts.append(Transcript())
            launched.append(CandidateLaunched(self.race.launch().number))
        return launched

    def hear(self, arrivals: Sequence[Arrival]) -> Iterator[Event]:
        """Take in what arrived together."""
        for arrival in arrivals:
            number, transcript = arrival.candidate, self.transcripts[arrival.candidate]
            candidate = self.race.candidates[number]
            if not candidate.running:  # it came between the decision to stop and the stop
                if isinstance(arrival.what, Piece):
                    transcript.count(arrival.what)
                else:
                    self._end_stopped(number, arrival.what)
                continue
            if isinstance(arrival.what, Piece):
                closed = transcript.write(arrival.what)
                candidate.tokens = transcript.tokens.value or 0
                candidate.loop = transcript.loop
                candidate.mean_logprob = transcript.mean_logprob
                yield TokenDelta(number, arrival.what.text, candidate.tokens)
            else:
                closed = self._end(number, arrival.what)
            for sentence in closed:
                self._closed.append((number, sentence, candidate.tokens))
                yield SentenceClosed(number, sentence)

    @property
    def prompts_sent(self) -> int:
        return 1 if self.plan.shared else len(self.transcripts)

    def deal_out(self, usage: Usage | None) -> None:
        """Deal out among the candidates what the provider told of a request that they share."""
        arrived = [transcript.tokens for transcript in self.transcripts]
        self.usages = usages_of(usage, self.usages, len(arrived))
        self.shares = shares_of(usage, arrived)

    @contextmanager
    def noting_what_is_lost(self) -> Iterator[None]:
        """Add to whatever breaks the decode off a note of what had come until then."""
        try:
            yield
        except GeneratorExit:  # who leaves early has seen every event
            raise
        except BaseException as error:
            finished = sum(candidate.finished for candidate in self.race.candidates)
            tokens = sum(transcript.tokens.value or 0 for transcript in self.transcripts)
            error.add_note(
                f"no report was chosen: {finished} of {len(self.transcripts)} launched candidates "
                f"had finished, {tokens:,} output tokens had arrived"
            )
            raise

    async def decide(self) -> list[Event]:
        """Measure what closed, all in one batch, end what ended, and let the policy prune."""
        events = [*await self._measured(), *await self._concluded()]
        return [*events, *(CandidatePruned(p.candidate, p.reason) for p in self.race.settle())]

    async def _measured(self) -> list[Event]:
        closed, self._closed = self._closed, []
        if not closed:
            return []
        queries = [
            self._measure.query(sentence.text, sentence.section) for _, sentence, _ in closed
        ]
        events: list[Event] = []
        for (number, sentence, tokens), query, nearest in zip(
            closed, queries, await self._measure.measure(queries), strict=True
        ):
            candidate = self.race.candidates[number]
            measured = MeasuredSentence(
                sentence, query.normalised, nearest.distance, nearest.row, tokens
            )
            candidate.close(measured)
            running = candidate.distance
            chamfer, hausdorff = running.chamfer or 0.0, running.hausdorff or 0.0
            events.append(DistanceUpdated(number, measured, chamfer, hausdorff))
        return events

    async def _concluded(self) -> list[Event]:
        events: list[Event] = []
        ended, self._ended = self._ended, []
        for number, finish in ended:
            await self._conclude(number, finish)
            events.append(CandidateFinished(number, self.race.candidates[number].ended))
        return events

    def _end_stopped(self, number: int, ended: Ended) -> None:
        if ended.usage is not None:
            self.usages[number] = ended.usage
        if ended.finish.reason not in ("cancelled", "error"):
            self.complete.add(number)

    def _end(self, number: int, ended: Ended) -> list[Sentence]:
        if ended.usage is not None:
            self.usages[number] = ended.usage
        self._ended.append((number, ended.finish))
        transcript = self.transcripts[number]
        closed = transcript.finish(ended.usage)
        self.race.candidates[number].tokens = transcript.tokens.value or 0
        return closed

    async def _conclude(self, number: int, finish: Finish) -> None:
        candidate, transcript = self.race.candidates[number], self.transcripts[number]
        flaw = invalid(
            finish,
            transcript.text,
            sentences=len(candidate.sentences),
            sectioned=transcript.sectioned,
        )
        candidate.text = transcript.text
        if flaw is not None:
            candidate.fail(flaw.flaw, flaw.detail)
            return
        for gate in self._gates:
            refusal = await gate.refusal(transcript.text)
            if refusal is not None:
                candidate.fail("gated", refusal)
                return
        candidate.finish()
