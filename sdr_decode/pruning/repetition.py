"""Stop a candidate that goes round in circles or pads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from clients.spec import Spec, allow_options, no_value, whole_number
from sdr_decode.candidate import Candidate, MeasuredSentence, Pruning
from sdr_decode.pruning.base import PrunePolicy
from sdr_decode.sentences import is_sentence

_SENTENCES_IN_BLOCK = 2


@dataclass(frozen=True)
class Repetition(PrunePolicy):
    """Prune when the same sentence stands in one section for the ``times``-th time, when a block of
    two sentences or more is repeated whole and at once, or when the text, open sentence included,
    has come to repeat words or a character without end (``loops``).

    Sentences are compared in their normalised form and within their section, for an impression
    may well repeat the findings. De-identification blanks do not count.
    """

    times: int = 3

    def prune(self, candidates: Sequence[Candidate]) -> Iterator[Pruning]:
        for candidate in candidates:
            if candidate.running and (reason := self._reason(candidate)) is not None:
                yield Pruning(candidate.number, reason)

    def _reason(self, candidate: Candidate) -> str | None:
        if candidate.loop is not None:
            return f"it repeats {candidate.loop}"
        said = [_key(each) for each in candidate.sentences if is_sentence(each.normalised)]
        for (text, _), count in Counter(said).items():
            if count >= self.times:
                return f"it says {text!r} for the {_nth(count)} time"
        return _block(said)


def _key(measured: MeasuredSentence) -> tuple[str, str | None]:
    return measured.normalised, measured.sentence.section


def _block(said: Sequence[tuple[str, str | None]]) -> str | None:
    for length in range(_SENTENCES_IN_BLOCK, len(said) // 2 + 1):
        for start in range(len(said) - 2 * length + 1):
            block = said[start : start + length]
            if len(set(block)) > 1 and block == said[start + length : start + 2 * length]:
                return f"it repeats {length} sentences in a row, from {block[0][0]!r}"
    return None


def _nth(count: int) -> str:
    return {2: "second", 3: "third"}.get(count, f"{count}th")


def from_spec(spec: Spec) -> Repetition:
    no_value(spec)
    allow_options(spec, "times")
    return Repetition(whole_number(spec, spec.options.get("times", "3"), "times", low=2))
