"""What a launch plan is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from sdr_decode.candidate import Candidate


class LaunchPlan(ABC):
    """Decides how many of the K candidates start, and when.

    A prompt that is never sent costs nothing on any provider. Stateless, like a prune policy.
    """

    @abstractmethod
    def due(self, candidates: Sequence[Candidate], k: int) -> int:
        """How many more candidates to start now, given those that were launched so far.

        Called before the first candidate, and again after every step; at most
        ``k - len(candidates)``. A plan must start something while nothing runs and nothing valid
        has finished, as long as any of the ``k`` is left.
        """
