"""Several candidates of one request, through the vendors' SDKs and over a real connection."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

import pytest

from clients import CandidateStream, Finish, Piece, Request, Sampling, SharedRequest, Usage
from clients.errors import SpecError, StreamError
from clients.reader import Pace, Timeouts
from clients.retry import RetryPolicy
from tests.clients.case import ClientCase, event
from tests.clients.cases import OpenAICase, VLLMServerCase
from tests.clients.contract.clock import Clock
from tests.clients.gemini_case import GeminiCase
from tests.clients.mistral_case import MistralCase
from tests.clients.wire_server import SAFETY_SECONDS, Answer, Exchange, Fault, WireServer

REQUEST = Request("Describe the study.", sampling=Sampling(max_tokens=64, seed=7))
DONE = b"data: [DONE]\n\n"


@pytest.fixture(params=[OpenAICase(), MistralCase()], ids=lambda case: case.name)
def case(request: pytest.FixtureRequest) -> ClientCase:
    one: ClientCase = request.param
    return one


def said(choice: int, text: str, finish: str | None = None, **fields: Any) -> bytes:
    """A chunk with one of the choices."""
    one = {"index": choice, "delta": {"content": text}, "finish_reason": finish}
    return event({"id": "c", "object": "chat.completion.chunk", "choices": [one]} | fields)


def counts(prompt: int, output: int) -> dict[str, int]:
    return {"prompt_tokens": prompt, "completion_tokens": output}


def usage(prompt: int, output: int) -> bytes:
    return event({"id": "c", "choices": [], "usage": counts(prompt, output)})


async def heard(stream: CandidateStream) -> str:
    async with asyncio.timeout(SAFETY_SECONDS):
        return "".join([piece.text async for piece in stream])


async def all_heard(shared: SharedRequest) -> list[str]:
    return await asyncio.gather(*map(heard, shared.streams))


async def failures(streams: Iterable[CandidateStream]) -> list[str]:
    """Why each of the streams failed."""
    ends = await asyncio.gather(*map(heard, streams), return_exceptions=True)
    assert all(isinstance(end, StreamError) for end in ends), ends
    return [str(end) for end in ends]


async def test_interleaved_choices_come_apart_and_the_prompt_is_sent_once(
    case: ClientCase, clock: Clock
) -> None:
    steps = [
        said(1, "Findings:"),
        said(0, "The "),
        said(2, "", "content_filter"),
        said(1, " clear."),
        said(0, "lungs."),
        said(1, "", "stop"),
        said(0, " And", "length"),
        usage(900, 12),
        DONE,
    ]
    async with WireServer(Answer(steps)) as server, case.open(server.url, clock.pace()) as client:
        shared = client.shared(REQUEST, 3)
        assert await all_heard(shared) == ["The lungs. And", "Findings: clear.", ""]
    assert [s.finish and s.finish.reason for s in shared.streams] == [
        "length",
        "stop",
        "content_filter",
    ]
    assert shared.usage == Usage(prompt_tokens=900, output_tokens=12)
    assert [stream.usage for stream in shared.streams] == [None] * 3
    (exchange,) = server.exchanges
    assert exchange.body["n"] == 3
    assert 7 in (exchange.body.get("seed"), exchange.body.get("random_seed"))


async def test_several_choices_in_one_chunk_come_apart(case: ClientCase, clock: Clock) -> None:
    both = [
        {"index": choice, "delta": {"content": text}, "finish_reason": "stop"}
        for choice, text in ((1, "One."), (0, "None."), (5, "Nobody's."))
    ]
    answer = Answer([event({"id": "c", "choices": both}), usage(5, 4), DONE])
    async with WireServer(answer) as server, case.open(server.url, clock.pace()) as client:
        assert await all_heard(client.shared(REQUEST, 2)) == ["None.", "One."]


async def test_a_choice_that_ends_is_told_while_the_others_run(
    case: ClientCase, clock: Clock
) -> None:
    steps = [said(0, "Clear.", "stop"), said(1, "Still"), said(1, " here.", "stop"), DONE]
    async with (
        WireServer(Answer(steps, paced=True)) as server,
        case.open(server.url, clock.pace()) as client,
    ):
        first, second = client.shared(REQUEST, 2).streams
        reading = asyncio.ensure_future(heard(first))
        exchange = await server.request()
        exchange.allow(1)
        assert await reading == "Clear."
        assert first.finish == Finish("stop")
        assert not exchange.answered.is_set()
        exchange.allow(3)
        assert await heard(second) == "Still here."


async def test_the_last_end_does_not_wait_long_for_the_counts(
    case: ClientCase, clock: Clock
) -> None:
    pace = clock.pace(Timeouts(first=SAFETY_SECONDS, silence=SAFETY_SECONDS, usage=0.01))
    answer = Answer([said(0, "A.", "stop"), said(1, "B.", "stop"), Fault.STALL])
    async with WireServer(answer) as server, case.open(server.url, pace) as client:
        shared = client.shared(REQUEST, 2)
        assert await all_heard(shared) == ["A.", "B."]
        assert shared.usage is None


@pytest.mark.parametrize("fault", ["drop", "reset", "malformed", "error"])
async def test_what_breaks_the_request_off_fails_all_that_run(
    case: ClientCase, clock: Clock, fault: str
) -> None:
    last = {
        "drop": Fault.DROP,
        "reset": Fault.RESET,
        "malformed": case.malformed(),
        "error": case.error("overloaded"),
    }[fault]
    answer = Answer([said(0, "A.", "stop"), said(1, "B"), said(2, "C"), last])
    async with WireServer(answer) as server, case.open(server.url, clock.pace()) as client:
        shared = client.shared(REQUEST, 3)
        whole, *running = shared.streams
        said_by, why = await asyncio.gather(heard(whole), failures(running))
        assert said_by == "A."
        assert len(set(why)) == 1
        await server.all_disconnected()
    assert len(server.exchanges) == 1


async def test_a_choice_that_the_server_gives_up_fails_alone(
    case: ClientCase, clock: Clock
) -> None:
    steps = [said(0, "A"), said(1, "B", "error"), said(0, ".", "stop"), usage(5, 3), DONE]
    async with WireServer(Answer(steps)) as server, case.open(server.url, clock.pace()) as client:
        first, second = client.shared(REQUEST, 2).streams
        text, why = await asyncio.gather(heard(first), failures([second]))
    assert text == "A."
    assert "broke the report off" in why[0]


async def test_a_request_that_is_refused_at_first_is_sent_again_for_all(
    case: ClientCase, clock: Clock
) -> None:
    good = Answer([said(0, "A.", "stop"), said(1, "B.", "stop"), usage(5, 2), DONE])
    busy = case.refusal(429, "busy")
    async with (
        WireServer([busy, good]) as server,
        case.open(server.url, clock.pace(retry=RetryPolicy(attempts=3))) as client,
    ):
        assert await all_heard(client.shared(REQUEST, 2)) == ["A.", "B."]
    assert len(server.exchanges) == 2
    assert len(clock.sleeps) == 1


async def test_a_server_that_does_not_know_n_is_found_out(case: ClientCase, clock: Clock) -> None:
    answer = Answer([said(0, "A.", "stop"), usage(5, 2), DONE])
    async with WireServer(answer) as server, case.open(server.url, clock.pace()) as client:
        first, second = client.shared(REQUEST, 2).streams
        text, why = await asyncio.gather(heard(first), failures([second]))
    assert text == "A."
    assert "1 of 2 candidates" in why[0]
    assert "use the launch plan parallel" in why[0]


async def first_pieces(shared: SharedRequest) -> None:
    async with asyncio.timeout(SAFETY_SECONDS):
        await asyncio.gather(*map(anext, shared.streams))


def endless(choices: int) -> Answer:
    def steps() -> Iterable[bytes]:
        while True:
            yield from (said(choice, "more ") for choice in range(choices))

    return Answer(steps(), paced=True)


async def test_only_the_last_cancel_closes_the_connection_and_it_does(
    case: ClientCase, clock: Clock
) -> None:
    async with (
        WireServer(lambda _: endless(3)) as server,
        case.open(server.url, clock.pace()) as client,
    ):
        for number in range(20):
            shared = client.shared(REQUEST, 3)
            begun = asyncio.ensure_future(first_pieces(shared))
            exchange: Exchange = await server.request(number)
            exchange.allow(3)
            await begun
            one, two, three = shared.streams
            await one.cancel()
            await one.cancel()
            await two.cancel()
            exchange.allow(3)  # the one that is left is still served
            assert await anext(three) == Piece("more ", tokens=None)
            assert not exchange.disconnected.is_set()
            async with asyncio.timeout(SAFETY_SECONDS):
                await asyncio.gather(three.cancel(), three.cancel(), one.cancel())
                await exchange.disconnected.wait()
            assert exchange.sent == 6
            assert [stream.finish for stream in shared.streams] == [Finish("cancelled")] * 3
        await server.all_disconnected()


async def test_the_connection_closes_when_the_only_one_that_is_wanted_ends(
    case: ClientCase, clock: Clock
) -> None:
    steps = [said(0, "Clear."), said(1, "Odd"), said(0, "", "stop"), Fault.STALL]
    async with WireServer(Answer(steps)) as server, case.open(server.url, clock.pace()) as client:
        first, second = client.shared(REQUEST, 2).streams
        assert (await anext(first)).text == "Clear."
        await second.cancel()
        assert await heard(first) == ""
        assert first.finish == Finish("stop")
        async with asyncio.timeout(SAFETY_SECONDS):
            await server.all_disconnected()


async def test_consumers_that_are_cancelled_close_the_connection(
    case: ClientCase, clock: Clock
) -> None:
    answer = Answer([said(0, "A"), said(1, "B"), Fault.STALL])
    async with WireServer(answer) as server, case.open(server.url, clock.pace()) as client:
        shared = client.shared(REQUEST, 2)
        readers = [asyncio.ensure_future(heard(stream)) for stream in shared.streams]
        exchange = await server.request()
        for reader in readers:
            reader.cancel()
        await asyncio.gather(*readers, return_exceptions=True)
        async with asyncio.timeout(SAFETY_SECONDS):
            await exchange.disconnected.wait()


async def test_nothing_is_sent_before_the_first_piece_is_asked_for(
    case: ClientCase, clock: Clock
) -> None:
    async with WireServer(endless(2)) as server, case.open(server.url, clock.pace()) as client:
        shared = client.shared(REQUEST, 2)
        for stream in shared.streams:
            await stream.cancel()
        assert await all_heard(shared) == ["", ""]
    assert server.exchanges == []


async def test_closing_the_client_ends_all_choices(case: ClientCase, clock: Clock) -> None:
    answer = Answer([said(0, "A"), said(1, "B"), Fault.STALL])
    async with WireServer(answer) as server:
        client = case.open(server.url, clock.pace())
        shared = client.shared(REQUEST, 2)
        await first_pieces(shared)
        await client.aclose()
        assert await all_heard(shared) == ["", ""]
        async with asyncio.timeout(SAFETY_SECONDS):
            await server.all_disconnected()


async def test_a_vllm_server_counts_each_choice_by_itself_and_all_at_the_end(clock: Clock) -> None:
    steps = [
        said(0, "", usage=counts(40, 0)),
        said(0, "A", usage=counts(40, 1)),
        said(1, "B b", usage=counts(40, 3)),
        said(0, ".", "stop", usage=counts(40, 2)),
        said(1, ".", "stop", usage=counts(40, 4)),
        usage(40, 6),
        DONE,
    ]
    answer = Answer(steps)
    case = VLLMServerCase()
    async with WireServer(answer) as server, case.open(server.url, clock.pace()) as client:
        shared = client.shared(REQUEST, 2)

        async def running(stream: CandidateStream) -> list[int | None]:
            return [piece.running_tokens async for piece in stream]

        assert await asyncio.gather(*map(running, shared.streams)) == [[1, 2], [3, 4]]
        assert shared.usage == Usage(prompt_tokens=40, output_tokens=6)


async def test_a_vllm_server_tells_the_prompt_before_the_output_is_known(clock: Clock) -> None:
    answer = Answer([said(0, "A", usage=counts(40, 1)), Fault.STALL])
    case = VLLMServerCase()
    async with WireServer(answer) as server, case.open(server.url, clock.pace()) as client:
        shared = client.shared(REQUEST, 2)
        await anext(shared.streams[0])
        assert shared.usage == Usage(prompt_tokens=40)


def test_a_client_that_streams_one_candidate_a_request_says_what_to_use() -> None:
    client = GeminiCase().open("http://127.0.0.1:9", Pace())
    assert not client.can_share
    with pytest.raises(SpecError, match=r"gemini:.* use parallel, warm-first or staged:1"):
        client.shared(REQUEST, 2)


@pytest.fixture
def clock() -> Clock:
    return Clock()
