"""One of the K streamed reports, as the race sees it: no stream, no text rules, no encoder."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

from sdr_decode.distances import RunningDistance
from sdr_decode.sentences import Sentence


class State(StrEnum):
    """Where a candidate stands. All but ``RUNNING`` are final."""

    RUNNING = "running"
    FINISHED = "finished"
    PRUNED = "pruned"
    INVALID = "invalid"


Flaw = Literal["empty", "refused", "filtered", "truncated", "failed", "gated"]
"""Why a candidate that ended cannot be chosen while a valid one is there."""


@dataclass(frozen=True, slots=True)
class MeasuredSentence:
    """A closed sentence with its distance to the corpus, in [0, 1].

    ``nearest`` is the row of the nearest corpus sentence; ``tokens`` is how many output tokens of
    the candidate had been seen when the sentence closed.
    """

    sentence: Sentence
    normalised: str
    distance: float
    nearest: int | None
    tokens: int


@dataclass(frozen=True, slots=True)
class Pruning:
    """A decision to stop ``candidate``, with the reason in words."""

    candidate: int
    reason: str


@dataclass(slots=True)
class Candidate:
    """A candidate's standing. ``number`` is its place in the launch order, which breaks ties.

    ``tokens`` counts the output tokens observed; ``mean_logprob`` is the mean natural
    log-probability of one, ``None`` where the client does not tell it. ``loop`` says in words what
    its text has come to repeat without end, ``None`` while it does not. ``text`` is the whole text
    of one that ended by itself, ``None`` until then. ``ended`` says in words why
    a pruned or invalid candidate ended; ``flaw`` names what makes it invalid.
    """

    number: int
    state: State = State.RUNNING
    sentences: list[MeasuredSentence] = field(default_factory=list)
    distance: RunningDistance = field(default_factory=RunningDistance)
    tokens: int = 0
    loop: str | None = None
    text: str | None = None
    mean_logprob: float | None = None
    ended: str | None = None
    flaw: Flaw | None = None

    @property
    def running(self) -> bool:
        return self.state is State.RUNNING

    @property
    def finished(self) -> bool:
        """Ended by itself, and valid: it can be chosen."""
        return self.state is State.FINISHED

    @property
    def written(self) -> str:
        """Its whole text, or as long as that is not there the sentences that closed, one a line."""
        if self.text is not None:
            return self.text
        return "\n".join(each.sentence.text for each in self.sentences)

    def close(self, sentence: MeasuredSentence) -> None:
        self.sentences.append(sentence)
        self.distance.add(sentence.distance)

    def finish(self) -> None:
        """It ended by itself and is valid."""
        self._end(State.FINISHED)

    def prune(self, reason: str) -> None:
        """The policy stopped it."""
        self._end(State.PRUNED)
        self.ended = reason

    def fail(self, flaw: Flaw, detail: str) -> None:
        """It ended by itself and is invalid."""
        self._end(State.INVALID)
        self.flaw, self.ended = flaw, f"{flaw}: {detail}"

    def _end(self, state: State) -> None:
        if not self.running:
            raise ValueError(f"candidate {self.number} ended already: {self.state}")
        self.state = state
