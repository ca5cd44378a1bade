"""What a prune policy is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence

from sdr_decode.candidate import Candidate, Pruning
from sdr_decode.measure import CorpusMeasure


class PrunePolicy(ABC):
    """Decides which running candidates stop.

    Stateless: everything that a decision needs stands in the candidates. ``prune`` is called each
    time that a sentence closed, a loop was met or a candidate ended, with all launched candidates
    in launch order, and yields only candidates that run. A policy that ``watches_tokens`` decides
    by token counts too, and is called with every token.
    """

    @property
    def watches_tokens(self) -> bool:
        return False

    @abstractmethod
    def prune(self, candidates: Sequence[Candidate]) -> Iterator[Pruning]:
        """The candidates to stop now, each with its reason in words."""

    def within(self, max_tokens: int) -> PrunePolicy:
        """The same policy for candidates of at most ``max_tokens`` output tokens."""
        return self

    def against(self, measure: CorpusMeasure) -> PrunePolicy:
        """The same policy for distances that ``measure`` gives, with what it needs of the corpus
        worked out. Raises ``DecodeError`` when the corpus cannot give that."""
        return self


def after(candidate: Candidate) -> str:
    """For reasons: after how many sentences a candidate is judged."""
    count = candidate.distance.count
    return f"after {count} sentence" + ("" if count == 1 else "s")
