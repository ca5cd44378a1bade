"""Whether the promise of a calibrated policy holds, by calibrating again and again on parts of one
recording.

    python -m benchmarks.calibration_splits RECORDING INDEX EMBEDDINGS [--k 8] [--splits 200]

Every policy of the grid is replayed on every study once. Then, for each loss and risk, a policy is
calibrated on a part of the studies, as ``sdr-decode calibrate`` does, and looked at on others:

* split: a random half without replacement, looked at on the other half. A mean over half of the
  studies is itself uncertain, and where the calibrated half is lucky the other is unlucky, so that
  some of the time it lies above the risk although the true risk does not: `above` is how often, and
  `surely` how often it does so by more than chance explains (a one-sided test at 5%);
* drawn: studies drawn with replacement, as many as a half. Then all the studies of the recording
  are the population, the true risk of every policy is known without error, and `broken` is how
  often that of the chosen policy is above the risk: it must be at most 1 - confidence, up to the
  binomial error of so many draws. This is the promise itself, tested.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sdr_decode.calibration.certify import Certified, Demand, certify
from sdr_decode.calibration.fixed_sequence import fixed_sequences
from sdr_decode.calibration.grid import DEFAULT_GRID, Grid, proved_lossless
from sdr_decode.calibration.losses import Loss
from sdr_decode.calibration.p_values import betting, binomial_tail, hoeffding_bentkus
from sdr_decode.calibration.trials import Trials, try_policies
from sdr_decode.encoder import Encoder
from sdr_decode.load import load_studies, open_measure

Numbers = NDArray[np.int64]

DEMANDS: tuple[tuple[Loss, float, float], ...] = (
    *(("winner", risk, 1.0) for risk in (0.05, 0.1, 0.2)),
    *(("distance", risk, 1.0) for risk in (0.01, 0.02, 0.03)),
    *(("distance", risk, 0.1) for risk in (0.005, 0.01)),
    *(("quality", risk, 1.0) for risk in (0.01, 0.02, 0.03)),
    ("quality", 0.01, 0.5),
)


@dataclass(frozen=True, slots=True)
class Splits:
    """What came of many calibrations: shares of them, and the mean share of tokens saved on the
    studies looked at. ``none`` found no policy; those save nothing and break nothing."""

    above: float
    surely: float
    broken: float
    saved: float
    none: float


class Board:
    """The trials of a grid with what calibrating on any part of the studies takes."""

    def __init__(self, trials: Trials, grid: Grid, proved: str | None) -> None:
        self.trials = trials
        numbers = {spec: number for number, spec in enumerate(trials.specs)}
        self.sequences = [[numbers[spec] for spec in sequence.specs] for sequence in grid]
        self.weights = [sequence.weight for sequence in grid]
        self.proved = None if proved is None else numbers[proved]

    def losses(self, demand: Demand) -> NDArray[np.float64]:
        """Losses (m, n) as the demand counts them."""
        return np.minimum(self.trials.losses[demand.loss], demand.clip)

    def certify(self, demand: Demand, part: Numbers) -> Certified:
        return certify(
            self.losses(demand)[:, part],
            self.trials.tokens[:, part],
            self.sequences,
            demand,
            weights=self.weights,
            proved=self.proved,
        )

    def saved(self, chosen: int | None, part: Numbers) -> float:
        if chosen is None:
            return 0.0
        full = self.trials.tokens_full[part].sum()
        return float(1.0 - self.trials.tokens[chosen, part].sum() / full)


def surely_above(losses: NDArray[np.float64], demand: Demand) -> bool:
    """Whether losses (n,) refute at 5% that their mean is at most the demand's risk."""
    mirrored = 1.0 - losses[None, :] / demand.clip
    most = 1.0 - demand.risk / demand.clip
    if demand.loss == "winner":
        tail = binomial_tail(len(losses), most)
        return bool(tail[round(mirrored.sum())] <= 0.05)
    return bool(betting(mirrored, most, 0.05)[0] <= 0.05)


def halves(studies: int, many: int, seed: int) -> Iterator[tuple[Numbers, Numbers]]:
    """Random halves and their complements."""
    generator = np.random.default_rng(seed)
    for _ in range(many):
        order = generator.permutation(studies)
        yield order[: studies // 2], order[studies // 2 :]


def draws(studies: int, many: int, seed: int) -> Iterator[Numbers]:
    """As many studies as a half, drawn with replacement."""
    generator = np.random.default_rng(seed)
    for _ in range(many):
        yield generator.integers(studies, size=studies // 2)


def split(board: Board, demand: Demand, many: int, seed: int = 0) -> Splits:
    """Calibrate ``many`` times each way."""
    losses = board.losses(demand)
    studies = losses.shape[1]
    above, surely, saved, none = 0, 0, 0.0, 0
    for part, other in halves(studies, many, seed):
        chosen = board.certify(demand, part).chosen
        none += chosen is None
        saved += board.saved(chosen, other)
        if chosen is not None:
            above += bool(losses[chosen, other].mean() > demand.risk)
            surely += surely_above(losses[chosen, other], demand)
    population = losses.mean(axis=1)
    broken = 0
    for part in draws(studies, many, seed):
        chosen = board.certify(demand, part).chosen
        broken += bool(chosen is not None and population[chosen] > demand.risk)
    return Splits(above / many, surely / many, broken / many, saved / many, none / many)


def board_of(
    recording: Path,
    index: Path,
    *,
    k: int,
    embeddings: Path | None = None,
    encoder: Encoder | None = None,
    select: str = "corpus",
    launch: str = "parallel",
    grid: Grid = DEFAULT_GRID,
) -> Board:
    """Replay the whole grid on a recording whose studies all have a reference."""
    proved = proved_lossless(select, launch)
    specs = [spec for sequence in grid for spec in sequence.specs]
    with open_measure(index, encoder=encoder, embeddings=embeddings) as measure:
        studies = load_studies(recording, measure, k=k)
        trials = try_policies(
            [*([proved] if proved else []), *specs],
            studies,
            measure,
            k=k,
            select=select,
            launch=launch,
            max_tokens=512,
        )
    return Board(trials, grid, proved)


def bentkus_too(board: Board, demand: Demand) -> float:
    """What the Hoeffding-Bentkus p-value would save on all studies, where the betting one could."""
    losses = board.losses(demand) / demand.clip
    p_values = hoeffding_bentkus(losses, demand.risk / demand.clip)
    everything = np.arange(losses.shape[1])
    certified = [] if board.proved is None else [board.proved]
    found = fixed_sequences(p_values.tolist(), board.sequences, demand.level, board.weights)
    certified += [number for number, _ in found]
    return max((board.saved(number, everything) for number in certified), default=0.0)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("recording", type=Path)
    parser.add_argument("index", type=Path)
    parser.add_argument("embeddings", type=Path)
    parser.add_argument("--k", type=int, default=8)
    parser.add_argument("--select", default="corpus")
    parser.add_argument("--launch", default="parallel")
    parser.add_argument("--confidence", type=float, default=0.95)
    parser.add_argument("--splits", type=int, default=200)
    arguments = parser.parse_args()

    board = board_of(
        arguments.recording,
        arguments.index,
        k=arguments.k,
        embeddings=arguments.embeddings,
        select=arguments.select,
        launch=arguments.launch,
    )
    everything = np.arange(len(board.trials.tokens_full))
    print(
        f"{len(everything)} studies, K = {arguments.k}, select {arguments.select}, launch "
        f"{arguments.launch}, confidence {arguments.confidence:g}, {arguments.splits} splits\n"
    )
    print(
        "| loss | risk | clip | on all: policy | saved | Hoeffding-Bentkus | on halves: saved |"
        " none | above | surely | broken |"
    )
    print("|---" * 11 + "|")
    for loss, risk, clip in DEMANDS:
        demand = Demand(loss, risk, arguments.confidence, clip)
        chosen = board.certify(demand, everything).chosen
        policy = "none" if chosen is None else f"`{board.trials.specs[chosen]}`"
        splits = split(board, demand, arguments.splits)
        other = "" if loss == "winner" else f"{bentkus_too(board, demand):.3f}"
        print(
            f"| {loss} | {risk:g} | {clip:g} | {policy} | {board.saved(chosen, everything):.3f} "
            f"| {other} | {splits.saved:.3f} | {splits.none:.3f} | {splits.above:.3f} "
            f"| {splits.surely:.3f} | {splits.broken:.3f} |"
        )


if __name__ == "__main__":
    main()
