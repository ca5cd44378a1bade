"""Several rewards as one."""

from __future__ import annotations

import asyncio
import doctest
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clients.errors import SpecError
from clients.spec import Registry, Spec
from sdr_decode.errors import RewardError
from sdr_decode.rewards import composite, composite_spec, rewards
from sdr_decode.rewards.answer import AnswerReward
from sdr_decode.rewards.base import Reward, Values
from sdr_decode.rewards.composite import CompositeReward, is_async
from sdr_decode.rewards.composite_spec import sdr_preset
from sdr_decode.rewards.report_format import FormatReward
from sdr_decode.rewards.set_distance import SetDistanceReward
from tests.fake_encoder import FakeEncoder


class Given(Reward):
    """The values that it was given, and the columns that it is called with."""

    def __init__(self, name: str, *values: float | None) -> None:
        super().__init__(name)
        self.values = list(values)

    def __call__(self, *_: Any, completions: Sequence[Any] = (), **columns: Any) -> Values:
        self.columns = columns
        return self.values


class GivenLater(Given):
    async def __call__(self, *_: Any, **columns: Any) -> Values:  # type: ignore[override]
        await asyncio.sleep(0)
        return self.values


numbers = st.floats(0.0, 1.0)
parts = st.lists(st.tuples(st.floats(0.1, 3.0), numbers | st.none()), min_size=1, max_size=4)


def summed(drawn: list[tuple[float, float | None]], **options: Any) -> float | None:
    members: Any = {
        str(place): (Given(str(place), value), weight)
        for place, (weight, value) in enumerate(drawn)
    }
    (value,) = composite(members, **options)(completions=["x"])  # type: ignore[misc]
    return value


@given(parts)
def test_weights_are_renormalised_to_the_same_total_over_what_is_known(drawn: Any) -> None:
    known = [(weight, value) for weight, value in drawn if value is not None]
    value = summed(drawn)
    if not known:
        assert value is None
    else:
        assert value is not None
        mean = sum(w * v for w, v in known) / sum(w for w, _ in known)
        assert value == pytest.approx(mean * sum(w for w, _ in drawn))


@given(parts)
def test_or_the_sample_is_dropped(drawn: Any) -> None:
    values = [value for _, value in drawn]
    value = summed(drawn, missing="drop")
    if None in values:
        assert value is None
    else:
        assert value == pytest.approx(sum(w * v for w, v in drawn))


def test_only_parts_without_weight_known_tell_nothing() -> None:
    assert summed([(0.0, 1.0), (1.0, None)]) is None


def test_a_reward_without_a_weight_counts_with_its_own() -> None:
    reward = composite([AnswerReward(), FormatReward()])
    values = reward(completions=["[ans]a[/ans]", "b"], answer=["a", "a"])
    assert values == [1.5, 0.0]
    assert reward.needs_reference
    assert not composite([FormatReward()]).needs_reference


def test_each_part_is_logged_by_its_name() -> None:
    metrics: dict[str, float] = {}
    extra: dict[str, Values] = {}
    reward = composite({"a": Given("x", 1.0, None, 0.5), "b": Given("y", None, None, None)})
    reward(
        completions=["1", "2", "3"],
        log_metric=metrics.__setitem__,
        log_extra=extra.__setitem__,
    )
    assert metrics == {"composite/a": 0.75}
    assert extra == {"composite/a": [1.0, None, 0.5], "composite/b": [None] * 3}


async def test_async_parts_are_awaited_beside_the_others() -> None:
    reward = composite({"later": (GivenLater("x", 1.0), 2.0), "now": Given("y", 0.5)})
    assert is_async(reward)
    made = reward(completions=["text"], reference=["r"])
    assert not isinstance(made, list)
    assert await made == [2.5]
    inner = reward.parts["now"].reward
    assert isinstance(inner, Given)
    assert inner.columns["reference"] == ["r"]


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ([], "found no parts"),
        ([Given("x"), Given("x")], "two parts of one name among x, x"),
        ({"x": (Given("x"), -1.0)}, "found -1.0 as the weight of x"),
        ({"x": (Given("x"), float("nan"))}, "found nan as the weight of x"),
        ({"x": (Given("x"), 0.0), "y": (Given("y"), 0.0)}, "found only weights of 0"),
    ],
)
def test_parts_that_cannot_be_summed_are_refused(members: Any, message: str) -> None:
    with pytest.raises(RewardError, match=message):
        composite(members)


def test_a_part_that_gives_too_few_values_is_named() -> None:
    with pytest.raises(RewardError, match="the part x gave 1 values for 2 completions"):
        composite([Given("x", 1.0)])(completions=["1", "2"])


def test_a_spec_gives_the_members_their_weights() -> None:
    reward = rewards.make("composite:0.25*format + language:ja+missing=drop+1.5*consistency")
    assert isinstance(reward, CompositeReward)
    assert {label: part.weight for label, part in reward.parts.items()} == {
        "format": 0.25,
        "language-ja": 1.0,
        "consistency": 1.5,
    }
    assert reward.missing == "drop"


def test_the_preset_judge_is_of_three_parts() -> None:
    made: list[str] = []
    registry: Registry[Reward] = Registry("reward")

    def make(spec: Spec) -> Reward:
        made.append(str(spec))
        return Given(spec.name, 1.0)

    for name in ("judge", "concepts", "consistency"):
        registry.register(name, make, nests=True)
    reward = composite_spec.from_spec(
        registry, Spec("composite", "judge,client=openai:gpt-4o-mini,missing=drop")
    )
    assert made == ["judge:openai:gpt-4o-mini", "concepts:hpo", "consistency"]
    assert {label: part.weight for label, part in reward.parts.items()} == {
        "judge": 0.6,
        "concepts": 0.3,
        "consistency": 0.1,
    }
    assert reward.missing == "drop"


def test_the_preset_sdr_is_the_set_distance_reward_with_its_parts_named() -> None:
    encoder = FakeEncoder()
    whole = SetDistanceReward(encoder)
    likeness = SetDistanceReward(encoder, format_weight=0.0, semantic_weight=1.0)
    report = "Findings: Lungs are clear.\nImpression: No acute disease."
    texts = [report, "Lungs are clear.", "", report]
    references = [report, report, report, None]
    parted = sdr_preset(FormatReward(), likeness)(completions=texts, reference=references)
    assert isinstance(parted, list)
    assert parted == pytest.approx(whole(completions=texts, reference=references))
    made = rewards.make("composite:sdr,hausdorff,polarity=true,encoder=somewhere")
    assert isinstance(made, CompositeReward)
    inner = made.parts["likeness"].reward
    assert isinstance(inner, SetDistanceReward)
    assert (inner.metric, inner.polarity, inner.format_weight) == ("hausdorff", True, 0.0)


@pytest.mark.parametrize(
    "spec",
    [
        "composite",
        "composite:format+",
        "composite:x*format",
        "composite:-1*format",
        "composite:format+format",
        "composite:judge",
        "composite:sdr,format=1",
        "composite:missing=drop",
        "composite:format+missing=never",
        "composite:unheard+format",
    ],
)
def test_a_spec_that_cannot_be_summed_is_refused(spec: str) -> None:
    with pytest.raises(SpecError):
        rewards.make(spec)


def test_the_examples_of_the_documentation_hold() -> None:
    outcome = doctest.testmod(import_module("sdr_decode.rewards.composite"))
    assert outcome.attempted
    assert not outcome.failed
