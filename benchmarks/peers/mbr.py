"""Minimum Bayes risk decoding by the ``mbrs`` package (Deguchi et al. 2024, arXiv 2408.04167)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from benchmarks.peers.base import PeerSelector
from benchmarks.peers.mbrs_package import mbrs
from benchmarks.studies import BenchStudy
from clients.spec import Spec, allow_options, no_value
from sdr_decode.candidate import Candidate
from sdr_decode.metrics import token_f1
from sdr_decode.replay import prose_of
from sdr_decode.selection import Choice, Field, Selector


class MBRSelector(Selector):
    """The report with the highest expected utility against the valid candidates, by ``mbrs``."""

    quantity = "expected Token-F1 against the other candidates, negated"

    def __init__(self, decoder: Any, texts: Sequence[str]) -> None:
        self._decoder = decoder
        self._texts = texts

    def choose(self, eligible: Sequence[Candidate], field: Field) -> Choice:
        texts = [self._texts[candidate.number] for candidate in eligible]
        found = self._decoder.decode(texts, texts, nbest=len(texts))
        values = {
            eligible[place].number: -float(utility)
            for place, utility in zip(found.idx, found.score, strict=True)
        }
        winner = eligible[found.idx[0]].number
        return Choice(winner, f"least {self.quantity}", self.quantity, values)


def from_spec(spec: Spec) -> PeerSelector:
    """``mbr``: with Token-F1 as the utility. Raises ``MissingPackageError`` without ``mbrs``."""
    allow_options(spec)
    no_value(spec)
    decoder = _decoder()

    def make(study: BenchStudy) -> MBRSelector:
        return MBRSelector(decoder, [prose_of(each.track.report) for each in study.tracks])

    return make


@cache
def _decoder() -> Any:
    with mbrs() as package:

        class TokenF1(package.metric):  # type: ignore[misc, name-defined]
            def score(self, hypothesis: str, reference: str, source: str | None = None) -> float:
                return token_f1(hypothesis, reference)

        return package.decoder(package.decoder.Config(), TokenF1(TokenF1.Config()))
