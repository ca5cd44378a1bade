"""Stop what a calibrated policy stops: one whose risk was controlled on a recording."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

from clients.errors import SpecError
from clients.spec import Spec, allow_options
from sdr_decode.calibration.file import Calibration, read_calibration
from sdr_decode.candidate import Candidate, Pruning
from sdr_decode.errors import CalibrationError
from sdr_decode.measure import CorpusMeasure
from sdr_decode.pruning.base import PrunePolicy


@dataclass(frozen=True)
class Calibrated(PrunePolicy):
    """The policy that ``calibration`` chose, as it is.

    What it promises holds for the index, encoder, client, K, selector and launch plan that it was
    calibrated with; the decoder warns where they differ.
    """

    policy: PrunePolicy
    calibration: Calibration

    @property
    def watches_tokens(self) -> bool:
        return self.policy.watches_tokens

    def within(self, max_tokens: int) -> Self:
        return replace(self, policy=self.policy.within(max_tokens))

    def against(self, measure: CorpusMeasure) -> Self:
        return replace(self, policy=self.policy.against(measure))

    def prune(self, candidates: Sequence[Candidate]) -> Iterator[Pruning]:
        return self.policy.prune(candidates)


def from_spec(spec: Spec) -> Calibrated:
    from sdr_decode.pruning import policies  # noqa: PLC0415 - it registers this file

    allow_options(spec)
    if spec.value is None:
        raise SpecError("calibrated found no file; expected calibrated:FILE")
    path = Path(spec.value).expanduser()
    calibration = read_calibration(path)
    chosen = calibration.prune
    if chosen.partition(":")[0].strip() == spec.name:
        raise CalibrationError(f"{path} names another calibration as its policy; calibrate again")
    return Calibrated(policies.make(chosen), calibration)
