"""What fails, and what is tried again."""

from __future__ import annotations

import asyncio
import socket

import pytest

from clients import Finish
from clients.errors import (
    ServerUnreachableError,
    StreamError,
    StreamTimeoutError,
)
from clients.reader import Timeouts
from clients.retry import RetryPolicy
from tests.clients.case import ClientCase
from tests.clients.contract.answers import (
    REPORT,
    REQUEST,
    complete,
    read,
)
from tests.clients.contract.clock import Clock
from tests.clients.wire_server import SAFETY_SECONDS, Answer, Fault, WireServer


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
