"""What TRL hands to a reward, read as text."""

from __future__ import annotations

from typing import Any

import pytest

from sdr_decode.errors import RewardError
from sdr_decode.rewards import completion_text
from sdr_decode.rewards.answer import AnswerReward


@pytest.mark.parametrize(
    ("completion", "expected"),
    [
        ("Clear.", "Clear."),
        ("", ""),
        ([], ""),
        ([{"role": "assistant", "content": "Clear."}], "Clear."),
        (
            [
                {"role": "assistant", "content": "I will look."},
                {"role": "tool", "content": "12"},
                {"role": "assistant", "content": "Clear."},
            ],
            "Clear.",
        ),
        ([{"role": "user", "content": "Report?"}], ""),
        ([{"role": "assistant", "content": None, "tool_calls": []}], ""),
        (
            [
                {
                    "role": "assistant",
                    "content": [
                        {"type": "text", "text": "No "},
                        {"type": "image"},
                        {"type": "text", "text": "effusion."},
                    ],
                }
            ],
            "No effusion.",
        ),
    ],
)
def test_the_text_is_the_content_of_the_assistants_last_message(
    completion: Any, expected: str
) -> None:
    assert completion_text(completion) == expected


@pytest.mark.parametrize("completion", [None, 7, ["Clear."], [{"role": "assistant", "content": 7}]])
def test_what_is_no_completion_is_refused_with_what_was_expected(completion: Any) -> None:
    with pytest.raises(RewardError, match=r"found .*; expected"):
        completion_text(completion)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({}, "reads the column 'answer'; found no columns"),
        ({"solution": ["a"], "log_metric": print}, "found solution: add it"),
        ({"answer": ["a", "b"]}, "found 2 values in the column 'answer' for 1 completions"),
        ({"answer": "a"}, "found 1 values|expected a list"),
    ],
)
def test_a_column_that_is_absent_or_too_short_is_refused(
    columns: dict[str, Any], message: str
) -> None:
    with pytest.raises(RewardError, match=message):
        AnswerReward()(completions=["[ans]a[/ans]"], **columns)
