"""What a calibrated policy promises, in one sentence."""

from __future__ import annotations

from sdr_decode.calibration.certify import Demand
from sdr_decode.calibration.losses import Loss

_PROMISES: dict[Loss, str] = {
    "winner": "changes the winner in at most {risk} of studies",
    "distance": "raises the winner's distance by at most {risk} in the mean",
    "quality": "lowers Token-F1 by at most {risk} in the mean, a study in which it rises "
    "counting as 0",
}


def promise(
    demand: Demand, prune: str, *, proved: bool, studies: int, k: int, select: str, launch: str
) -> str:
    """The promise about new studies of the kind that was recorded."""
    setting = f"K = {k}, select {select}, launch {launch}"
    if proved:
        return (
            f"Compared with full best-of-N ({setting}), {prune} has the same winner in every "
            "study: by proof, not by test, as long as no candidate outgrows the token cap or "
            "writes a sentence in fewer than 2 tokens."
        )
    what = _PROMISES[demand.loss].format(risk=f"{demand.risk:g}")
    clipped = f", a loss above {demand.clip:g} counting as that" if demand.clip < 1 else ""
    return (
        f"Compared with full best-of-N ({setting}), {prune} {what}{clipped}: with confidence "
        f"{demand.confidence:g} over the draw of the {studies} recorded studies, for new studies "
        "that are drawn alike."
    )
