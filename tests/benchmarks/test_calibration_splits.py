"""The promise of a calibrated policy, on studies of a real recording that it was not made from."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

from benchmarks.calibration_splits import Board, board_of, halves, split, surely_above
from index_build import build
from index_build.admission import Admission
from index_build.ids import read_ids
from index_build.readers.openi import OpenIReader
from sdr_decode.calibration.certify import Demand
from sdr_decode.calibration.grid import PolicySequence
from sdr_decode.calibration.losses import Loss
from tests.data import real_data
from tests.fake_encoder import FakeEncoder

SPLITS, CONFIDENCE = 200, 0.95
GRID = (
    PolicySequence(tuple(f"margin:{d:g}" for d in (0.2, 0.12, 0.08, 0.04, 0.02, 0.0)), 4.0),
    PolicySequence(tuple(f"threshold:{d:g},warmup=2" for d in (0.2, 0.12, 0.06, 0.03)), 1.0),
)


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Board:
    """Every policy on every study of the recording, against the reports of the train split."""
    splits = real_data("openi/splits.json")
    admission = Admission(
        exclude={key: read_ids(f"{splits}#{key}") for key in ("val", "test")}, require="both"
    )
    index = tmp_path_factory.mktemp("splits") / "train.sdr"
    reports = OpenIReader().read(real_data("openi/NLMCXR_reports.tgz"))
    build(admission.filter(reports), index, encoder=FakeEncoder())
    return board_of(
        real_data("traces/standin_val.jsonl.gz"), index, encoder=FakeEncoder(), k=4, grid=GRID
    )


@pytest.mark.parametrize(
    ("loss", "risk", "clip"),
    [("winner", 0.1, 1.0), ("winner", 0.2, 1.0), ("distance", 0.01, 0.1), ("quality", 0.03, 1.0)],
)
def test_the_promise_holds_on_studies_that_were_not_calibrated_on(
    board: Board, loss: Loss, risk: float, clip: float
) -> None:
    """Of 200 calibrations, those that break the promise are a binomial share of at most 5%.

    Where the recording is the population, the true risk is known, and so are the breaches. On the
    other half of a split it is not: there only a mean that refutes the promise counts.
    """
    found = split(board, Demand(loss, risk, CONFIDENCE, clip), SPLITS)
    most = binom.ppf(0.999, SPLITS, 1 - CONFIDENCE) / SPLITS
    assert found.broken <= most
    assert found.surely <= most
    lossless = board.saved(board.proved, np.arange(len(board.trials.tokens_full)))
    assert found.saved > lossless + 0.02, "it only ever chose the lossless policy: nothing is shown"


def test_the_splits_would_show_a_promise_that_is_broken(board: Board) -> None:
    """The same measure of a procedure that promises too much: the most saving policy, untested."""
    demand = Demand("winner", 0.05, CONFIDENCE)
    losses = board.losses(demand)
    greedy = int(board.trials.tokens.sum(axis=1).argmin())
    assert losses[greedy].mean() > 0.1
    surely = [surely_above(losses[greedy, other], demand) for _, other in halves(296, 50, 1)]
    assert np.mean(surely) > 0.5


def test_halves_are_halves() -> None:
    for part, other in halves(11, 5, 0):
        assert (len(part), len(other)) == (5, 6)
        assert sorted([*part, *other]) == list(range(11))
