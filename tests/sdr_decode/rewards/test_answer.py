"""The answer of a multiple-choice task against the gold one."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdr_decode.errors import RewardError
from sdr_decode.rewards import rewards
from sdr_decode.rewards.answer import AnswerFormatReward, AnswerReward, parse_answer

choices = st.lists(st.sampled_from("abcde"), min_size=1, max_size=4)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Two are right: [ans]a,c[/ans]", 1.0),
        ("Two are right: [ans]c,a[/ans]", 1.0),  # any order
        ("[ANS]\nC ,\n A\n[/Ans] Thank you.", 1.0),  # any case, across lines
        ("[ans]a,a,c[/ans]", 1.0),  # a set
        ("First [ans]b[/ans], no: [ans]a,c[/ans]", 1.0),  # the last counts
        ("[ans]b[/ans] [ans]a,c", 0.0),  # the last one that closes
        ("[ans]b [ans]a,c[/ans]", 1.0),
        ("[ans]a,c[/ans] [ans][/ans]", 0.0),
        ("a,c", 0.0),  # no tag
        ("[ans][/ans]", 0.0),
        ("[ans] , ,, [/ans]", 0.0),
        ("[ans]a[/ans]", 0.0),  # no partial credit
        ("[ans]a,b,c[/ans]", 0.0),
        ("[/ans]a,c[ans]", 0.0),
        ("", 0.0),
    ],
)
def test_only_the_exact_set_between_the_last_tags_is_right(text: str, expected: float) -> None:
    reward = AnswerReward()
    assert reward(completions=[text, text], answer=["a,c", ["a", "c"]]) == [expected] * 2


@given(choices, st.randoms())
def test_order_and_repetition_of_the_choices_do_not_matter(given: list[str], random: Any) -> None:
    again = random.sample(given * 2, len(given) * 2)
    text = f"[ans]{', '.join(again).upper()}[/ans]"
    assert AnswerReward()(completions=[text], answer=[given]) == [1.0]
    assert AnswerReward()(completions=[text], answer=[",".join(given)]) == [1.0]


@given(choices, choices)
def test_different_sets_are_wrong(one: list[str], other: list[str]) -> None:
    value = AnswerReward()(completions=[f"[ans]{','.join(one)}[/ans]"], answer=[other])
    assert value == [float(set(one) == set(other))]


pieces = st.lists(st.sampled_from(["[ans]", "[/ans]", "[ANS]", "[an\u017f]", "a", ",", "\n"]))


@given(pieces)
def test_the_last_pair_of_tags_with_no_tag_between_them_holds_the_answer(parts: list[str]) -> None:
    text = "".join(parts)
    held = re.findall(r"(?isa)\[ans\]((?:(?!\[/?ans\]).)*)\[/ans\]", text)
    last = held[-1].split(",") if held else []
    expected = {element.strip().casefold() for element in last if element.strip()}
    assert parse_answer(text) == expected
    assert AnswerFormatReward()(completions=[text]) == [float(bool(expected))]


def test_without_a_gold_answer_nothing_can_be_told() -> None:
    golds = [None, "", []]
    assert AnswerReward()(completions=["[ans]a[/ans]"] * 3, answer=golds) == [None] * 3


def test_a_gold_answer_of_another_kind_is_refused() -> None:
    with pytest.raises(RewardError, match=r"found 7 as the gold answer; expected a text"):
        AnswerReward()(completions=["[ans]a[/ans]"], answer=[7])


def test_the_spec_names_the_column() -> None:
    reward = rewards.make("answer:column=solution")
    assert reward(completions=["[ans]b[/ans]"], solution=["b"]) == [1.0]
    assert (reward.weight, reward.needs_reference) == (1.5, True)
