"""A penalty for padding and repetition, as a reward."""

from __future__ import annotations

from clients.spec import Spec, allow_options, no_value
from sdr_decode.repetition import consistency
from sdr_decode.rewards.base import TextReward


class ConsistencyReward(TextReward):
    """The share of a text that is neither repetition nor padding, in [0, 1]; 1 is clean.

    Repeated sentences, repeated n-grams, loops and trailing filler are taken off (``repetition``).
    An empty text repeats nothing.

    >>> ConsistencyReward()(completions=["Lungs are clear.", "Clear lungs. Clear lungs"])
    [1.0, 0.6]
    """

    gate_bound = 0.5

    def __init__(self) -> None:
        super().__init__("consistency")

    def value(self, text: str) -> float:
        return consistency(text)


def from_spec(spec: Spec) -> ConsistencyReward:
    no_value(spec)
    allow_options(spec)
    return ConsistencyReward()
