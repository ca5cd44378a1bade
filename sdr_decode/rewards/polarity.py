"""Which sentences of two reports contradict each other, and which a whole report denies.

Sentence embeddings hardly see negation. So a sentence is labelled with the findings that it
asserts (``findings``), and two sentences contradict each other where one states as present what
the other states as absent. A report denies a sentence where it states all that it says of some
finding the other way. What is uncertain contradicts nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from sdr_decode.findings import Mention, Observation, label_sentence

_BIT = {observation: 1 << place for place, observation in enumerate(Observation)}
_CACHED_SENTENCES = 1 << 16


@lru_cache(maxsize=_CACHED_SENTENCES)
def asserted(sentence: str) -> tuple[int, int]:
    """The observations that a sentence states as present and those that it states as absent, each
    as a set of bits."""
    present = absent = 0
    for observation, mention in label_sentence(sentence).mentions.items():
        present |= _BIT[observation] * (mention is Mention.POSITIVE)
        absent |= _BIT[observation] * (mention is Mention.NEGATIVE)
    return present, absent


def contradictions(ours: Sequence[str], theirs: Sequence[str]) -> NDArray[np.bool_]:
    """Which of our sentences (n) contradict which of theirs (m): (n, m). Symmetric."""
    present, absent = _bits(ours)
    other_present, other_absent = _bits(theirs)
    conflicts: NDArray[np.bool_] = (
        (present[:, None] & other_absent[None, :]) | (absent[:, None] & other_present[None, :])
    ) != 0
    return conflicts


def denied(sentences: Sequence[str], report: Sequence[str]) -> NDArray[np.bool_]:
    """Which of some sentences (n) another report (m) denies: (n,).

    A sentence is denied where it states a finding as present that the report states as absent and
    nowhere as present, or the other way round. "No right effusion. Small left effusion." so denies
    neither of both.
    """
    present, absent = _bits(sentences)
    report_present, report_absent = (
        np.bitwise_or.reduce(bits, initial=0) for bits in _bits(report)
    )
    found: NDArray[np.bool_] = (
        (present & report_absent & ~report_present) | (absent & report_present & ~report_absent)
    ) != 0
    return found


def _bits(sentences: Sequence[str]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    bits = np.array([asserted(each) for each in sentences], np.int32).reshape(-1, 2)
    return bits[:, 0], bits[:, 1]
