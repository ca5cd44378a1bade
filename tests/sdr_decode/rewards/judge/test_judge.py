"""The judge as a reward, as a ranking, and in whatever loop it is called."""

from __future__ import annotations

import asyncio
import inspect
from pathlib import Path
from typing import Any

import pytest

from clients import Request
from clients.errors import SpecError
from sdr_decode.errors import RewardError
from sdr_decode.rewards import rewards
from sdr_decode.rewards.judge import Judge
from tests.clients.wire_server import WireServer
from tests.scripted_client import ScriptedClient, ScriptedStream
from tests.sdr_decode.rewards.judge.speaking import (
    REPORT,
    SURE_FOUR,
    openai_judge,
    openai_says,
    scripted,
)

REFERENCE = "Findings: No effusion. Impression: Normal."
IN_ORDER = "Findings: Small left effusion. No pneumothorax. Impression: Left effusion."
JUMBLED = "Impression: pneumothorax small. Findings left: no left effusion effusion."


class Reader(ScriptedClient):
    """A model whose answer depends on what stands in the prompt."""

    def __init__(self, answers: dict[str, str]) -> None:
        super().__init__()
        self.answers = answers

    def stream(self, request: Request, candidate: int) -> ScriptedStream:
        self.requests.append(request)
        said = next(digit for words, digit in self.answers.items() if words in request.prompt)
        return ScriptedStream(scripted(said, {said: 1.0}))


async def test_it_is_a_coroutine_function_as_trl_tells_one() -> None:
    judge = Judge(Reader({REPORT: "4"}))
    assert inspect.iscoroutinefunction(judge.__call__)
    assert judge.__name__ == judge.name == "judge"
    assert judge.needs_reference
    messages = [{"role": "user", "content": "Describe."}, {"role": "assistant", "content": REPORT}]
    values = await judge(
        prompts=[[{"role": "user", "content": "Describe."}]] * 2,
        completions=[REPORT, messages],
        completion_ids=[[1], [2]],
        reference=[REFERENCE, REFERENCE],
        trainer_state=None,
    )
    assert values == [0.75, 0.75]


async def test_the_same_question_is_asked_once() -> None:
    client = Reader({REPORT: "4"})
    judge = Judge(client, reference=None)
    assert await judge(completions=[REPORT] * 8) == [0.75] * 8
    await judge(completions=[REPORT])
    assert len(client.requests) == 1
    await judge(prompts=["Describe."], completions=[REPORT])
    assert len(client.requests) == 2


async def test_a_reference_is_in_the_question() -> None:
    client = Reader({REPORT: "4"})
    await Judge(client)(completions=[REPORT], reference=[REFERENCE])
    await Judge(client, reference=None)(completions=[REPORT], reference=[REFERENCE])
    assert [REFERENCE in request.prompt for request in client.requests] == [True, False]


async def test_a_text_without_its_reference_is_none() -> None:
    client = Reader({REPORT: "4"})
    judge = Judge(client, reference="report")
    assert await judge(completions=[REPORT, REPORT], report=[None, REFERENCE]) == [None, 0.75]
    assert judge.failures.counts == {"there is no reference to compare with": 1}
    with pytest.raises(RewardError, match="'report'"):
        await judge(completions=[REPORT])


async def test_a_blank_text_is_rated_lowest_and_not_asked_about() -> None:
    client = Reader({})
    assert await Judge(client, reference=None)(completions=["", " \n"]) == [0.0, 0.0]
    assert not client.requests


def test_right_words_in_a_meaningless_order() -> None:
    """The model is scripted, so this shows only that what it says of each text is what counts;
    how well a real one tells them apart is for the benchmarks."""
    with Judge(Reader({IN_ORDER: "5", JUMBLED: "1"}), reference=None) as judge:
        assert judge.values([IN_ORDER, JUMBLED]) == [1.0, 0.0]


def test_candidates_are_ranked() -> None:
    class Partly(Reader):
        def stream(self, request: Request, candidate: int) -> ScriptedStream:
            if "unlucky" in request.prompt:
                return ScriptedStream(scripted("none of it"))
            return super().stream(request, candidate)

    client = Partly({"poor": "2", "good": "5", "fair": "3", "like": "3"})
    with Judge(client, reference=None) as judge:
        assert judge.rank(["unlucky", "poor", "fair", "good", "like it"]) == [3, 2, 4, 1, 0]


def test_synchronous_code_can_judge_anywhere() -> None:
    async def in_a_loop(judge: Judge) -> list[float | None]:
        return judge.values([REPORT])  # as a notebook's cell does

    with Judge(Reader({REPORT: "4"}), reference=None) as judge:
        assert judge.values([REPORT]) == [0.75]
        assert asyncio.run(in_a_loop(judge)) == [0.75]


async def test_one_judge_serves_several_loops() -> None:
    async with WireServer(openai_says("4", SURE_FOUR)) as server:
        async with openai_judge(server) as judge:
            assert await judge(completions=["One."]) == [0.75]
            assert await asyncio.to_thread(judge.values, ["Two."]) == [0.75]
            assert await judge(completions=["Three."]) == [0.75]
        await server.all_disconnected()
        assert len(server.exchanges) == 3
        with pytest.raises(RewardError, match="closed"):
            await judge(completions=["Four."])
        with pytest.raises(RewardError, match="closed"):
            judge.values(["Four."])


async def test_a_call_that_is_cancelled_closes_its_streams() -> None:
    class Waiting(ScriptedClient):
        opened: list[ScriptedStream] = []  # noqa: RUF012

        def stream(self, request: Request, candidate: int) -> ScriptedStream:
            self.opened.append(ScriptedStream([asyncio.Event()]))
            if len(self.opened) == 2:
                both.set()
            return self.opened[-1]

    both = asyncio.Event()
    client = Waiting()
    call = asyncio.ensure_future(Judge(client, reference=None)(completions=["One.", "Two."]))
    await both.wait()
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert all(stream.cancels for stream in client.opened)
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_a_client_that_was_given_is_left_open() -> None:
    class Closing(Reader):
        closed = False

        async def aclose(self) -> None:
            self.closed = True

    client = Closing({REPORT: "4"})
    async with Judge(client, reference=None) as judge:
        await judge(completions=[REPORT])
    assert not client.closed


async def test_an_sdk_object_can_be_given() -> None:
    from openai import AsyncOpenAI

    async with (
        WireServer(openai_says("4", SURE_FOUR)) as server,
        AsyncOpenAI(api_key="sk-test", base_url=f"{server.url}/v1") as sdk,
        Judge(sdk, model="test-model", reference=None) as judge,
    ):
        assert await judge(completions=[REPORT]) == [0.75]
        assert server.exchanges[0].body["model"] == "test-model"


def test_a_spec_names_the_client_and_the_options_of_both(tmp_path: Path) -> None:
    spec = (
        "judge:openai:test-model,base_url=http://localhost:1/v1,retries=0,reference=none,samples=3,"
        f"cache={tmp_path / 'ratings.jsonl'}"
    )
    judge = rewards.make(spec)
    assert isinstance(judge, Judge)
    assert not judge.needs_reference
    assert repr(judge) == (
        "Judge('openai:test-model,base_url=http://localhost:1/v1', reference=None)"
    )


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("judge", "found no client"),
        ("judge:nobody:x", "unknown client 'nobody'"),
        ("judge:openai", "found no model"),
        ("judge:openai:m,base_url=http://localhost:1,samples=0", "'0' as its samples"),
        ("judge:openai:m,base_url=http://localhost:1,colour=red", "option 'colour'"),
    ],
)
def test_specs_that_cannot_be_used(spec: str, words: str) -> None:
    with pytest.raises(SpecError, match=words):
        rewards.make(spec)


@pytest.mark.parametrize("option", ["samples", "max_tokens", "concurrency", "top_logprobs"])
def test_counts_that_are_none(option: str) -> None:
    options: dict[str, Any] = {option: -1}
    with pytest.raises(RewardError, match=f"-1 as its {option}"):
        Judge(ScriptedClient(), **options)


async def test_lists_that_do_not_fit() -> None:
    judge = Judge(ScriptedClient())
    with pytest.raises(RewardError, match="2 references for 1 texts"):
        await judge.arate([REPORT], [REFERENCE, REFERENCE])
    with pytest.raises(RewardError, match="made without one"):
        await Judge(ScriptedClient(), reference=None).arate([REPORT], [REFERENCE])
