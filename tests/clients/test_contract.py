"""What every client of a server does, whatever its vendor: run through the real SDK."""

from __future__ import annotations

import asyncio
import gc
import itertools
import logging
import socket
from collections.abc import AsyncIterator, Iterable
from pathlib import Path

import pytest

from clients import CandidateStream, Finish, Request, Sampling, Usage
from clients.errors import (
    ClientClosedError,
    ServerUnreachableError,
    StreamError,
    StreamTimeoutError,
)
from clients.reader import Pace, Timeouts
from clients.retry import RetryPolicy
from tests.clients.cases import CASES, KEY, ClientCase
from tests.clients.wire_server import SAFETY_SECONDS, Answer, Exchange, Fault, WireServer

REQUEST = Request("Describe the study.", sampling=Sampling(max_tokens=64, seed=7))
DESCRIPTORS = Path("/proc/self/fd")
REPORT = "Findings: The heart is normal. Impression: Clear lungs."


class Clock:
    """Time that passes only when someone sleeps."""

    def __init__(self) -> None:
        self.now = 0.0
        self.sleeps: list[float] = []

    async def sleep(self, seconds: float) -> None:
        self.sleeps.append(seconds)
        self.now += seconds
        await asyncio.sleep(0)

    def pace(self, timeouts: Timeouts | None = None, retry: RetryPolicy | None = None) -> Pace:
        return Pace(
            timeouts=timeouts or Timeouts(first=SAFETY_SECONDS, silence=SAFETY_SECONDS),
            retry=retry or RetryPolicy(),
            sleep=self.sleep,
            clock=lambda: self.now,
            jitter=lambda: 0.5,
        )


@pytest.fixture(params=CASES, ids=lambda case: case.name)
def case(request: pytest.FixtureRequest) -> ClientCase:
    return request.param


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(autouse=True)
async def no_task_is_left() -> AsyncIterator[None]:
    yield
    for _ in range(10):  # generators that a vendor's SDK leaves unfinished are closed by the loop
        await asyncio.sleep(0)
    assert asyncio.all_tasks() == {asyncio.current_task()}


def complete(case: ClientCase, text: str = REPORT) -> Answer:
    words = [case.text(word) for word in text.split(" ")[:1]]
    words += [case.text(" " + word) for word in text.split(" ")[1:]]
    return Answer([*words, case.finish("stop"), case.usage(20, len(words)), case.end()])


def endless(case: ClientCase, **options: bool) -> Answer:
    return Answer(itertools.repeat(case.text("word ")), **options)


async def read(stream: CandidateStream) -> str:
    async with asyncio.timeout(SAFETY_SECONDS):
        return "".join([piece.text async for piece in stream])


# What arrives


async def test_text_finish_and_usage_arrive(case: ClientCase, clock: Clock) -> None:
    async with WireServer(complete(case)) as server, case.open(server.url, clock.pace()) as client:
        stream = client.stream(REQUEST, 0)
        assert await read(stream) == REPORT
    assert stream.finish == Finish("stop")
    assert stream.usage == Usage(prompt_tokens=20, output_tokens=8, provenance="reported")
    assert await read(stream) == ""


async def test_nothing_is_sent_before_the_first_piece_is_asked_for(
    case: ClientCase, clock: Clock
) -> None:
    async with WireServer(complete(case)) as server, case.open(server.url, clock.pace()) as client:
        await client.check(REQUEST, 8)
        asked = len(server.exchanges)  # a check may ask how long the prompt is
        streams = [client.stream(REQUEST, candidate) for candidate in range(3)]
        await read(streams[1])
        assert len(server.exchanges) == asked + 1


async def test_the_prompt_and_nothing_else_of_the_study_is_sent(
    case: ClientCase, clock: Clock
) -> None:
    request = Request("Describe the study.", study="patient-4711")
    async with WireServer(complete(case)) as server, case.open(server.url, clock.pace()) as client:
        await read(client.stream(request, 0))
        exchange = await server.request()
    assert "Describe the study." in str(exchange.body)
    assert "4711" not in str(exchange.body) + str(exchange.headers)


async def test_text_and_finish_may_share_a_chunk(case: ClientCase, clock: Clock) -> None:
    answer = Answer([case.text("No "), case.text("effusion.", "stop"), case.end()])
    async with WireServer(answer) as server, case.open(server.url, clock.pace()) as client:
        stream = client.stream(REQUEST, 0)
        assert await read(stream) == "No effusion."
    assert stream.finish == Finish("stop")


async def test_missing_usage_is_unknown(case: ClientCase, clock: Clock) -> None:
    answer = Answer([case.text("No effusion."), case.finish("stop"), case.end()])
    async with WireServer(answer) as server, case.open(server.url, clock.pace()) as client:
        stream = client.stream(REQUEST, 0)
        await read(stream)
    assert stream.usage is None


@pytest.mark.parametrize("reason", ["length", "content_filter"])
async def test_other_finish_reasons(case: ClientCase, clock: Clock, reason: str) -> None:
    answer = Answer([case.text("No "), case.finish(reason), case.end()])
    async with WireServer(answer) as server, case.open(server.url, clock.pace()) as client:
        stream = client.stream(REQUEST, 0)
        assert await read(stream) == "No "
    assert stream.finish == Finish(reason)


async def test_empty_chunks_and_keep_alive_lines_bring_nothing(
    case: ClientCase, clock: Clock
) -> None:
    nothing = [*case.empty(), case.keep_alive()]
    answer = Answer(
        [
            *(*nothing, case.text("No "), *nothing, case.text("effusion."), *nothing),
            *(case.finish("stop"), *nothing, case.end()),
        ]
    )
    async with WireServer(answer) as server, case.open(server.url, clock.pace()) as client:
        stream = client.stream(REQUEST, 0)
        async with asyncio.timeout(SAFETY_SECONDS):
            pieces = [piece.text async for piece in stream]
    assert pieces == ["No ", "effusion."]


async def test_characters_split_between_writes(case: ClientCase, clock: Clock) -> None:
    text = "Größe ≈ 1,5 cm, 肺 klar 🫁."
    whole = case.text(text) + case.finish("stop") + case.end()
    answer = Answer([whole[at : at + 1] for at in range(len(whole))])
    async with WireServer(answer) as server, case.open(server.url, clock.pace()) as client:
        assert await read(client.stream(REQUEST, 0)) == text


# What fails


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
async def test_a_request_that_cannot_succeed_is_sent_once(
    case: ClientCase, clock: Clock, status: int
) -> None:
    answer = case.refusal(status, "this is why")
    async with WireServer(answer) as server, case.open(server.url, clock.pace()) as client:
        stream = client.stream(REQUEST, 0)
        with pytest.raises(StreamError, match=f"{status}.*this is why") as caught:
            await read(stream)
        assert len(server.exchanges) == 1
    assert not caught.value.retryable
    assert stream.finish is not None
    assert stream.finish.reason == "error"
    assert await read(stream) == ""


async def test_retry_after_is_honoured(case: ClientCase, clock: Clock) -> None:
    script = [case.refusal(429, "slow down", {"retry-after": "7"}), complete(case)]
    async with WireServer(script) as server, case.open(server.url, clock.pace()) as client:
        assert await read(client.stream(REQUEST, 0)) == REPORT
        assert len(server.exchanges) == 2
    assert clock.sleeps == [pytest.approx(7.35)]


@pytest.mark.parametrize("status", [429, 500, 503])
async def test_without_retry_after_the_waits_grow(
    case: ClientCase, clock: Clock, status: int
) -> None:
    script = [case.refusal(status, "not now")] * 3 + [complete(case)]
    async with WireServer(script) as server, case.open(server.url, clock.pace()) as client:
        assert await read(client.stream(REQUEST, 0)) == REPORT
        assert len(server.exchanges) == 4
    assert clock.sleeps == [0.375, 0.75, 1.5]


async def test_attempts_are_bounded(case: ClientCase, clock: Clock) -> None:
    pace = clock.pace(retry=RetryPolicy(attempts=3))
    async with (
        WireServer(case.refusal(500, "broken")) as server,
        case.open(server.url, pace) as client,
    ):
        with pytest.raises(StreamError, match=r"500.*gave up after 3 attempts"):
            await read(client.stream(REQUEST, 0))
        assert len(server.exchanges) == 3


async def test_a_wait_beyond_the_budget_is_not_begun(case: ClientCase, clock: Clock) -> None:
    pace = clock.pace(retry=RetryPolicy(seconds=60))
    answer = case.refusal(429, "slow down", {"retry-after": "600"})
    async with WireServer(answer) as server, case.open(server.url, pace) as client:
        with pytest.raises(StreamError, match=r"429.*wait of 600 s"):
            await read(client.stream(REQUEST, 0))
        assert len(server.exchanges) == 1
    assert clock.sleeps == []


@pytest.mark.parametrize("fault", [Fault.RESET, Fault.DROP])
async def test_a_lost_connection_is_tried_again_before_the_first_piece_only(
    case: ClientCase, clock: Clock, fault: Fault
) -> None:
    script = [Answer([fault]), Answer([case.text("No "), fault]), complete(case)]
    async with WireServer(script) as server, case.open(server.url, clock.pace()) as client:
        stream = client.stream(REQUEST, 0)
        async with asyncio.timeout(SAFETY_SECONDS):
            assert (await anext(stream)).text == "No "
            with pytest.raises(StreamError):
                await anext(stream)
        assert len(server.exchanges) == 2


async def test_an_error_in_mid_stream_is_told(case: ClientCase, clock: Clock) -> None:
    answer = Answer([case.text("No "), case.error("the engine died"), case.end()])
    async with WireServer(answer) as server, case.open(server.url, clock.pace()) as client:
        stream = client.stream(REQUEST, 0)
        async with asyncio.timeout(SAFETY_SECONDS):
            assert (await anext(stream)).text == "No "
            with pytest.raises(StreamError, match="the engine died"):
                await anext(stream)
        assert len(server.exchanges) == 1


@pytest.mark.parametrize("kind", ["malformed", "not text"])
async def test_a_chunk_that_is_not_json_is_told(case: ClientCase, clock: Clock, kind: str) -> None:
    bad = case.malformed() if kind == "malformed" else b"data: \xff\xfe\n\n"
    answer = Answer([case.text("No "), bad, case.finish("stop"), case.end()])
    async with WireServer(answer) as server, case.open(server.url, clock.pace()) as client:
        with pytest.raises(StreamError, match="not a"):
            await read(client.stream(REQUEST, 0))


async def test_a_report_without_an_end_is_an_error(case: ClientCase, clock: Clock) -> None:
    answer = Answer([case.text("No effusion.")])
    async with WireServer(answer) as server, case.open(server.url, clock.pace()) as client:
        with pytest.raises(StreamError, match="ended before the report did"):
            await read(client.stream(REQUEST, 0))


async def test_an_answer_without_any_chunk_is_an_error(case: ClientCase, clock: Clock) -> None:
    pace = clock.pace(retry=RetryPolicy(attempts=2))
    page = Answer([b"<html>Welcome to the proxy</html>"], headers={"content-type": "text/html"})
    async with WireServer(page) as server, case.open(server.url, pace) as client:
        with pytest.raises(StreamError, match="before the report did"):
            await read(client.stream(REQUEST, 0))


@pytest.mark.parametrize("silent", [True, False])
async def test_a_stall_before_the_first_piece_is_tried_again(
    case: ClientCase, clock: Clock, silent: bool
) -> None:
    pace = clock.pace(Timeouts(first=0.2, silence=SAFETY_SECONDS))
    script = [Answer([Fault.STALL], silent=silent), complete(case)]
    async with WireServer(script) as server, case.open(server.url, pace) as client:
        assert await read(client.stream(REQUEST, 0)) == REPORT
        await asyncio.wait_for(server.exchanges[0].disconnected.wait(), SAFETY_SECONDS)


async def test_a_stall_in_mid_stream_ends_it_and_closes_the_connection(
    case: ClientCase, clock: Clock
) -> None:
    pace = clock.pace(Timeouts(first=SAFETY_SECONDS, silence=0.05))
    answer = Answer([case.text("No "), Fault.STALL])
    async with WireServer(answer) as server, case.open(server.url, pace) as client:
        with pytest.raises(StreamTimeoutError, match=r"0\.05 s after the last piece"):
            await read(client.stream(REQUEST, 0))
        await asyncio.wait_for(server.exchanges[0].disconnected.wait(), SAFETY_SECONDS)
        assert len(server.exchanges) == 1


@pytest.mark.parametrize("fault", list(Fault))
async def test_a_complete_report_does_not_fail_for_lack_of_token_counts(
    case: ClientCase, clock: Clock, fault: Fault
) -> None:
    pace = clock.pace(Timeouts(usage=0.05))
    answer = Answer([case.text("No effusion."), case.finish("stop"), fault])
    async with WireServer(answer) as server, case.open(server.url, pace) as client:
        stream = client.stream(REQUEST, 0)
        assert await read(stream) == "No effusion."
    assert stream.finish == Finish("stop")
    assert stream.usage is None


async def test_a_server_that_is_not_there_is_named(case: ClientCase, clock: Clock) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}"
        async with case.open(url, clock.pace()) as client:
            with pytest.raises(ServerUnreachableError, match=url):
                await read(client.stream(REQUEST, 0))
    assert clock.sleeps == []


async def test_one_failing_stream_leaves_the_others(case: ClientCase, clock: Clock) -> None:
    script = [case.refusal(400, "no")] + [complete(case)] * 3
    async with WireServer(script) as server, case.open(server.url, clock.pace()) as client:
        streams = [client.stream(REQUEST, candidate) for candidate in range(4)]
        texts = await asyncio.gather(*map(read, streams), return_exceptions=True)
    assert sorted(text for text in texts if isinstance(text, str)) == [REPORT] * 3
    assert sum(isinstance(text, StreamError) for text in texts) == 1


# How it stops


async def test_a_cancel_closes_the_connection_without_another_chunk(
    case: ClientCase, clock: Clock
) -> None:
    sent = []
    async with (
        WireServer(lambda _: endless(case, paced=True)) as server,
        case.open(server.url, clock.pace()) as client,
    ):
        for number in range(100):
            stream = client.stream(REQUEST, number)
            async with asyncio.timeout(SAFETY_SECONDS):
                first = asyncio.ensure_future(anext(stream))
                exchange = await server.request(number)
                exchange.allow(3)
                await first
                await anext(stream)
                await anext(stream)
                await stream.cancel()
                # The server may send nothing more, so it sees the end only if that was sent.
                await exchange.disconnected.wait()
            assert stream.finish == Finish("cancelled")
            sent.append(exchange.sent)
        await server.all_disconnected()
    assert sent == [3] * 100


@pytest.mark.skipif(not DESCRIPTORS.is_dir(), reason="needs Linux's /proc")
async def test_when_cancel_returns_the_connection_is_closed(case: ClientCase, clock: Clock) -> None:
    answer = Answer([case.text("No "), Fault.STALL])
    async with WireServer(answer) as server, case.open(server.url, clock.pace()) as client:
        stream = client.stream(REQUEST, 0)
        async with asyncio.timeout(SAFETY_SECONDS):
            await anext(stream)
            before = open_descriptors()
            await stream.cancel()
            assert open_descriptors() < before


async def test_streams_cancelled_together_all_close(case: ClientCase, clock: Clock) -> None:
    async with (
        WireServer(lambda _: endless(case)) as server,
        case.open(server.url, clock.pace()) as client,
    ):
        streams = [client.stream(REQUEST, candidate) for candidate in range(32)]
        async with asyncio.timeout(SAFETY_SECONDS):
            await asyncio.gather(*(anext(stream) for stream in streams))
            await asyncio.gather(*(stream.cancel() for stream in streams))
            await asyncio.gather(*(x.disconnected.wait() for x in server.exchanges))
        assert server.open_requests == 0


async def test_a_reader_that_waits_is_released(case: ClientCase, clock: Clock) -> None:
    answer = Answer([case.text("No "), Fault.STALL])
    async with WireServer(answer) as server, case.open(server.url, clock.pace()) as client:
        stream = client.stream(REQUEST, 0)
        async with asyncio.timeout(SAFETY_SECONDS):
            await anext(stream)
            waiting = asyncio.ensure_future(read(stream))
            await asyncio.sleep(0)
            await stream.cancel()
            assert await waiting == ""
            await server.exchanges[0].disconnected.wait()


async def test_cancel_again_and_from_many_tasks(case: ClientCase, clock: Clock) -> None:
    async with WireServer(endless(case)) as server, case.open(server.url, clock.pace()) as client:
        stream = client.stream(REQUEST, 0)
        async with asyncio.timeout(SAFETY_SECONDS):
            await anext(stream)
            await asyncio.gather(*(stream.cancel() for _ in range(10)))
            await stream.cancel()
            await server.exchanges[0].disconnected.wait()
        assert stream.finish == Finish("cancelled")


async def test_cancel_before_the_start_sends_nothing(case: ClientCase, clock: Clock) -> None:
    async with WireServer(complete(case)) as server, case.open(server.url, clock.pace()) as client:
        stream = client.stream(REQUEST, 0)
        await stream.cancel()
        assert await read(stream) == ""
        assert stream.finish == Finish("cancelled")
        assert server.exchanges == []


async def test_cancel_while_the_reader_has_not_begun(case: ClientCase, clock: Clock) -> None:
    async with WireServer(complete(case)) as server, case.open(server.url, clock.pace()) as client:
        stream = client.stream(REQUEST, 0)
        waiting = asyncio.ensure_future(read(stream))
        await asyncio.sleep(0)
        await stream.cancel()
        assert await waiting == ""
        assert server.exchanges == []


async def test_cancel_after_the_end_changes_nothing(case: ClientCase, clock: Clock) -> None:
    async with WireServer(complete(case)) as server, case.open(server.url, clock.pace()) as client:
        stream = client.stream(REQUEST, 0)
        await read(stream)
        await stream.cancel()
    assert stream.finish == Finish("stop")
    assert stream.usage is not None


async def test_cancel_before_the_answer_begins(case: ClientCase, clock: Clock) -> None:
    async with (
        WireServer(Answer(silent=True)) as server,
        case.open(server.url, clock.pace()) as client,
    ):
        stream = client.stream(REQUEST, 0)
        waiting = asyncio.ensure_future(read(stream))
        exchange = await server.request()
        await stream.cancel()
        assert await waiting == ""
        await asyncio.wait_for(exchange.disconnected.wait(), SAFETY_SECONDS)


async def test_cancel_between_two_attempts(case: ClientCase, clock: Clock) -> None:
    asleep = asyncio.Event()

    async def sleep(_: float) -> None:
        asleep.set()
        await asyncio.Event().wait()

    pace = Pace(sleep=sleep)
    async with (
        WireServer(case.refusal(500, "broken")) as server,
        case.open(server.url, pace) as client,
    ):
        stream = client.stream(REQUEST, 0)
        waiting = asyncio.ensure_future(read(stream))
        await asyncio.wait_for(asleep.wait(), SAFETY_SECONDS)
        await stream.cancel()
        assert await waiting == ""
        assert len(server.exchanges) == 1


async def test_a_consumer_that_is_cancelled_closes_its_stream(
    case: ClientCase, clock: Clock
) -> None:
    answer = Answer([case.text("No "), Fault.STALL])
    async with WireServer(answer) as server, case.open(server.url, clock.pace()) as client:
        stream = client.stream(REQUEST, 0)
        async with asyncio.timeout(SAFETY_SECONDS):
            await anext(stream)
        consumer = asyncio.ensure_future(read(stream))
        await asyncio.sleep(0)
        consumer.cancel()
        await asyncio.gather(consumer, return_exceptions=True)
        assert consumer.cancelled()
        await asyncio.wait_for(server.exchanges[0].disconnected.wait(), SAFETY_SECONDS)
        await stream.cancel()
    assert stream.finish == Finish("cancelled")


# What is shared


async def test_the_limit_holds_over_all_streams(case: ClientCase, clock: Clock) -> None:
    async with (
        WireServer(lambda _: complete(case)) as server,
        case.open(server.url, clock.pace(), max_concurrency=3) as client,
    ):
        streams = [client.stream(REQUEST, candidate) for candidate in range(12)]
        assert await asyncio.gather(*map(read, streams)) == [REPORT] * 12
        assert server.most_open_requests == 3


async def test_a_cancelled_wait_for_a_place_gives_way(case: ClientCase, clock: Clock) -> None:
    script = [endless(case), complete(case)]
    async with (
        WireServer(script) as server,
        case.open(server.url, clock.pace(), max_concurrency=1) as client,
    ):
        running, waiting, last = (client.stream(REQUEST, candidate) for candidate in range(3))
        async with asyncio.timeout(SAFETY_SECONDS):
            await anext(running)
            reads = [asyncio.ensure_future(read(stream)) for stream in (waiting, last)]
            await asyncio.sleep(0)
            await waiting.cancel()
            await running.cancel()
            assert await asyncio.gather(*reads) == ["", REPORT]
        assert len(server.exchanges) == 2


def open_descriptors() -> int:
    gc.collect()
    return len(list(DESCRIPTORS.iterdir()))


@pytest.mark.skipif(not DESCRIPTORS.is_dir(), reason="needs Linux's /proc")
async def test_nothing_leaks(case: ClientCase, clock: Clock) -> None:
    def script(exchange: Exchange) -> Answer:
        kinds: Iterable[Answer] = (
            complete(case),
            endless(case),
            Answer([case.text("No "), Fault.RESET]),
            Answer([case.text("No "), case.malformed()]),
            case.refusal(400, "no"),
        )
        return list(kinds)[len(server.exchanges) % 5]

    async def use(stream: CandidateStream) -> None:
        async with asyncio.timeout(SAFETY_SECONDS):
            try:
                for _ in range(9):
                    await anext(stream, None)
            except StreamError:
                pass
            finally:
                await stream.cancel()

    async def decode() -> None:
        async with case.open(server.url, clock.pace()) as client:
            for _ in range(5):
                streams = [client.stream(REQUEST, candidate) for candidate in range(40)]
                await asyncio.gather(*map(use, streams))

    async with WireServer(script) as server:
        async with case.open(server.url, clock.pace()) as client:
            await use(client.stream(REQUEST, 0))
        await server.all_disconnected()
        descriptors, tasks = open_descriptors(), asyncio.all_tasks()
        await decode()
        await server.all_disconnected()
        assert len(server.exchanges) == 201
        assert open_descriptors() == descriptors
        assert asyncio.all_tasks() == tasks


async def test_closing_the_client_stops_its_streams(case: ClientCase, clock: Clock) -> None:
    async with WireServer(endless(case)) as server:
        client = case.open(server.url, clock.pace())
        stream = client.stream(REQUEST, 0)
        async with asyncio.timeout(SAFETY_SECONDS):
            await anext(stream)
            await client.aclose()
            await client.aclose()
            await server.exchanges[0].disconnected.wait()
        assert stream.finish == Finish("cancelled")


async def test_a_closed_client_says_so(case: ClientCase, clock: Clock) -> None:
    async with WireServer(complete(case)) as server:
        client = case.open(server.url, clock.pace())
        await client.aclose()
        with pytest.raises(ClientClosedError, match="is closed; open a new one"):
            await client.check(REQUEST, 1)
        with pytest.raises(ClientClosedError, match="is closed; open a new one"):
            await read(client.stream(REQUEST, 0))
        assert server.exchanges == []


def test_a_client_of_another_loop_says_so(case: ClientCase, clock: Clock) -> None:
    async def use() -> None:
        async with WireServer(complete(case)) as server:
            opened.append(case.open(server.url, clock.pace()))
            assert await read(opened[0].stream(REQUEST, 0)) == REPORT

    async def use_again() -> None:
        with pytest.raises(ClientClosedError, match="another event loop"):
            await opened[0].check(REQUEST, 1)
        with pytest.raises(ClientClosedError, match="another event loop"):
            await read(opened[0].stream(REQUEST, 0))
        await opened[0].aclose()

    opened: list = []
    asyncio.run(use())
    asyncio.run(use_again())


# What is never told


async def test_the_key_is_in_no_message_name_or_log(
    case: ClientCase, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    pace = clock.pace(retry=RetryPolicy(attempts=2))
    script = [
        case.refusal(401, f"Incorrect API key provided: {KEY}"),
        case.refusal(500, f"key {KEY}"),
        case.refusal(500, f"key {KEY}"),
        Answer([case.text("No "), case.error(f"key {KEY} expired")]),
        Answer([case.text("No "), case.malformed()]),
    ]
    told = []
    async with WireServer(script) as server, case.open(server.url, pace) as client:
        for _ in range(4):
            stream = client.stream(REQUEST, 0)
            with pytest.raises(StreamError) as caught:
                await read(stream)
            chain: BaseException | None = caught.value
            while chain is not None:
                told.append(f"{chain} {chain!r} {vars(chain)}")
                chain = chain.__cause__ or chain.__context__
            told.append(f"{stream!r} {stream.finish}")
        told += [repr(client), str(client), client.name]
        assert KEY in str(server.exchanges[0].headers)
    assert len(server.exchanges) == 5
    assert KEY not in "\n".join(told)
    assert KEY not in caplog.text
