"""The race of K candidates: who runs, who finished, who is stopped. No clock, no network."""

from __future__ import annotations

from sdr_decode.candidate import Candidate, Pruning
from sdr_decode.pruning.base import PrunePolicy


class Race:
    """Up to ``k`` candidates in launch order under one prune policy.

    ``steps`` is how long a replay in lockstep took, one piece a step; a live race leaves it at 0.

    A step of the race brings in everything that happened at the same time: sentences that closed,
    candidates that ended. Then ``settle`` asks the policy once, so that a decision never depends
    on the order in which simultaneous events were handled.
    """

    def __init__(self, policy: PrunePolicy, k: int) -> None:
        self.policy = policy
        self.k = k
        self.candidates: list[Candidate] = []
        self.steps = 0

    def launch(self) -> Candidate:
        candidate = Candidate(number=len(self.candidates))
        self.candidates.append(candidate)
        return candidate

    @property
    def running(self) -> list[Candidate]:
        return [candidate for candidate in self.candidates if candidate.running]

    def settle(self) -> list[Pruning]:
        """Apply the policy. Returns the prunings that took effect, in launch order.

        The last candidate that can still become the report is never pruned: while nothing valid
        has finished and none is left to launch, the best of those that the policy would stop runs
        on.
        """
        prunings = sorted(self.policy.prune(self.candidates), key=lambda p: p.candidate)
        if not prunings:
            return []
        pruned = {pruning.candidate for pruning in prunings}
        if not self._hope_without(pruned):
            pruned.discard(self._best(pruned))
            prunings = [pruning for pruning in prunings if pruning.candidate in pruned]
        for pruning in prunings:
            self.candidates[pruning.candidate].prune(pruning.reason)
        return prunings

    def _hope_without(self, pruned: set[int]) -> bool:
        return len(self.candidates) < self.k or any(
            candidate.finished or (candidate.running and candidate.number not in pruned)
            for candidate in self.candidates
        )

    def _best(self, numbers: set[int]) -> int:
        def standing(number: int) -> tuple[float, int]:
            chamfer = self.candidates[number].distance.chamfer
            return (0.0 if chamfer is None else chamfer, number)

        return min(numbers, key=standing)
