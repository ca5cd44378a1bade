from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from sdr_decode.calibration.certify import Demand, certify
from sdr_decode.calibration.losses import Loss
from sdr_decode.errors import CalibrationError

POLICIES = 12


def population(loss: Loss, size: int = 2000) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Studies of which each breaks at a policy of its own: losses (m, size) grow along the
    sequence, and the tokens fall."""
    random = np.random.default_rng(11)
    breaks = random.integers(0, 4 * POLICIES, size)
    height = np.ones(size) if loss == "winner" else random.beta(1, 9, size)
    losses = np.where(np.arange(POLICIES)[:, None] > breaks, height, 0.0)
    tokens = np.repeat(np.arange(POLICIES, 0, -1)[:, None] * 10, size, axis=1)
    return losses, tokens


@pytest.mark.parametrize(
    ("loss", "risk", "clip"),
    [("winner", 0.1, 1.0), ("distance", 0.02, 1.0), ("quality", 0.01, 0.2)],
)
def test_the_chosen_policys_true_risk_is_above_the_risk_no_more_often_than_promised(
    loss: Loss, risk: float, clip: float
) -> None:
    losses, tokens = population(loss)
    true = np.minimum(losses, clip).mean(axis=1)
    assert true[1] < risk < true[-1]
    demand = Demand(loss, risk, 0.9, clip)
    random, trials, broken, saving = np.random.default_rng(5), 400, 0, 0
    sequences = [list(range(0, POLICIES, 2)), list(range(1, POLICIES, 2))]
    for _ in range(trials):
        drawn = random.integers(losses.shape[1], size=300)
        chosen = certify(losses[:, drawn], tokens[:, drawn], sequences, demand).chosen
        broken += chosen is not None and true[chosen] > risk
        saving += chosen is not None and chosen > 0
    assert broken / trials <= 0.1 + 5 * np.sqrt(0.1 * 0.9 / trials)
    assert saving / trials > 0.9


def test_the_most_saving_of_the_certified_is_chosen() -> None:
    losses = np.zeros((3, 200))
    losses[2] = 1.0
    tokens = np.array([[9], [5], [1]]) * np.ones((1, 200), np.int64)
    found = certify(losses, tokens, [[0, 1, 2]], Demand("winner", 0.1, 0.95))
    assert found.chosen == 1
    assert set(found.levels) == {0, 1}
    assert found.p_values[2] == pytest.approx(1.0)


def test_a_proof_needs_no_test_but_is_not_believed_against_the_evidence() -> None:
    losses, tokens = np.zeros((2, 10)), np.full((2, 10), 7)
    losses[1] = 1.0
    demand = Demand("winner", 0.01, 0.95)  # ten studies certify nothing at 1%
    assert certify(losses, tokens, [[1]], demand).chosen is None
    found = certify(losses, tokens, [[1]], demand, proved=0)
    assert (found.chosen, found.levels) == (0, {0: 0.0})
    losses[0, 3] = 1.0
    assert certify(losses, tokens, [[1]], demand, proved=0).chosen is None


def test_a_loss_counts_as_at_most_clip() -> None:
    losses, tokens = np.zeros((1, 400)), np.ones((1, 400), np.int64)
    losses[0, ::20] = 1.0  # the mean is 0.05, and 0.005 when a loss counts as 0.1 at most
    assert certify(losses, tokens, [[0]], Demand("quality", 0.02, 0.95)).chosen is None
    assert certify(losses, tokens, [[0]], Demand("quality", 0.02, 0.95, clip=0.1)).chosen == 0


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (("winner", 0.0, 0.95), "the risk is 0;"),
        (("winner", 1.0, 0.95), "the risk is 1;"),
        (("winner", 0.1, 1.0), "the confidence is 1;"),
        (("winner", float("nan"), 0.95), "the risk is nan;"),
        (("winner", 0.1, 0.95, 0.5), "the loss winner, which is 0 or 1"),
        (("quality", 0.1, 0.95, 0.0), "clip is 0;"),
        (("quality", 0.1, 0.95, 0.1), "below clip, 0.1"),
    ],
)
def test_a_demand_that_promises_nothing_is_refused(values: Any, message: str) -> None:
    with pytest.raises(CalibrationError, match=message):
        Demand(*values)


@pytest.mark.parametrize("loss", ["winner", "quality"])
def test_the_least_number_of_studies_is_what_it_takes(loss: Loss) -> None:
    demand = Demand(loss, 0.05, 0.9)
    least = demand.least_studies(0.5)
    assert demand.p_values(np.zeros((1, least - 1)))[0] > 0.05
    if loss == "winner":  # betting takes a few more
        assert demand.p_values(np.zeros((1, least)))[0] <= 0.05
