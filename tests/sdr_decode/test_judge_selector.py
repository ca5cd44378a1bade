"""A judge as the selector of a decode."""

from __future__ import annotations

from pathlib import Path

import pytest

from clients import Request
from sdr_decode import SDRDecoder
from sdr_decode.errors import RewardError
from sdr_decode.rewards.judge import Judge
from sdr_decode.selection.judge import JudgeSelector
from tests.fake_encoder import FakeEncoder
from tests.scripted_client import ScriptedClient, ScriptedStream, words
from tests.sdr_decode.rewards.judge.speaking import scripted

REPORTS = [
    "Findings: The lungs are clear. Heart size is normal. Impression: No acute disease.",
    "Findings: The lungs are clear. Small effusion. Impression: Effusion, small.",
    "Findings: The heart heart is. Impression: Heart lungs acute.",
]


class Rater(ScriptedClient):
    """Rates by the number of the report that stands in the question."""

    def __init__(self, *ratings: str) -> None:
        super().__init__()
        self.ratings = ratings

    def stream(self, request: Request, candidate: int) -> ScriptedStream:
        self.requests.append(request)
        marks = ["Heart size is normal.", "Small effusion.", "The heart heart is."]
        (number,) = [at for at, mark in enumerate(marks) if mark in request.prompt]
        return ScriptedStream(scripted(self.ratings[number], {self.ratings[number]: 1.0}))


async def decoded(index: Path, rater: Rater) -> tuple[int, str, str]:
    client = ScriptedClient(*map(words, REPORTS), lockstep=True)
    async with Judge(rater, reference=None) as judge:
        decoder = SDRDecoder(
            client, index, encoder=FakeEncoder(), prune="none", select=JudgeSelector(judge)
        )
        async with decoder:
            result = await decoder.agenerate(k=3)
    return result.winner, result.reason, result.report.text


async def test_the_report_that_is_rated_highest_wins(index: Path) -> None:
    rater = Rater("3", "5", "1")
    winner, reason, text = await decoded(index, rater)
    assert (winner, text) == (1, REPORTS[1])
    assert reason == "greatest value by the judge, 1.0000, of 3 candidates"
    assert "Impression: Effusion, small." in rater.requests[1].prompt


async def test_ties_go_to_the_first_launched_and_the_unrated_are_passed_over(index: Path) -> None:
    assert (await decoded(index, Rater("four", "4", "4")))[0] == 1


async def test_where_none_is_rated_the_first_launched_is_taken(index: Path) -> None:
    winner, reason, _ = await decoded(index, Rater("four", "five", "I cannot"))
    assert (winner, reason) == (0, "launched first of 3: the judge rated none")


def test_a_judge_that_needs_a_reference_cannot_select() -> None:
    with pytest.raises(RewardError, match="reference=None"):
        JudgeSelector(Judge(ScriptedClient()))
