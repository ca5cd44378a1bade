"""From losses to the most saving policy whose risk is controlled."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sdr_decode.calibration.fixed_sequence import fixed_sequences
from sdr_decode.calibration.losses import Loss
from sdr_decode.calibration.p_values import betting, binomial
from sdr_decode.errors import CalibrationError


@dataclass(frozen=True, slots=True)
class Demand:
    """What is asked for: with ``confidence`` over the draw of the recorded studies, the mean of
    ``loss`` over new studies is at most ``risk``.

    A study's loss counts as at most ``clip``: the smaller it is, the fewer studies it takes to
    certify a small risk, and the less is promised about rare great losses. Raises
    ``CalibrationError`` for values that make no promise.
    """

    loss: Loss
    risk: float
    confidence: float
    clip: float = 1.0

    def __post_init__(self) -> None:
        if not 0 < self.clip <= 1:
            raise CalibrationError(f"clip is {self.clip:g}; expected a number above 0, at most 1")
        if self.loss == "winner" and self.clip != 1:
            raise CalibrationError(
                f"clip is {self.clip:g} with the loss winner, which is 0 or 1; leave clip out"
            )
        if not 0 < self.risk < self.clip:
            raise CalibrationError(
                f"the risk is {self.risk:g}; expected a number above 0 and below "
                f"{'1' if self.clip == 1 else f'clip, {self.clip:g}'}"
            )
        if not 0 < self.confidence < 1:
            raise CalibrationError(
                f"the confidence is {self.confidence:g}; expected a number between 0 and 1"
            )

    @property
    def level(self) -> float:
        """The chance at most of a policy that loses more than ``risk``."""
        return 1.0 - self.confidence

    @property
    def test(self) -> str:
        return "exact binomial" if self.loss == "winner" else "betting"

    def least_studies(self, share: float) -> int:
        """How many studies it takes, at ``share`` of the level, to certify a policy that loses
        nothing in any of them."""
        return math.ceil(math.log(self.level * share) / math.log1p(-self.risk / self.clip))

    def p_values(self, losses: NDArray[np.float64]) -> NDArray[np.float64]:
        """Of m policies from losses (m, n), shape (m,)."""
        scaled = np.minimum(losses, self.clip) / self.clip
        risk = self.risk / self.clip
        if self.loss == "winner":
            return binomial(scaled, risk)
        return betting(scaled, risk, self.level)


@dataclass(frozen=True)
class Certified:
    """``p_values`` (m,) of all policies; ``levels`` maps the numbers of the certified ones to the
    level that they were tested at; ``chosen`` is the most saving of them, ``None`` where there is
    none."""

    p_values: NDArray[np.float64]
    levels: dict[int, float]
    chosen: int | None


def certify(
    losses: NDArray[np.float64],
    tokens: NDArray[np.int64],
    sequences: Sequence[Sequence[int]],
    demand: Demand,
    *,
    weights: Sequence[float] | None = None,
    proved: int | None = None,
) -> Certified:
    """Test m policies on n studies.

    ``losses`` and ``tokens`` are (m, n), ``sequences`` hold numbers of policies in the order in
    which they are tested, and ``weights`` share the level out among them. ``proved`` is a policy
    that loses nothing by proof: its hypothesis is false, so that it needs no test and no share of
    the level. It is not believed where it did lose something.
    """
    p_values = demand.p_values(losses)
    levels = dict(fixed_sequences(p_values.tolist(), sequences, demand.level, weights))
    if proved is not None and not losses[proved].any():
        levels[proved] = 0.0
    taken = tokens.sum(axis=1)
    chosen = min(levels, key=lambda number: (taken[number], number), default=None)
    return Certified(p_values, levels, chosen)
