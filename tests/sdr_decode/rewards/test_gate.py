"""Rewards as gates of a decode, live and replayed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from clients.errors import SpecError
from clients.recording import RecordedCandidate
from sdr_decode import SDRDecoder
from sdr_decode.candidate import Candidate, State
from sdr_decode.errors import RewardError
from sdr_decode.result import Result
from sdr_decode.rewards.answer import AnswerReward
from sdr_decode.rewards.base import Reward, Values
from sdr_decode.rewards.gate import Gate, open_gate
from sdr_decode.selection import eligible
from sdr_decode.track import track
from tests.fake_encoder import FakeEncoder
from tests.scripted_client import ScriptedClient, words

CLEAR = "Findings: The lungs are clear. Heart size is normal.\nImpression: No acute disease."
BARE = "The lungs are clear. Heart size is normal. No acute disease."
LOOP = CLEAR + " No acute disease." * 9


class Unsure(Reward):
    async def __call__(self, *_: Any, **columns: Any) -> Values:  # type: ignore[override]
        return [None if "lungs" in text else 0.25 for text in columns["completions"]]


async def decoded(index: Path, gates: Any, *texts: str) -> Result:
    client = ScriptedClient(*map(words, texts), lockstep=True)
    decoder = SDRDecoder(client, index, encoder=FakeEncoder(), prune="none", gates=gates)
    return await decoder.agenerate(k=len(texts))


@pytest.mark.parametrize(
    ("gate", "text", "reason"),
    [
        ("format", BARE, "gated: format is 0, below 1"),
        ("consistency:at_least=0.9", LOOP, r"gated: consistency is 0\.\d+, below 0.9"),
        ("answer-format", BARE, "gated: answer-format is 0, below 1"),
        ("language:ru", BARE, "gated: language-ru is 0, below 1"),
        (Unsure("unsure"), "Heart.", "gated: unsure is 0.25, below 1"),
    ],
)
async def test_what_does_not_pass_is_invalid_and_says_why(
    index: Path, gate: Any, text: str, reason: str
) -> None:
    result = await decoded(index, [gate], text, CLEAR + " [ans]a[/ans]")
    assert result.candidates[0].state == "invalid"
    assert result.candidates[0].ended is not None
    assert re.fullmatch(reason, result.candidates[0].ended)
    if gate != "language:ru":
        assert (result.winner, result.valid) == (1, True)


async def test_when_none_passes_the_best_comes_back_as_not_valid(index: Path) -> None:
    result = await decoded(index, ["format"], BARE, BARE)
    assert (result.winner, result.valid) == (0, False)
    assert "every candidate gated: format is 0, below 1" in result.warnings[0]


async def test_what_a_reward_cannot_tell_passes(index: Path) -> None:
    result = await decoded(index, [Unsure("unsure")], CLEAR)
    assert result.valid
    assert result.settings["gates"] == ["unsure, at least 1"]


def test_a_pruned_report_comes_before_a_gated_one_and_that_before_a_refusal() -> None:
    field = [Candidate(number) for number in range(3)]
    for each in field:
        each.sentences.append(None)  # type: ignore[arg-type]
    field[0].fail("refused", "no")
    field[1].fail("gated", "no")
    assert eligible(field[:2]) == [field[1]]
    field[2].prune("far")
    assert field[2].state is State.PRUNED
    assert eligible(field) == [field[2]]


def test_a_replay_gates_as_a_decode_does() -> None:
    recorded = RecordedCandidate(tokens=tuple(words(BARE)), finish_reason="stop")
    flaw = track(recorded, [open_gate("consistency"), open_gate("format")]).flaw
    assert flaw is not None
    assert (flaw.flaw, flaw.detail) == ("gated", "format is 0, below 1")
    assert track(recorded, [open_gate("format:at_least=0")]).flaw is None
    cut = RecordedCandidate(tokens=tuple(words(BARE)), finish_reason="length")
    flaw = track(cut, [open_gate("format")]).flaw
    assert flaw is not None
    assert flaw.flaw == "truncated"
    with pytest.raises(RewardError, match="the reward unsure is async"):
        track(recorded, [Gate(Unsure("unsure"))])


def test_a_reward_that_needs_a_reference_is_no_gate() -> None:
    with pytest.raises(RewardError, match="answer needs a reference"):
        open_gate(AnswerReward())
    with pytest.raises(SpecError, match="the gate 'sdr' cannot be used"):
        open_gate("sdr")


def test_the_bound_is_the_rewards_own_or_the_last_option() -> None:
    assert open_gate("consistency").bound == 0.5
    assert open_gate("consistency:at_least=0.9").bound == 0.9
    assert open_gate("language:ja,at_least=0").bound == 0.0


@pytest.mark.parametrize("gate", ["unheard", "format:at_least=much"])
def test_a_gate_that_cannot_be_read_is_refused(gate: str, index: Path) -> None:
    with pytest.raises(SpecError):
        SDRDecoder(ScriptedClient(), index, encoder=FakeEncoder(), gates=[gate])


def test_one_spec_in_place_of_a_list_is_refused(index: Path) -> None:
    with pytest.raises(SpecError, match=r"expected a list such as \['format'\]"):
        SDRDecoder(ScriptedClient(), index, encoder=FakeEncoder(), gates="format")
