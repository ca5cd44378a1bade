"""What each contender made of every study: replayed once, kept as arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from benchmarks.contenders import Contender
from benchmarks.peers import TokenPolicy, peer_launches, peer_policies, peer_selectors
from benchmarks.studies import BenchStudy
from sdr_decode.launch import LaunchPlan, launch_plans
from sdr_decode.measure import CorpusMeasure
from sdr_decode.pruning import PrunePolicy, policies
from sdr_decode.race import Race
from sdr_decode.replay import choose, run
from sdr_decode.selection import Selector, eligible, selectors
from sdr_decode.track import MeasuredTrack

Whole = NDArray[np.int64]
NOBODY = -1


@dataclass(frozen=True, slots=True)
class Outcomes:
    """Arrays over n studies.

    ``winner`` is a candidate's number, ``NOBODY`` where none has a sentence. ``tokens`` are the
    output tokens generated, ``cut`` what the pruned ones would have gone on to write, ``steps`` the
    token steps until the last stream ended, ``prompts`` the prompts sent. ``values`` (n, K) is what
    the selector minimised, NaN where it did not judge; ``eligible`` (n, K) who could be chosen.
    """

    winner: Whole
    tokens: Whole
    cut: Whole
    steps: Whole
    prompts: Whole
    values: NDArray[np.float64]
    eligible: NDArray[np.bool_]

    def of(self, studies: NDArray[np.bool_]) -> Outcomes:
        """The same for some of the studies."""
        return Outcomes(*(getattr(self, each.name)[studies] for each in fields(self)))


class EveryToken(MeasuredTrack):
    """A track in which every piece is a moment, for policies that decide at every token."""

    @property
    def moments(self) -> list[int]:
        return list(range(self.track.last + 1))


def play(
    competing: Iterable[Contender],
    studies: Sequence[BenchStudy],
    measure: CorpusMeasure,
    *,
    max_tokens: int | None = None,
    seed: int = 0,
) -> dict[Contender, Outcomes]:
    """Replay all contenders on all studies. Each policy with each launch plan races once."""
    ordered = sorted(competing, key=lambda one: (one.prune, one.launch))
    played: dict[Contender, Outcomes] = {}
    for (prune, launch), group in groupby(ordered, key=lambda one: (one.prune, one.launch)):
        policy, plan = policy_maker(prune, measure, max_tokens), plan_of(launch)
        races = [race(study, policy(study), plan) for study in studies]
        for one in group:
            selector = selector_maker(one.select)
            played[one] = _select(studies, races, selector, measure, seed)
    return played


def race(study: BenchStudy, policy: PrunePolicy, plan: LaunchPlan) -> Race:
    """One study under one policy, in lockstep."""
    tracks = study.tracks
    if isinstance(policy, TokenPolicy):
        tracks = tuple(EveryToken(each.track, each.measured) for each in tracks)
    return run(tracks, policy, plan)


def policy_maker(
    spec: str, measure: CorpusMeasure, max_tokens: int | None = None
) -> Callable[[BenchStudy], PrunePolicy]:
    """A registered policy, or that of a peer."""
    if spec.partition(":")[0] in peer_policies.names:
        make = peer_policies.make(spec)
        return lambda study: make(study, measure)
    policy = policies.make(spec)
    limited = policy if max_tokens is None else policy.within(max_tokens)
    ready = limited.against(measure)
    return lambda study: ready


def plan_of(spec: str) -> LaunchPlan:
    """A registered launch plan, or that of a peer."""
    if spec.partition(":")[0] in peer_launches.names:
        return peer_launches.make(spec)()
    return launch_plans.make(spec)


def selector_maker(spec: str) -> Callable[[BenchStudy], Selector]:
    """A registered selector, or that of a peer."""
    if spec.partition(":")[0] in peer_selectors.names:
        return peer_selectors.make(spec)
    selector = selectors.make(spec)
    return lambda study: selector


def _select(
    studies: Sequence[BenchStudy],
    races: Sequence[Race],
    selector: Callable[[BenchStudy], Selector],
    measure: CorpusMeasure,
    seed: int,
) -> Outcomes:
    size = (len(studies), max(len(study.tracks) for study in studies))
    values, may_win = np.full(size, np.nan), np.zeros(size, dtype=bool)
    winners = []
    for at, (study, raced) in enumerate(zip(studies, races, strict=True)):
        outcome = choose(raced, selector(study), measure, seed=seed, study=study.study)
        winners.append(NOBODY if outcome.winner is None else outcome.winner)
        may_win[at, [candidate.number for candidate in eligible(raced.candidates)]] = True
        if outcome.choice is not None:
            for number, value in outcome.choice.values.items():
                values[at, number] = value
    generated = [sum(c.tokens for c in raced.candidates) for raced in races]
    launched = [
        sum(each.track.total for each in study.tracks[: len(raced.candidates)])
        for study, raced in zip(studies, races, strict=True)
    ]
    return Outcomes(
        np.array(winners),
        np.array(generated),
        np.array(launched) - np.array(generated),
        np.array([raced.steps for raced in races]),
        np.array([len(raced.candidates) for raced in races]),
        values,
        may_win,
    )
