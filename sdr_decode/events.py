"""What happens in a decode, one frozen value per step, in the order in which it happens."""

from __future__ import annotations

from dataclasses import dataclass

from sdr_decode.candidate import MeasuredSentence
from sdr_decode.result import Result
from sdr_decode.sentences import Sentence


@dataclass(frozen=True, slots=True)
class CandidateLaunched:
    """A candidate's request was handed to the client."""

    candidate: int


@dataclass(frozen=True, slots=True)
class TokenDelta:
    """Text arrived. ``tokens`` is the candidate's output so far."""

    candidate: int
    text: str
    tokens: int


@dataclass(frozen=True, slots=True)
class SentenceClosed:
    """The segmenter is certain of a sentence."""

    candidate: int
    sentence: Sentence


@dataclass(frozen=True, slots=True)
class DistanceUpdated:
    """A sentence was measured. ``chamfer`` and ``hausdorff`` are the running directed distances
    of the candidate, in [0, 1]."""

    candidate: int
    sentence: MeasuredSentence
    chamfer: float
    hausdorff: float


@dataclass(frozen=True, slots=True)
class CandidatePruned:
    """The prune policy stopped a candidate."""

    candidate: int
    reason: str


@dataclass(frozen=True, slots=True)
class CandidateFinished:
    """A candidate ended by itself; ``invalid`` says why it cannot be chosen, if it cannot."""

    candidate: int
    invalid: str | None


@dataclass(frozen=True, slots=True)
class Decision:
    """The selector chose. The result follows."""

    winner: int
    reason: str


Event = (
    CandidateLaunched
    | TokenDelta
    | SentenceClosed
    | DistanceUpdated
    | CandidatePruned
    | CandidateFinished
    | Decision
    | Result
)
