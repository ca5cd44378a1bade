"""What became of each candidate, drawn from a saved result: no colours, no markup."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from sdr_decode.distances import RunningDistance
from sdr_decode.explain.saved import SavedCandidate, SavedCount, SavedResult, SavedSentence

Form = Literal["chamfer", "hausdorff"]


@dataclass(frozen=True, slots=True)
class Step:
    """A sentence as it closed, and the running distances of its candidate from then on."""

    sentence: SavedSentence
    chamfer: float
    hausdorff: float


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of a candidate's text: a closed sentence (``step`` is its number from 0), or what
    stands between, such as a heading, or behind the last one."""

    text: str
    step: int | None


@dataclass(frozen=True, slots=True)
class CandidateStory:
    """One candidate. ``end`` is its output tokens when it ended, ``None`` where unknown."""

    saved: SavedCandidate
    winner: bool
    steps: tuple[Step, ...]
    end: int | None

    @property
    def number(self) -> int:
        return self.saved.number

    @property
    def state(self) -> str:
        return self.saved.state

    @property
    def ending(self) -> str:
        """How it ended and where, in words: ``pruned after sentence 2, at 13 tokens``."""
        tokens = "an unknown number of tokens" if self.end is None else f"{self.end:,} tokens"
        if self.state != "pruned":
            closed = len(self.steps)
            return f"{self.state} with {closed} sentence{'s' * (closed != 1)}, at {tokens}"
        where = f"after sentence {len(self.steps)}" if self.steps else "before a sentence closed"
        return f"pruned {where}, at {tokens}"

    def parts(self) -> Iterator[Part]:
        """The whole text, in order."""
        at = 0
        for number, step in enumerate(self.steps):
            start, end = step.sentence.start, step.sentence.end
            if start > at:
                yield Part(self.saved.text[at:start], None)
            yield Part(self.saved.text[start:end], number)
            at = end
        if at < len(self.saved.text):
            yield Part(self.saved.text[at:], None)


def stories(result: SavedResult) -> list[CandidateStory]:
    """All candidates: the winner, then the others in launch order."""
    observed = {
        row.candidate: count.value
        for row in result.ledger.rows
        if isinstance(count := row.__pydantic_extra__.get("observed"), SavedCount)
    }
    told = [
        CandidateStory(
            candidate,
            candidate.number == result.winner,
            tuple(_steps(candidate)),
            observed.get(candidate.number, candidate.tokens.value),
        )
        for candidate in result.candidates
    ]
    return sorted(told, key=lambda story: (not story.winner, story.number))


def raced_by(result: SavedResult) -> Form:
    """The form of distance that this decode pruned or chose by."""
    words = f"{result.quantity} {result.settings.get('prune')} {result.settings.get('select')}"
    return "hausdorff" if "hausdorff" in words.casefold() else "chamfer"


def _steps(candidate: SavedCandidate) -> Iterator[Step]:
    running = RunningDistance()
    for sentence in candidate.sentences:
        running.add(sentence.distance)
        yield Step(sentence, running.chamfer or 0.0, running.hausdorff or 0.0)
