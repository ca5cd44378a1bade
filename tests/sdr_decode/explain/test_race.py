"""The geometry of the race."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdr_decode.explain.axis import axis
from sdr_decode.explain.race import (
    BOTTOM,
    LABEL_HEIGHT,
    LABEL_WIDTH,
    LEFT,
    RIGHT,
    TOP,
    Race,
    race_of,
)
from sdr_decode.explain.story import stories
from tests.sdr_decode.explain.example import example, saved


def race(data: dict[str, Any] | None = None) -> Race:
    return race_of(stories(saved(data)), "chamfer")


def test_a_line_is_flat_until_a_sentence_closes_and_ends_where_its_candidate_did() -> None:
    drawn = race()
    winner, pruned = drawn.lines[-1], drawn.lines[0]
    x, y = drawn.x.at, drawn.y.at
    assert winner.path == (
        f"M{x(6):.1f} {y(0):.1f}H{x(10):.1f}V{y(0.03):.1f}H{x(15):.1f}V{y(0.025):.1f}H{x(15):.1f}"
    )
    assert winner.end == (x(15), y(0.025))
    assert pruned.path == f"M{x(7):.1f} {y(0.3):.1f}H{x(8):.1f}"
    assert drawn.absent == (2,)


def test_the_winner_is_drawn_on_top_in_a_colour_of_its_own() -> None:
    drawn = race()
    assert drawn.lines[-1].story.winner
    assert drawn.lines[-1].colour not in {line.colour for line in drawn.lines[:-1]}


def test_two_dozen_equal_candidates_have_labels_that_can_be_read() -> None:
    data = example()
    first = data["candidates"][0]
    data["candidates"] = [first | {"number": number} for number in range(24)]
    data["ledger"]["rows"] = []
    labels = [line.label for line in race(data).lines]
    assert len(labels) == 24
    for one, other in combinations(labels, 2):
        assert abs(one[0] - other[0]) >= LABEL_WIDTH or abs(one[1] - other[1]) >= LABEL_HEIGHT


def test_nothing_raced_still_has_axes() -> None:
    data = example()
    data["candidates"] = data["candidates"][2:]
    data["winner"] = 2
    drawn = race(data)
    assert drawn.lines == ()
    assert drawn.x.ticks()
    assert drawn.y.ticks()


@given(
    st.lists(
        st.tuples(st.floats(0, 1), st.integers(0, 10**9)),
        min_size=1,
        max_size=12,
    )
)
def test_every_point_lies_in_the_frame(closings: list[tuple[float, int]]) -> None:
    data = example()
    sentence = data["candidates"][1]["sentences"][0]
    data["candidates"][1] |= {
        "text": "." * len(closings),
        "sentences": [
            sentence | {"distance": distance, "tokens": tokens, "start": at, "end": at + 1}
            for at, (distance, tokens) in enumerate(closings)
        ],
    }
    for line in race(data).lines:
        for across, down in (*line.dots, line.end):
            assert LEFT <= across <= RIGHT
            assert TOP - 1e-6 <= down <= BOTTOM + 1e-6


@pytest.mark.parametrize(
    ("largest", "least", "labels"),
    [
        (28, 1, ["0", "5", "10", "15", "20", "25", "30"]),
        (3, 1, ["0", "1", "2", "3"]),
        (0.0998, 0.002, ["0.00", "0.02", "0.04", "0.06", "0.08", "0.10"]),
        (0.0, 0.002, ["0.000", "0.002"]),
        (1.0, 0.002, ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
    ],
)
def test_ticks_are_round(largest: float, least: float, labels: list[str]) -> None:
    assert [label for _, label in axis(largest, 0, 100, least=least).ticks()] == labels
