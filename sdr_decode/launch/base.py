"""What a launch plan is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from clients import Client, Request
from sdr_decode.candidate import Candidate


class LaunchPlan(ABC):
    """Decides how many of the K candidates start, and when.

    A prompt that is never sent costs nothing on any provider. Stateless, like a prune policy.
    ``shared`` is true of plans that ask for all candidates in one request (``Client.shared``).
    """

    shared: bool = False

    @abstractmethod
    def due(self, candidates: Sequence[Candidate], k: int) -> int:
        """How many more candidates to start now, given those that were launched so far.

        Called before the first candidate, and again after every step; at most
        ``k - len(candidates)``. A plan must start something while nothing runs and nothing valid
        has finished, as long as any of the ``k`` is left.
        """

    async def choose(self, client: Client, spec: str, request: Request, k: int) -> Chosen:
        """The plan by which ``k`` candidates are asked of ``client``, opened as ``spec``."""
        return Chosen(self)


@dataclass(frozen=True, slots=True)
class Chosen:
    """The plan of one decode. ``spec`` names it where another plan chose it, ``warning`` tells the
    user why it is not the one wished for."""

    plan: LaunchPlan
    spec: str | None = None
    warning: str | None = None
