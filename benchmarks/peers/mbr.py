"""Minimum Bayes risk decoding by the ``mbrs`` package (Deguchi et al. 2024, arXiv 2408.04167)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from benchmarks.peers.base import PeerSelector
from benchmarks.studies import BenchStudy
from clients.errors import MissingPackageError, SpecError
from clients.spec import Spec, allow_options
from sdr_decode.candidate import Candidate
from sdr_decode.selection import Choice, Field, Selector

METRICS = {"chrf": "MetricChrF", "bleu": "MetricBLEU"}


class MBRSelector(Selector):
    """The report with the highest expected utility against the valid candidates, by ``mbrs``."""

    def __init__(self, decoder: Any, texts: Sequence[str], metric: str) -> None:
        self.quantity = f"expected {metric} against the other candidates, negated"
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
    """``mbr[:chrf|bleu]``. Raises ``MissingPackageError`` where ``mbrs`` cannot be imported."""
    allow_options(spec)
    metric = spec.value or "chrf"
    if metric not in METRICS:
        raise SpecError(f"mbr found the metric {metric!r}; expected {' or '.join(METRICS)}")
    decoder = _decoder(metric)

    def make(study: BenchStudy) -> MBRSelector:
        return MBRSelector(decoder, [each.track.report.text for each in study.tracks], metric)

    return make


@cache
def _decoder(metric: str) -> Any:
    try:
        from mbrs import metrics  # noqa: PLC0415 - imports every metric's package
        from mbrs.decoders.mbr import DecoderMBR  # noqa: PLC0415
    except ImportError as error:
        raise MissingPackageError(
            f"mbrs is needed for this selector ({error}): pip install mbrs, into an environment of "
            "its own, since it holds numpy below 2"
        ) from error
    made = getattr(metrics, METRICS[metric])
    return DecoderMBR(DecoderMBR.Config(), made(made.Config()))
