"""Servers that die, processes that are interrupted, and decoders that are used wrongly."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from clients import Client
from clients.errors import ClientClosedError
from clients.reader import Pace
from clients.retry import RetryPolicy
from sdr_decode import SDRDecoder
from sdr_decode.errors import DecodeError
from tests.clients.cases import OpenAICase
from tests.clients.contract.answers import complete
from tests.clients.wire_server import SAFETY_SECONDS, Answer, Fault, WireServer
from tests.fake_encoder import FakeEncoder
from tests.scripted_client import ScriptedClient, words

CASE = OpenAICase()
CLEAR = "Findings: The lungs are clear. Heart size is normal.\nImpression: No acute disease."
DYING = Answer([CASE.text("Findings: The lungs"), CASE.text(" are"), Fault.RESET])
FORGIVING_NOTHING = Pace(retry=RetryPolicy(attempts=1))


def open_client(url: str) -> Client:
    return CASE.open(url, FORGIVING_NOTHING)


def decoder(client: Client, index: Path, **options: Any) -> SDRDecoder:
    return SDRDecoder(client, index, encoder=FakeEncoder(), prune="none", **options)


async def test_a_server_that_dies_costs_only_the_streams_it_had(index: Path) -> None:
    script = [DYING, complete(CASE, CLEAR), DYING]
    async with WireServer(script) as server, open_client(server.url) as client:
        result = await decoder(client, index).agenerate(k=3)
        states = sorted(candidate.state for candidate in result.candidates)
        assert states == ["finished", "invalid", "invalid"]
        assert result.valid
        assert result.report.text == CLEAR
        dead = [c for c in result.candidates if c.state == "invalid"]
        for candidate in dead:
            assert candidate.text == "Findings: The lungs are"
            assert (candidate.ended or "").startswith("failed: ")
            assert result.ledger.rows[candidate.number].observed.value == 2


async def test_when_every_stream_dies_the_error_says_why_and_what_was_spent(index: Path) -> None:
    blank = Answer([CASE.text("..."), Fault.RESET])
    async with WireServer(blank) as server, open_client(server.url) as client:
        with pytest.raises(DecodeError, match="every candidate failed") as error:
            await decoder(client, index).agenerate(k=3)
    assert error.value.ledger is not None
    assert error.value.ledger.observed.value == 3


async def test_an_interrupted_command_hangs_up_on_the_server(index: Path) -> None:
    """The real command in a process of its own, stopped as Ctrl-C stops it."""
    endless = Answer([CASE.text("Findings: The lungs"), Fault.STALL])
    script = (
        # A background job of a shell is born deaf to Ctrl-C; this one has to hear it.
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "import sdr_decode.measure, tests.fake_encoder as fake\n"
        "sdr_decode.measure.load_encoder = lambda name: fake.FakeEncoder()\n"
        "from sdr_decode.cli import main\n"
        "main()\n"
    )
    async with WireServer(endless) as server:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *("-c", script, "generate", "--index", str(index), "--k", "4"),
            *("--client", f"openai:any,base_url={server.url}/v1"),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "OPENAI_API_KEY": "none"},
        )
        try:
            async with asyncio.timeout(3 * SAFETY_SECONDS):
                exchanges = [await server.request(number) for number in range(4)]
                process.send_signal(signal.SIGINT)
                _, errors = await process.communicate()
                for exchange in exchanges:
                    await exchange.disconnected.wait()
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
    assert process.returncode == 130
    said = errors.decode().strip()
    assert said.startswith("interrupted; no report was chosen: 0 of 4 launched candidates had")
    assert len(said.splitlines()) == 1


def test_one_client_in_two_event_loops_is_a_clear_error(index: Path) -> None:
    async def first() -> tuple[str, Client]:
        async with WireServer(complete(CASE, CLEAR)) as server:
            client = open_client(server.url)
            result = await decoder(client, index).agenerate(k=1)
            return result.report.text, client

    text, client = asyncio.run(first())
    assert text == CLEAR
    with pytest.raises(ClientClosedError, match="another event loop"):
        asyncio.run(decoder(client, index).agenerate(k=1))


async def test_a_decoder_that_was_closed_says_so(index: Path) -> None:
    one = decoder(ScriptedClient(words(CLEAR)), index)
    await one.aclose()
    await one.aclose()
    with pytest.raises(DecodeError, match="was closed; make a new one"):
        await one.agenerate(k=1)
    with pytest.raises(DecodeError, match="was closed; make a new one"):
        one.generate(k=1)


def test_one_decoder_serves_several_threads_and_calls(index: Path) -> None:
    scripts = [words(CLEAR)] * 2
    client = ScriptedClient(*scripts, lockstep=True)
    with decoder(client, index) as one, ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda _: one.generate(k=2), range(8)))
    assert {result.to_json() for result in results} == {results[0].to_json()}
    with pytest.raises(DecodeError, match="was closed"):
        one.generate(k=1)


async def test_a_loop_that_closes_during_a_decode_closes_its_streams(index: Path) -> None:
    """``asyncio.run`` cancels what still runs when its main function returns."""
    stalled = Answer([CASE.text("Findings:"), Fault.STALL])

    def other_loop(url: str) -> None:
        async def main() -> None:
            task = asyncio.ensure_future(decoder(open_client(url), index).agenerate(k=2))
            await asyncio.wait_for(begun.wait(), SAFETY_SECONDS)
            assert not task.done()

        asyncio.run(main())

    begun = _ThreadEvent()
    async with WireServer(stalled) as server:
        thread = asyncio.ensure_future(asyncio.to_thread(other_loop, server.url))
        exchanges = [await server.request(number) for number in range(2)]
        begun.set()
        await thread
        async with asyncio.timeout(SAFETY_SECONDS):
            for exchange in exchanges:
                await exchange.disconnected.wait()


class _ThreadEvent:
    """Set in one loop, awaited in another."""

    def __init__(self) -> None:
        import threading

        self._event = threading.Event()

    def set(self) -> None:
        self._event.set()

    async def wait(self) -> None:
        await asyncio.to_thread(self._event.wait, SAFETY_SECONDS)
