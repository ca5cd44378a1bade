"""The set distance of a report to its reference."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdr_decode.distances import EmbeddedSet, chamfer, hausdorff
from sdr_decode.errors import RewardError
from sdr_decode.rewards.set_distance import SetDistanceReward, parse_report
from sdr_decode.sentences import as_embedded
from tests.fake_encoder import FakeEncoder

FINDINGS = (
    "No pleural effusion.",
    "Small left pleural effusion.",
    "The lungs are clear.",
    "There is a right basilar opacity.",
    "Heart size is normal.",
    "The heart is enlarged.",
)
REPORT = "Findings: Heart size is normal. The lungs are clear.\nImpression: No acute disease."


def made(findings: list[str], impression: list[str]) -> str:
    return f"Findings: {' '.join(findings)}\nImpression: {' '.join(impression)}"


sentences = st.lists(st.sampled_from(FINDINGS), max_size=4)
reports = st.builds(made, sentences, sentences) | st.sampled_from(["", "Clear.", "Sorry, I can't."])
variants: Any = st.fixed_dictionaries(
    {"metric": st.sampled_from(["chamfer", "hausdorff"]), "polarity": st.booleans()}
)


def distance(one: str, other: str, **options: Any) -> float | None:
    reward = SetDistanceReward(FakeEncoder(), format_weight=0.0, semantic_weight=1.0, **options)
    (value,) = reward(completions=[one], reference=[other])
    return None if value is None else 1.0 - value


@settings(max_examples=100)
@given(reports, reports, variants)
def test_it_is_symmetric_and_bounded(one: str, other: str, options: dict[str, Any]) -> None:
    there, back = distance(one, other, **options), distance(other, one, **options)
    if there is not None and back is not None:
        assert there == pytest.approx(back, abs=1e-6)
    (value,) = SetDistanceReward(FakeEncoder(), **options)(completions=[one], reference=[other])
    assert value is None or -1e-9 <= value <= 1.0 + 1e-9


@settings(max_examples=100)
@given(sentences, sentences, reports, st.randoms(), variants)
def test_the_order_within_a_section_does_not_matter(
    findings: list[str], impression: list[str], other: str, random: Any, options: dict[str, Any]
) -> None:
    shuffled = made(
        random.sample(findings, len(findings)), random.sample(impression, len(impression))
    )
    one = distance(made(findings, impression), other, **options)
    assert one == pytest.approx(distance(shuffled, other, **options), abs=1e-6)


@pytest.mark.parametrize(("metric", "function"), [("chamfer", chamfer), ("hausdorff", hausdorff)])
def test_it_is_the_decoders_distance_by_section(metric: Any, function: Any) -> None:
    encoder = FakeEncoder()
    ours, theirs = made([*FINDINGS[:3]], [FINDINGS[3]]), made([FINDINGS[4]], [*FINDINGS[2:4]])

    def embedded(text: str) -> EmbeddedSet:
        report = parse_report(text)
        return EmbeddedSet(
            encoder.encode([as_embedded(each) for each in report.sentences]), report.sections
        )

    expected = function(embedded(ours), embedded(theirs))
    assert distance(ours, theirs, metric=metric) == pytest.approx(expected, abs=1e-6)


def test_the_reward_adds_the_format_to_the_likeness() -> None:
    reward = SetDistanceReward(FakeEncoder(), format_weight=0.3, semantic_weight=0.7)
    unformatted = "Heart size is normal. The lungs are clear. No acute disease."
    values = reward(completions=[REPORT, unformatted, ""], reference=[REPORT] * 3)
    assert values == pytest.approx([1.0, 0.7, 0.0], abs=1e-6)


def test_a_missing_section_costs_the_sentences_that_it_should_have() -> None:
    findings_only = "Findings: Heart size is normal. The lungs are clear."
    # to the reference: both of ours are there; from it: one of three has no counterpart
    assert distance(findings_only, REPORT) == pytest.approx((0 + 1 / 3) / 2, abs=1e-6)


def test_without_a_reference_nothing_can_be_told() -> None:
    reward = SetDistanceReward(FakeEncoder())
    assert reward(completions=[REPORT] * 3, reference=[None, "", "Findings:"]) == [None] * 3
    with pytest.raises(RewardError, match=r"found 7 in the column 'reference'; expected a report"):
        reward(completions=[REPORT], reference=[7])


def test_each_distinct_sentence_is_embedded_once_over_all_calls() -> None:
    encoder = FakeEncoder()
    reward = SetDistanceReward(encoder)
    other = REPORT.replace("normal", "enlarged")
    for _ in range(2):
        reward(completions=[REPORT, other, REPORT], reference=[other, REPORT, REPORT])
    embedded = [text for batch in encoder.batches for text in batch]
    assert sorted(embedded) == sorted(
        [
            "heart size is normal.",
            "the lungs are clear.",
            "no acute disease.",
            "heart size is enlarged.",
        ]
    )
    assert len(encoder.batches) == 1


def test_an_encoder_that_is_named_is_not_loaded_before_a_report_comes() -> None:
    reward = SetDistanceReward("no-such-encoder-anywhere")
    assert reward(completions=["", REPORT], reference=[REPORT, None]) == [0.0, None]
    assert not reward.encoder.loaded


class OneDirection(FakeEncoder):
    """Every sentence looks like every other."""

    def _vector(self, text: str) -> np.ndarray[Any, np.dtype[np.float64]]:
        return np.eye(self.dimension)[0]


@pytest.mark.parametrize(
    ("ours", "theirs", "polarity", "expected"),
    [
        ("No pleural effusion.", "Small left pleural effusion.", False, 0.0),
        ("No pleural effusion.", "Small left pleural effusion.", True, 1.0),
        ("The heart is enlarged.", "Heart size is normal.", True, 1.0),
        ("No pleural effusion.", "There is no effusion.", True, 0.0),
        ("No pleural effusion.", "Heart size is normal.", True, 0.0),
        ("Possible pleural effusion.", "No pleural effusion.", True, 0.0),  # doubt is no statement
    ],
)
def test_sentences_of_opposite_polarity_are_as_far_apart_as_can_be(
    ours: str, theirs: str, polarity: bool, expected: float
) -> None:
    reward = SetDistanceReward(
        OneDirection(), polarity=polarity, format_weight=0.0, semantic_weight=1.0
    )
    (value,) = reward(completions=[ours], reference=[theirs])
    assert value == pytest.approx(1.0 - expected, abs=1e-6)


def test_a_sentence_that_the_reference_denies_cannot_hide_behind_another_that_is_near() -> None:
    reward = SetDistanceReward(
        OneDirection(), polarity=True, format_weight=0.0, semantic_weight=1.0
    )
    reference = "Small left pleural effusion. Heart size is normal."
    # from ours: the first of two is denied; from the reference: its first is
    (wrong,) = reward(
        completions=["No pleural effusion. Heart size is normal."], reference=[reference]
    )
    assert wrong == pytest.approx(0.5, abs=1e-6)
    # what the reference says of one side is not denied by what it says of the other
    sides = "No right pleural effusion. Small left pleural effusion."
    assert reward(completions=[sides], reference=[sides]) == pytest.approx([1.0], abs=1e-6)
    assert reward(completions=["Small effusion."], reference=[sides])[0] == pytest.approx(
        1.0 - (0.0 + 0.5) / 2, abs=1e-6
    )


def test_the_means_of_its_parts_are_logged() -> None:
    logged: dict[str, float] = {}
    SetDistanceReward(FakeEncoder())(
        completions=[REPORT, ""], reference=[REPORT, REPORT], log_metric=logged.__setitem__
    )
    assert logged == pytest.approx({"sdr/format": 0.5, "sdr/distance": 0.5}, abs=1e-6)
