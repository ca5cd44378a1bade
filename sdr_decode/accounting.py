"""From a decode to its ledger."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from statistics import fmean

from clients import Usage
from sdr_decode.avoided import estimate_avoided
from sdr_decode.candidate import Candidate, State
from sdr_decode.counts import NOTHING, UNKNOWN, Count, guessed, less
from sdr_decode.decode import Decode
from sdr_decode.ledger import NEVER_LAUNCHED, Ledger, LedgerRow
from sdr_decode.money import priced
from sdr_decode.tariff import Tariff

_NO_USAGE = Usage()


def ledger_of(
    decode: Decode,
    full_tokens: Callable[[int], int | None],
    tariff: Tariff,
    *,
    lockstep: bool = False,
) -> Ledger:
    """The ledger of a decode that has ended.

    ``full_tokens`` tells the length of a candidate's complete stream where it is known;
    ``lockstep`` says that nothing is generated beyond what arrived.
    """
    accounts = _Accounts(decode, full_tokens, lockstep)
    candidates, k = decode.race.candidates, decode.race.k
    rows = [
        *(accounts.row(candidate) for candidate in candidates),
        *(accounts.never_launched(number) for number in range(len(candidates), k)),
    ]
    rows, money = priced(rows, tariff)
    return Ledger(k, decode.prompts_sent, tuple(rows), money)


class _Accounts:
    """What the candidates of a decode tell about themselves and about their siblings."""

    def __init__(
        self, decode: Decode, full_tokens: Callable[[int], int | None], lockstep: bool
    ) -> None:
        self._transcripts = decode.transcripts
        self._usages: Mapping[int, Usage] = decode.usages
        self._shares = decode.shares
        self._complete = decode.complete
        self._full_tokens = full_tokens
        self._lockstep = lockstep
        candidates = decode.race.candidates
        lengths = [(c.finished, self._text(c, self._arrived(c)).value or 0) for c in candidates]
        self._finished = [length for finished, length in lengths if finished]
        self._stopped = [length for finished, length in lengths if not finished]

    def row(self, candidate: Candidate) -> LedgerRow:
        usage, arrived = self._usage(candidate), self._arrived(candidate)
        text = self._text(candidate, arrived)
        observed, overshoot, avoided = text, NOTHING, NOTHING
        if candidate.state is State.PRUNED:
            decided = self._text(candidate, Count(candidate.tokens, arrived.provenance))
            observed, overshoot = decided, less(text, decided.value)
            if candidate.number not in self._complete:
                avoided = self._avoided(candidate.number, arrived, text)
        return LedgerRow(
            candidate=candidate.number,
            state=str(candidate.state),
            prompt=self._prompt(usage),
            image=_told(usage.image_tokens, usage),
            cached=_told(usage.cached_tokens, usage),
            observed=observed,
            overshoot=overshoot,
            generated=self._generated(candidate, arrived),
            avoided=avoided,
        )

    def never_launched(self, number: int) -> LedgerRow:
        avoided = self._avoided(number, NOTHING, NOTHING)
        return LedgerRow(number, NEVER_LAUNCHED, *(NOTHING,) * 6, avoided)

    def _usage(self, candidate: Candidate) -> Usage:
        return self._usages.get(candidate.number, _NO_USAGE)

    def _arrived(self, candidate: Candidate) -> Count:
        return self._transcripts[candidate.number].tokens

    def _text(self, candidate: Candidate, arrived: Count) -> Count:
        """Without hidden reasoning, which only a provider's own count holds."""
        counts_all = arrived.provenance == "reported"
        return less(arrived, self._usage(candidate).reasoning_tokens) if counts_all else arrived

    def _generated(self, candidate: Candidate, arrived: Count) -> Count:
        """What arrived, unless a stream that was cut off may have written more: then at least the
        provider's last count, or what arrived and as much hidden reasoning as the siblings'."""
        if candidate.number in self._shares:
            return self._shares[candidate.number]
        told = self._usage(candidate).output_tokens
        complete = candidate.finished or candidate.number in self._complete
        if complete or self._lockstep or (told and candidate.state is State.INVALID):
            return arrived
        seen = arrived.value or 0
        if seen and arrived.provenance != "reported":
            seen += self._hidden()
        return guessed(Count(max(seen, told or 0), "counted"))

    def _hidden(self) -> int:
        """The mean hidden reasoning of those whose provider told it."""
        told = [usage.reasoning_tokens for usage in self._usages.values()]
        known = [tokens for tokens in told if tokens is not None]
        return round(fmean(known)) if known else 0

    def _prompt(self, usage: Usage) -> Count:
        """All candidates send the same prompt: a stopped one's is as long as a sibling's."""
        if usage.prompt_tokens is not None:
            return _told(usage.prompt_tokens, usage)
        for sibling in self._usages.values():
            if sibling.prompt_tokens:  # none where a sibling sent the prompt for all
                return Count(sibling.prompt_tokens, "estimated")
        return UNKNOWN

    def _avoided(self, number: int, arrived: Count, text: Count) -> Count:
        full = self._full_tokens(number)
        if full is not None and arrived.value is not None:
            return Count(max(0, full - arrived.value), "counted")
        return estimate_avoided(text, self._finished, self._stopped)


def _told(tokens: int | None, usage: Usage) -> Count:
    return UNKNOWN if tokens is None else Count(tokens, usage.provenance)
