"""Rewards of the text alone."""

from __future__ import annotations

import doctest
from importlib import import_module

import pytest

from clients.errors import SpecError
from sdr_decode.rewards import rewards
from sdr_decode.rewards.base import Reward, TextReward

JAPANESE = "心拡大は認めません。肺野は清です。"
REPORT = "Findings: Heart size is normal. Lungs are clear.\nImpression: No acute disease."


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (REPORT, 1.0),
        ("**FINDINGS**\nLungs are clear.\n**IMPRESSION**\n1. No acute disease.", 1.0),
        ("Portable chest.\n" + REPORT, 1.0),  # what has no section does not count
        (REPORT + "\nRecommendation: None.", 1.0),
        ("Impression: No acute disease.\nFindings: Lungs are clear.", 0.0),
        (REPORT + "\nFindings: Heart size is normal.", 0.0),
        ("Findings: Lungs are clear.", 0.0),
        ("Findings:\nImpression: No acute disease.", 0.0),
        ("Findings: XXXX.\nImpression: No acute disease.", 0.0),
        ("Lungs are clear. No acute disease.", 0.0),
        ("", 0.0),
    ],
)
def test_the_format_wants_both_sections_in_order_and_not_empty(text: str, expected: float) -> None:
    assert rewards.make("format")(completions=[text]) == [expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("特発性肺線維症", 1.0),  # a disease name in kanji only
        ("特発性肺線維症。" + JAPANESE, 1.0),
        (JAPANESE + "心影不大。双肺清晰。", 0.0),  # two Chinese sentences in a row
        ("心影不大。" + JAPANESE + "双肺清晰。", 1.0),
    ],
)
def test_two_slips_in_a_row_leave_the_language(text: str, expected: float) -> None:
    reward = rewards.make("language:ja")
    conversation = [{"role": "assistant", "content": text}]
    assert reward(completions=[text, conversation]) == [expected] * 2


def test_a_repeated_sentence_costs_its_share() -> None:
    clean, padded = "Lungs are clear. No effusion.", "Lungs are clear. No effusion. No effusion."
    first, second, third = rewards.make("consistency")(completions=[clean, padded, clean])
    assert first == third == 1.0
    assert second is not None
    assert 0.5 < second < 1.0


class Counting(TextReward):
    def __init__(self) -> None:
        super().__init__("counting")
        self.valued: list[str] = []

    def value(self, text: str) -> float:
        self.valued.append(text)
        return float(len(text))


def test_equal_texts_are_valued_once_a_call() -> None:
    reward = Counting()
    assert reward(completions=["a", "bb", "a"]) == [1.0, 2.0, 1.0]
    assert reward.valued == ["a", "bb"]


@pytest.mark.parametrize("spec", ["format", "answer-format", "language:ja", "consistency"])
def test_a_reward_of_the_text_alone_ignores_what_trl_adds(spec: str) -> None:
    reward = rewards.make(spec)
    assert isinstance(reward, Reward)
    assert not reward.needs_reference
    assert reward.__name__ == reward.name
    assert reward(prompts=["p"], completions=["x"], completion_ids=[[1]], trainer_state=None)
    assert reward(completions=[]) == []


@pytest.mark.parametrize(
    "spec", ["unheard", "language:klingon", "consistency:0.5", "format:x=1", "sdr:cosine"]
)
def test_a_spec_that_cannot_be_used_is_refused(spec: str) -> None:
    with pytest.raises(SpecError):
        rewards.make(spec)


@pytest.mark.parametrize(
    "module", ["answer", "completions", "consistency", "language", "report_format"]
)
def test_the_examples_of_the_documentation_hold(module: str) -> None:
    outcome = doctest.testmod(import_module(f"sdr_decode.rewards.{module}"))
    assert outcome.attempted
    assert not outcome.failed
