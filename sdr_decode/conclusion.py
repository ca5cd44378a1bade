"""From an ended race to a result: choose, account, explain."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sdr_decode.candidate import Candidate, State
from sdr_decode.corpus import Corpus
from sdr_decode.counts import NOTHING, UNKNOWN, Count
from sdr_decode.decode import Decode
from sdr_decode.errors import DecodeError
from sdr_decode.ledger import NEVER_LAUNCHED, Ledger, LedgerRow, estimate_avoided
from sdr_decode.result import (
    CandidateResult,
    NearestSentence,
    Result,
    SentenceResult,
    report_of,
)
from sdr_decode.selection import Choice, Field, Selector, eligible


def conclude(
    decode: Decode,
    selector: Selector,
    corpus: Corpus,
    *,
    full_tokens: Callable[[int], int | None],
    seed: int,
    study: str | None,
    warnings: tuple[str, ...],
    settings: Mapping[str, Any],
) -> Result:
    """Choose among the valid candidates, or among the best of the others and say so.

    Raises ``DecodeError`` when no candidate has a sentence. ``full_tokens`` tells the length of a
    candidate's complete stream where it is known.
    """
    candidates = decode.race.candidates
    choosable = eligible(candidates)
    if not choosable:
        raise DecodeError(
            f"no candidate wrote a sentence, so there is no report: {_ends(candidates)}"
        )
    valid = choosable[0].finished
    if not valid:
        ends = _ends(candidates)
        warnings = (
            *warnings,
            f"no candidate is valid; the report is the best of what came: {ends}",
        )
    choice = selector.choose(choosable, Field(candidates, seed=seed, study=study))
    winner = candidates[choice.winner]
    text = decode.transcripts[choice.winner].text
    return Result(
        report=report_of(text, (measured.sentence for measured in winner.sentences)),
        winner=choice.winner,
        valid=valid,
        reason=choice.reason,
        quantity=choice.quantity,
        candidates=tuple(_candidate_result(c, decode, choice, corpus) for c in candidates),
        ledger=_ledger(decode, full_tokens),
        warnings=warnings,
        settings=settings,
        study=study,
    )


def _ends(candidates: list[Candidate]) -> str:
    """Why each candidate ended, those that ended alike together."""
    numbers: dict[str | None, list[str]] = {}
    for candidate in candidates:
        numbers.setdefault(candidate.ended, []).append(str(candidate.number))
    if len(numbers) == 1:
        return f"every candidate {candidates[0].ended}"
    return "; ".join(f"candidate {', '.join(who)} {why}" for why, who in numbers.items())


def _candidate_result(
    candidate: Candidate, decode: Decode, choice: Choice, corpus: Corpus
) -> CandidateResult:
    transcript = decode.transcripts[candidate.number]
    return CandidateResult(
        number=candidate.number,
        state=str(candidate.state),
        ended=candidate.ended,
        text=transcript.text,
        sentences=tuple(
            SentenceResult(
                text=measured.sentence.text,
                section=measured.sentence.section,
                start=measured.sentence.start,
                end=measured.sentence.end,
                distance=measured.distance,
                nearest=None
                if measured.nearest is None
                else NearestSentence(corpus.text(measured.nearest), corpus.count(measured.nearest)),
                tokens=measured.tokens,
            )
            for measured in candidate.sentences
        ),
        chamfer=candidate.distance.chamfer,
        hausdorff=candidate.distance.hausdorff,
        tokens=transcript.tokens,
        selected_by=choice.values.get(candidate.number),
    )


def _ledger(decode: Decode, full_tokens: Callable[[int], int | None]) -> Ledger:
    race = decode.race
    lengths = [decode.transcripts[c.number].tokens for c in race.candidates if c.finished]
    rows = []
    for candidate in race.candidates:
        observed = decode.transcripts[candidate.number].tokens
        usage = decode.usages.get(candidate.number)
        prompt = UNKNOWN
        if usage is not None and usage.prompt_tokens is not None:
            prompt = Count(usage.prompt_tokens, usage.provenance)
        avoided = NOTHING
        if candidate.state is State.PRUNED:
            avoided = _avoided(observed, full_tokens(candidate.number), lengths)
        rows.append(LedgerRow(candidate.number, str(candidate.state), prompt, observed, avoided))
    for number in range(len(race.candidates), race.k):
        avoided = _avoided(NOTHING, full_tokens(number), lengths)
        rows.append(LedgerRow(number, NEVER_LAUNCHED, NOTHING, NOTHING, avoided))
    return Ledger(race.k, len(race.candidates), tuple(rows))


def _avoided(observed: Count, full: int | None, lengths: list[Count]) -> Count:
    if full is not None and observed.value is not None:
        return Count(max(0, full - observed.value), "counted")
    return estimate_avoided(observed, lengths)
