"""A decoder that closes while it decodes, from wherever it is closed."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest

from clients.reader import Pace
from clients.retry import RetryPolicy
from sdr_decode import SDRDecoder
from sdr_decode.background import BackgroundLoop
from sdr_decode.errors import DecodeError
from sdr_decode.events import CandidateFinished, TokenDelta
from tests.clients.cases import OpenAICase
from tests.clients.contract.answers import complete
from tests.clients.wire_server import SAFETY_SECONDS, Answer, Fault, WireServer
from tests.fake_encoder import FakeEncoder
from tests.scripted_client import ScriptedClient, words

CASE = OpenAICase()
CLEAR = "Findings: The lungs are clear. Heart size is normal.\nImpression: No acute disease."
STALLED = Answer([CASE.text("Findings: The"), CASE.text(" lungs"), Fault.STALL])
ONE_TRY = Pace(retry=RetryPolicy(attempts=1))


@pytest.fixture(autouse=True)
def a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")


def decoder(client: Any, index: Path, **options: Any) -> SDRDecoder:
    return SDRDecoder(client, index, encoder=FakeEncoder(), prune="none", **options)


def of_server(server: WireServer, index: Path) -> SDRDecoder:
    return decoder(f"openai:any,base_url={server.url}/v1", index)


def own_threads() -> set[threading.Thread]:
    """The threads of this package that run now."""
    return {thread for thread in threading.enumerate() if thread.name.startswith("sdr-")}


@pytest.mark.parametrize("how", ["close", "aclose"])
async def test_a_generate_that_runs_elsewhere_ends_with_a_clear_error(
    index: Path, how: str
) -> None:
    before = own_threads()
    async with WireServer(STALLED) as server:
        one = of_server(server, index)
        running = asyncio.ensure_future(asyncio.to_thread(one.generate, k=4))
        exchanges = [await server.request(number) for number in range(4)]
        await (one.aclose() if how == "aclose" else asyncio.to_thread(one.close))
        with pytest.raises(DecodeError, match="closed while it decoded"):
            await running
        async with asyncio.timeout(SAFETY_SECONDS):
            for exchange in exchanges:
                await exchange.disconnected.wait()
        await server.all_disconnected()
    assert own_threads() <= before


async def test_closing_reaches_the_clients_of_all_loops(index: Path) -> None:
    before = own_threads()
    async with WireServer(complete(CASE, CLEAR)) as server:
        one = of_server(server, index)
        await asyncio.to_thread(one.generate, k=1)
        await one.agenerate(k=1)
        other = BackgroundLoop()
        await asyncio.to_thread(other.run, one.agenerate(k=1))
        assert len(server.connections) == 3
        await one.aclose()
        await server.all_disconnected()
        await asyncio.to_thread(other.close)
    assert own_threads() <= before


async def test_closing_without_await_in_async_code_does_not_hang(index: Path) -> None:
    async with WireServer(complete(CASE, CLEAR)) as server:
        with of_server(server, index) as one:
            await one.agenerate(k=2)
        await server.all_disconnected()
        with pytest.raises(DecodeError, match="was closed"):
            await one.agenerate(k=1)


async def test_a_client_that_was_given_stays_open(index: Path) -> None:
    async with (
        WireServer(complete(CASE, CLEAR)) as server,
        CASE.open(server.url, pace=ONE_TRY) as client,
    ):
        async with decoder(client, index) as one:
            await one.agenerate(k=1)
        async with decoder(client, index) as other:
            assert (await other.agenerate(k=1)).report.text == CLEAR


async def test_a_cancelled_decode_says_what_is_lost(index: Path) -> None:
    client = ScriptedClient(words(CLEAR), ["Findings: The", " lungs", asyncio.Event()])
    heard = asyncio.Event()

    async def decode() -> None:
        missing = len(words(CLEAR)) + 2
        ended = False
        async for event in decoder(client, index).stream(k=2):
            missing -= isinstance(event, TokenDelta)
            ended |= isinstance(event, CandidateFinished)
            if ended and not missing:
                heard.set()

    task = asyncio.ensure_future(decode())
    await asyncio.wait_for(heard.wait(), SAFETY_SECONDS)
    task.cancel()
    with pytest.raises(asyncio.CancelledError) as cancelled:
        await task
    (note,) = cancelled.value.__notes__
    tokens = len(words(CLEAR)) + 2
    assert note == (
        "no report was chosen: 1 of 2 launched candidates had finished, "
        f"{tokens} output tokens had arrived"
    )


async def test_an_encoder_that_fails_in_mid_decode_says_what_is_lost(index: Path) -> None:
    class Failing(FakeEncoder):
        def encode(self, texts: Any) -> Any:
            raise RuntimeError("the device is gone")

    client = ScriptedClient(words("Findings: A sight unseen. And more of it."), lockstep=True)
    one = SDRDecoder(client, index, encoder=Failing())
    with pytest.raises(RuntimeError, match="the device is gone") as failed:
        await one.agenerate(k=1)
    assert "no report was chosen: 0 of 1 launched" in failed.value.__notes__[0]
    assert client.streams[0].cancels == 1


async def test_a_total_failure_carries_its_candidates(index: Path) -> None:
    cut = [CASE.text("Findings:"), Fault.RESET]
    async with (
        WireServer(Answer(cut)) as server,
        CASE.open(server.url, pace=ONE_TRY) as client,
    ):
        with pytest.raises(DecodeError) as failed:
            await decoder(client, index).agenerate(k=3)
    assert [candidate.text for candidate in failed.value.candidates] == ["Findings:"] * 3
    assert {candidate.selected_by for candidate in failed.value.candidates} == {None}
    assert failed.value.ledger is not None
    assert failed.value.ledger.observed.value == 3
