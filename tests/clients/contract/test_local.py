"""What of the contract concerns clients without a server: recordings and the demonstration."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from clients import CandidateStream, Client, ClientContext, Finish, Request, Sampling, open_client
from clients.errors import ClientClosedError
from clients.recorded import RecordedClient
from clients.recording import RecordedCandidate, RecordedStudy
from tests.clients.contract.answers import DESCRIPTORS, open_descriptors, read

REQUEST = Request("Describe the study.", sampling=Sampling(max_tokens=64, seed=7), study="A")
REPORTS = ["Findings: The lungs are clear. Impression: No acute disease."] * 3
WORDS = ("Findings:", " The", " lungs", " are", " clear.")
USAGE = {"prompt_tokens": 20, "output_tokens": 5, "provenance": "reported"}


def recorded(**options: float) -> Client:
    candidate = RecordedCandidate(
        tokens=WORDS, times=(0.001, 0.002, 0.003, 0.004, 0.005), finish_reason="stop", usage=USAGE
    )
    study = RecordedStudy("A", "Describe.", None, (candidate,) * 40)
    return RecordedClient.from_studies([study], **options)


def demo(options: str = "") -> Client:
    return open_client(f"demo{options}", ClientContext(reports=lambda: REPORTS))


CLIENTS: dict[str, Callable[[], Client]] = {
    "recorded": recorded,
    "recorded-in-time": lambda: recorded(speed=1.0),
    "recorded-at-a-rate": lambda: recorded(rate=1000.0, speed=2.0),
    "demo": demo,
    "demo-at-a-rate": lambda: demo(":3,rate=1000"),
}
NEVER = {
    "recorded-in-time": lambda: recorded(speed=1e-9),
    "demo-at-a-rate": lambda: demo(":3,rate=1e-6"),
}


@pytest.fixture(params=CLIENTS)
def opened(request: pytest.FixtureRequest) -> Callable[[], Client]:
    return CLIENTS[request.param]


async def first(stream: CandidateStream) -> str:
    async with asyncio.timeout(20):
        return (await anext(stream)).text


async def test_text_finish_and_usage_arrive(opened: Callable[[], Client]) -> None:
    async with opened() as client:
        await client.check(REQUEST, 2)
        stream = client.stream(REQUEST, 0)
        assert "lungs" in await read(stream)
        assert stream.finish == Finish("stop")
        assert stream.usage is not None
        assert stream.usage.output_tokens is not None
        assert stream.usage.provenance in ("reported", "counted")
        assert await read(stream) == ""


async def test_nothing_is_finished_before_it_began(opened: Callable[[], Client]) -> None:
    async with opened() as client:
        stream = client.stream(REQUEST, 0)
        assert stream.finish is None
        assert stream.usage is None


async def test_cancel_in_mid_stream_again_and_from_many_tasks(opened: Callable[[], Client]) -> None:
    async with opened() as client:
        stream = client.stream(REQUEST, 0)
        await first(stream)
        await asyncio.gather(*(stream.cancel() for _ in range(10)))
        await stream.cancel()
        assert stream.finish == Finish("cancelled")
        assert await read(stream) == ""


async def test_cancel_before_the_start(opened: Callable[[], Client]) -> None:
    async with opened() as client:
        stream = client.stream(REQUEST, 0)
        await stream.cancel()
        assert await read(stream) == ""
        assert stream.finish == Finish("cancelled")


async def test_cancel_while_it_starts(opened: Callable[[], Client]) -> None:
    async with opened() as client:
        stream = client.stream(REQUEST, 0)
        waiting = asyncio.ensure_future(read(stream))
        await asyncio.sleep(0)
        await stream.cancel()
        await waiting
        assert stream.finish is not None
        assert stream.finish.reason in ("cancelled", "stop")


async def test_cancel_after_the_end_changes_nothing(opened: Callable[[], Client]) -> None:
    async with opened() as client:
        stream = client.stream(REQUEST, 0)
        await read(stream)
        usage = stream.usage
        await stream.cancel()
        assert (stream.finish, stream.usage) == (Finish("stop"), usage)


@pytest.mark.parametrize("name", NEVER)
async def test_a_reader_that_waits_is_released(name: str) -> None:
    async with NEVER[name]() as client:
        await client.check(REQUEST, 1)
        stream = client.stream(REQUEST, 0)
        waiting = asyncio.ensure_future(read(stream))
        for _ in range(5):
            await asyncio.sleep(0)
        assert not waiting.done()
        await stream.cancel()
        assert await waiting == ""
        assert stream.finish == Finish("cancelled")


async def test_candidates_do_not_disturb_each_other(opened: Callable[[], Client]) -> None:
    async with opened() as client:
        alone = [await read(client.stream(REQUEST, number)) for number in range(4)]
        streams = [client.stream(REQUEST, number) for number in range(4)]
        assert await asyncio.gather(*map(read, streams)) == alone


@pytest.mark.skipif(not DESCRIPTORS.is_dir(), reason="needs Linux's /proc")
async def test_nothing_leaks(opened: Callable[[], Client]) -> None:
    async def use(client: Client, number: int) -> None:
        stream = client.stream(REQUEST, number)
        if number % 2:
            await first(stream)
            await stream.cancel()
        else:
            await read(stream)

    async def decode() -> None:
        async with opened() as client:
            await client.check(REQUEST, 40)
            await asyncio.gather(*(use(client, number) for number in range(40)))

    await decode()
    descriptors, tasks = open_descriptors(), asyncio.all_tasks()
    for _ in range(5):
        await decode()
    assert open_descriptors() == descriptors
    assert asyncio.all_tasks() == tasks


async def test_a_closed_client_says_so(opened: Callable[[], Client]) -> None:
    client = opened()
    await client.aclose()
    await client.aclose()
    with pytest.raises(ClientClosedError, match="is closed"):
        await client.check(REQUEST, 1)
    with pytest.raises(ClientClosedError, match="is closed"):
        await read(client.stream(REQUEST, 0))


def test_the_names_hold_what_opens_them_again() -> None:
    names: dict[str, Any] = {name: make().name for name, make in CLIENTS.items()}
    assert names["demo"] == "demo"
    assert names["demo-at-a-rate"] == "demo:rate=1000"
    assert names["recorded-in-time"] == "recorded:memory,speed=1"
