"""From a recording to a calibration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sdr_decode.calibration.certify import Certified, Demand, certify
from sdr_decode.calibration.conditions import index_source
from sdr_decode.calibration.file import Calibration, Source, TestedSequence, Tried
from sdr_decode.calibration.grid import Grid, proved_lossless
from sdr_decode.calibration.promise import promise
from sdr_decode.calibration.trials import Progress, Trials, try_policies
from sdr_decode.defaults import DEFAULT_SELECT
from sdr_decode.errors import CalibrationError
from sdr_decode.launch import launch_plans
from sdr_decode.measure import CorpusMeasure
from sdr_decode.pruning import policies
from sdr_decode.replay import ReplayStudy
from sdr_decode.selection import selectors
from sdr_decode.version import __version__


@dataclass(frozen=True, slots=True)
class Setting:
    """What a calibration holds for: ``k`` candidates, a selector and a launch plan as specs, and
    the token cap of a candidate."""

    k: int
    select: str = DEFAULT_SELECT
    launch: str = "parallel"
    max_tokens: int = 512
    seed: int = 0


def check(grid: Grid, setting: Setting) -> None:
    """Raise ``SpecError`` for a spec that cannot be used, before any work is done."""
    selectors.make(setting.select)
    launch_plans.make(setting.launch).due((), setting.k)  # refuses what needs a client
    for spec in (spec for sequence in grid for spec in sequence.specs):
        policies.make(spec)


def calibrate(
    studies: Sequence[ReplayStudy],
    measure: CorpusMeasure,
    grid: Grid,
    demand: Demand,
    setting: Setting,
    *,
    recording: Source,
    client: str | None = None,
    progress: Progress | None = None,
) -> Calibration:
    """The most saving policy of the grid that keeps the demand.

    ``studies`` are of the recording, in its order. Raises ``CalibrationError`` when no policy can
    be certified or a recorded candidate is longer than the cap, and ``SpecError`` for a spec that
    cannot be used.
    """
    longest = max(each.track.total for study in studies for each in study.tracks[: setting.k])
    if longest > setting.max_tokens:
        raise CalibrationError(
            f"the recording holds a candidate of {longest} tokens, and the token cap is "
            f"{setting.max_tokens}; give the cap that it was recorded with (--max-tokens)"
        )
    proved = proved_lossless(setting.select, setting.launch)
    specs = [spec for sequence in grid for spec in sequence.specs]
    trials = try_policies(
        dict.fromkeys([proved, *specs] if proved else specs),
        studies,
        measure,
        k=setting.k,
        select=setting.select,
        launch=setting.launch,
        max_tokens=setting.max_tokens,
        seed=setting.seed,
        progress=progress,
    )
    defined = ~np.isnan(trials.losses[demand.loss][0])
    if not defined.any():
        raise CalibrationError(_undefined(demand, setting.select))
    losses = trials.losses[demand.loss][:, defined]
    numbers = {spec: number for number, spec in enumerate(trials.specs)}
    found = certify(
        losses,
        trials.tokens[:, defined],
        [[numbers[spec] for spec in sequence.specs] for sequence in grid],
        demand,
        weights=[sequence.weight for sequence in grid],
        proved=None if proved is None else numbers[proved],
    )
    if found.chosen is None:
        raise CalibrationError(_nothing(demand, found, losses.shape[1], grid, trials))
    by_proof = found.levels[found.chosen] == 0.0
    prune = trials.specs[found.chosen]
    return Calibration(
        created_by=f"sdr-decode {__version__}",
        prune=prune,
        promise=promise(
            demand,
            prune,
            proved=by_proof,
            studies=losses.shape[1],
            k=setting.k,
            select=setting.select,
            launch=setting.launch,
        ),
        loss=demand.loss,
        risk=demand.risk,
        confidence=demand.confidence,
        clip=demand.clip,
        test=demand.test,
        proved=by_proof,
        k=setting.k,
        select=setting.select,
        launch=setting.launch,
        sections=measure.sections,
        max_tokens=setting.max_tokens,
        client=client,
        recording=recording,
        studies=losses.shape[1],
        index=index_source(measure.corpus),
        encoder=measure.corpus.manifest.encoder,
        tokens_full=int(trials.tokens_full.sum()),
        sequences=tuple(
            TestedSequence(specs=sequence.specs, weight=sequence.weight) for sequence in grid
        ),
        policies=_tried(trials, found, losses.mean(axis=1).tolist()),
    )


def _tried(trials: Trials, found: Certified, risks: list[float]) -> tuple[Tried, ...]:
    saved = trials.saved()
    return tuple(
        Tried(
            spec=spec,
            risk=risks[number],
            p_value=float(found.p_values[number]),
            tokens=int(trials.tokens[number].sum()),
            saved=float(saved[number]),
            level=found.levels.get(number),
        )
        for number, spec in enumerate(trials.specs)
    )


def _undefined(demand: Demand, select: str) -> str:
    if demand.loss == "quality":
        return "no recorded study has a reference; take the loss winner or distance"
    return (
        f"the selector {select} does not minimise a distance between 0 and 1; take the loss winner "
        "or quality"
    )


def _nothing(demand: Demand, found: Certified, studies: int, grid: Grid, trials: Trials) -> str:
    weights = [sequence.weight for sequence in grid]
    asked = f"at risk {demand.risk:g} with confidence {demand.confidence:g}"
    least = demand.least_studies(max(weights) / sum(weights))
    if studies < least:
        return (
            f"no policy can be certified {asked} from {studies} studies, not even one that loses "
            f"nothing: that takes at least {least}; record more, or allow a higher risk"
        )
    best = int(found.p_values.argmin())
    return (
        f"no policy can be certified {asked} from {studies} studies: the most careful of each "
        f"sequence failed, and the least p-value is {found.p_values[best]:.3g}, of "
        f"{trials.specs[best]}; begin with more careful policies, record more, or allow a higher "
        "risk"
    )
