"""From a decode to its ledger."""

from __future__ import annotations

from collections.abc import Callable

from clients import Usage
from sdr_decode.avoided import estimate_avoided
from sdr_decode.candidate import Candidate, State
from sdr_decode.counts import NOTHING, UNKNOWN, Count, less
from sdr_decode.decode import Decode
from sdr_decode.ledger import NEVER_LAUNCHED, Ledger, LedgerRow
from sdr_decode.money import Tariff, money


def ledger_of(decode: Decode, full_tokens: Callable[[int], int | None], tariff: Tariff) -> Ledger:
    """The ledger of a decode that has ended. ``full_tokens`` tells the length of a candidate's
    complete stream where it is known."""
    race = decode.race
    lengths = [candidate.tokens for candidate in race.candidates if candidate.finished]
    rows = [_row(candidate, decode, full_tokens, lengths) for candidate in race.candidates]
    for number in range(len(race.candidates), race.k):
        avoided = _avoided(NOTHING, full_tokens(number), lengths)
        rows.append(LedgerRow(number, NEVER_LAUNCHED, *(NOTHING,) * 6, avoided))
    return Ledger(race.k, decode.prompts_sent, tuple(rows), money(rows, tariff))


def _row(
    candidate: Candidate,
    decode: Decode,
    full_tokens: Callable[[int], int | None],
    lengths: list[int],
) -> LedgerRow:
    usage = decode.usages.get(candidate.number, Usage())
    arrived = decode.transcripts[candidate.number].tokens
    generated = decode.shares.get(candidate.number, arrived)
    overshoot = avoided = NOTHING
    observed = less(arrived, usage.reasoning_tokens)
    if candidate.state is State.PRUNED:
        observed = Count(candidate.tokens, arrived.provenance)
        overshoot = Count((arrived.value or 0) - candidate.tokens, arrived.provenance)
        if candidate.number not in decode.complete:
            avoided = _avoided(arrived, full_tokens(candidate.number), lengths)
    return LedgerRow(
        candidate=candidate.number,
        state=str(candidate.state),
        prompt=_prompt(usage, decode),
        image=_told(usage.image_tokens, usage),
        cached=_told(usage.cached_tokens, usage),
        observed=observed,
        overshoot=overshoot,
        generated=generated,
        avoided=avoided,
    )


def _prompt(usage: Usage, decode: Decode) -> Count:
    """All candidates send the same prompt: a stopped one's is as long as a sibling's."""
    if usage.prompt_tokens is not None:
        return Count(usage.prompt_tokens, usage.provenance)
    for sibling in decode.usages.values():
        if sibling.prompt_tokens:  # none where a sibling sent the prompt for all
            return Count(sibling.prompt_tokens, "estimated")
    return UNKNOWN


def _told(tokens: int | None, usage: Usage) -> Count:
    return UNKNOWN if tokens is None else Count(tokens, usage.provenance)


def _avoided(generated: Count, full: int | None, lengths: list[int]) -> Count:
    if full is not None and generated.value is not None:
        return Count(max(0, full - generated.value), "counted")
    return estimate_avoided(generated, lengths)
