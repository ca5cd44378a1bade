"""From an ended race to a result: choose, account, explain."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sdr_decode.accounting import ledger_of
from sdr_decode.candidate import Candidate
from sdr_decode.corpus import Corpus
from sdr_decode.decode import Decode
from sdr_decode.errors import DecodeError
from sdr_decode.measure import CorpusMeasure
from sdr_decode.result import (
    CandidateResult,
    NearestSentence,
    Result,
    SentenceResult,
    report_of,
)
from sdr_decode.selection import Field, Selector, eligible
from sdr_decode.tariff import Tariff


def conclude(
    decode: Decode,
    selector: Selector,
    measure: CorpusMeasure,
    *,
    full_tokens: Callable[[int], int | None],
    lockstep: bool,
    tariff: Tariff,
    seed: int,
    study: str | None,
    warnings: tuple[str, ...],
    settings: Mapping[str, Any],
) -> Result:
    """Choose among the valid candidates, or among the best of the others and say so.

    Raises ``DecodeError`` when no candidate has a sentence. ``full_tokens`` tells the length of a
    candidate's complete stream where it is known; ``lockstep`` is the client's, ``tariff`` what its
    tokens cost.
    """
    candidates = decode.race.candidates
    ledger = ledger_of(decode, full_tokens, tariff, lockstep=lockstep)
    choosable = eligible(candidates)
    if not choosable:
        raise DecodeError(
            f"no candidate wrote a sentence, so there is no report: {_ends(candidates)}",
            ledger,
            tuple(_candidate_result(c, decode, {}, measure.corpus) for c in candidates),
        )
    valid = choosable[0].finished
    if not valid:
        ends = _ends(candidates)
        warnings = (
            *warnings,
            f"no candidate is valid; the report is the best of what came: {ends}",
        )
    choice = selector.choose(choosable, Field(candidates, measure, seed=seed, study=study))
    winner = candidates[choice.winner]
    text = decode.transcripts[choice.winner].text
    return Result(
        report=report_of(text, (measured.sentence for measured in winner.sentences)),
        winner=choice.winner,
        valid=valid,
        reason=choice.reason,
        quantity=choice.quantity,
        candidates=tuple(
            _candidate_result(c, decode, choice.values, measure.corpus) for c in candidates
        ),
        ledger=ledger,
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
    candidate: Candidate, decode: Decode, values: Mapping[int, float], corpus: Corpus
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
        selected_by=values.get(candidate.number),
    )
