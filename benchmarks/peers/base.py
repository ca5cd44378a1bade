"""What the method of a peer is: made for one study, from its recording and the measure."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.studies import BenchStudy
from sdr_decode.launch import LaunchPlan
from sdr_decode.measure import CorpusMeasure
from sdr_decode.pruning import PrunePolicy
from sdr_decode.selection import Selector

PeerPolicy = Callable[[BenchStudy, CorpusMeasure], PrunePolicy]
PeerSelector = Callable[[BenchStudy], Selector]
PeerLaunch = Callable[[], LaunchPlan]


class TokenPolicy(PrunePolicy):
    """A policy that decides at every token, not only when a sentence closes."""
