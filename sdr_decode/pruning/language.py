"""Stop a candidate that leaves its language."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from clients.errors import SpecError
from clients.spec import Spec, allow_options
from sdr_decode.candidate import Candidate, Pruning
from sdr_decode.errors import SDRDecodeError
from sdr_decode.language import Language, expected_language
from sdr_decode.pruning.base import PrunePolicy


@dataclass(frozen=True)
class LeavesLanguage(PrunePolicy):
    """Prune with the second of two closed sentences in a row that are not in the language that the
    report is written in, never before (``language``)."""

    language: Language

    def prune(self, candidates: Sequence[Candidate]) -> Iterator[Pruning]:
        for candidate in candidates:
            if not candidate.running:
                continue
            closed = self.language.closed(each.sentence.text for each in candidate.sentences)
            slips = self.language.left(closed)
            if slips is not None:
                yield Pruning(
                    candidate.number,
                    f"two sentences in a row are not in {self.language.name}: {slips[0]!r} and "
                    f"{slips[1]!r}",
                )


def from_spec(spec: Spec) -> LeavesLanguage:
    allow_options(spec)
    try:
        return LeavesLanguage(expected_language(spec.value or "en"))
    except SDRDecodeError as error:
        raise SpecError(f"language {error}") from None
