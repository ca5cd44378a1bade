"""Who may be chosen."""

from __future__ import annotations

from collections.abc import Sequence

from sdr_decode.candidate import Candidate, Flaw

# What is taken when nothing valid is left, best first. ``None`` is a pruned report, which is only
# unfinished.
_LAST_RESORTS: tuple[Flaw | None, ...] = (
    "truncated",
    "failed",
    None,
    "gated",
    "filtered",
    "refused",
)


def eligible(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The valid candidates in launch order; when there are none, the least bad of those that
    have a sentence; empty when there is no sentence at all."""
    valid = [candidate for candidate in candidates if candidate.finished]
    if valid:
        return valid
    written = [candidate for candidate in candidates if candidate.sentences]
    for flaw in _LAST_RESORTS:
        of_this_kind = [candidate for candidate in written if candidate.flaw == flaw]
        if of_this_kind:
            return of_this_kind
    return []
