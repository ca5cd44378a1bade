"""Speculative Rejection: at each decision point the worst share of the candidates is rejected
(Sun et al. 2024, arXiv 2410.20290).

In the paper a reward model judges the partial texts and a decision falls whenever the batch fills
the memory. Here the running distance to the corpus judges, and a decision falls every so many
tokens. Candidates that finished keep their place in the ranking, as they do in the paper.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from benchmarks.peers.base import PeerPolicy, TokenPolicy
from clients.spec import Spec, allow_options, number, whole_number
from sdr_decode.candidate import Candidate, Pruning
from sdr_decode.pruning.base import after


@dataclass(frozen=True)
class SpeculativeRejection(TokenPolicy):
    """Rejects the worst ``share`` (alpha) of those left after every ``every`` tokens.

    Of K candidates at least ceil(K (1 - alpha)^r) are left after r decisions; one is never
    rejected before it has a distance.
    """

    share: float = 0.5
    every: int = 16

    def prune(self, candidates: Sequence[Candidate]) -> Iterator[Pruning]:
        running = [candidate for candidate in candidates if candidate.running]
        if not running:
            return
        rounds = min(candidate.tokens for candidate in running) // self.every
        left = max(1, math.ceil(len(candidates) * (1.0 - self.share) ** rounds - 1e-9))
        pool = [c for c in candidates if (c.running or c.finished) and c.sentences]
        unheard = sum(not candidate.sentences for candidate in running)
        ranked = sorted(pool, key=lambda c: (c.distance.chamfer, c.number))
        for rank, candidate in enumerate(ranked):
            if candidate.running and rank + unheard >= left:
                yield Pruning(
                    candidate.number,
                    f"distance {candidate.distance.chamfer:.4f} {after(candidate)} is number "
                    f"{rank + 1} of {len(ranked)} at decision {rounds}, which keeps {left}",
                )


def from_spec(spec: Spec) -> PeerPolicy:
    """``speculative-rejection:SHARE[,every=TOKENS]``."""
    allow_options(spec, "every")
    policy = SpeculativeRejection(
        number(spec, spec.value or "0.5", "share", high=1.0),
        whole_number(spec, spec.options.get("every", "16"), "every", low=1),
    )
    return lambda study, measure: policy
