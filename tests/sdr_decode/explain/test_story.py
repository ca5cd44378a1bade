"""What is told of each candidate."""

from __future__ import annotations

from statistics import fmean

import pytest

from sdr_decode.explain.story import CandidateStory, raced_by, stories
from tests.sdr_decode.explain.example import example, saved


def test_the_winner_comes_first_and_the_others_in_launch_order() -> None:
    data = example()
    data["winner"] = 1
    assert [(story.number, story.winner) for story in stories(saved(data))] == [
        (1, True),
        (0, False),
        (2, False),
    ]


def test_the_parts_are_the_whole_text_and_sentences_are_marked() -> None:
    for story in stories(saved()):
        parts = list(story.parts())
        assert "".join(part.text for part in parts) == story.saved.text
        marked = [part.text for part in parts if part.step is not None]
        assert marked == [step.sentence.text for step in story.steps]


def test_running_distances_are_those_of_the_sentences_so_far() -> None:
    winner = stories(saved())[0]
    distances = [0.0, 0.06, 0.015]
    for closed, step in enumerate(winner.steps, 1):
        assert step.chamfer == pytest.approx(fmean(distances[:closed]))
        assert step.hausdorff == max(distances[:closed])


def test_the_ending_says_where_in_sentences_and_tokens() -> None:
    assert [story.ending for story in stories(saved())] == [
        "finished with 3 sentences, at 15 tokens",
        # 8 had been observed when it was stopped; a ninth came later.
        "pruned after sentence 1, at 8 tokens",
        "invalid with 0 sentences, at 7 tokens",
    ]


def test_an_unknown_number_of_tokens_is_said_so() -> None:
    data = example()
    unknown = {"value": None, "provenance": "unknown"}
    data["ledger"]["rows"][2]["observed"] = unknown
    data["candidates"][2] |= {"tokens": unknown, "state": "pruned"}
    story: CandidateStory = stories(saved(data))[2]
    assert story.end is None
    assert story.ending == "pruned before a sentence closed, at an unknown number of tokens"


@pytest.mark.parametrize(
    ("where", "value", "form"),
    [
        ("prune", "threshold:0.04", "chamfer"),
        ("prune", "lossless:hausdorff", "hausdorff"),
        ("select", "corpus-hausdorff", "hausdorff"),
        ("prune", None, "chamfer"),
    ],
)
def test_the_race_is_by_the_form_that_decided(where: str, value: str | None, form: str) -> None:
    data = example()
    data["settings"][where] = value
    assert raced_by(saved(data)) == form
