"""Many decodes at once, against a server in a process of its own: nothing leaks, nothing is lost.

How fast it goes is not asked here; ``python -m benchmarks.load`` measures that.
"""

from __future__ import annotations

import asyncio
import gc
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks.hash_encoder import HashEncoder
from benchmarks.load import build_index, held
from benchmarks.load_run import run_load
from benchmarks.paced_server_process import PacedServerProcess, started
from clients.openai import OpenAIClient
from clients.reader import Pace
from clients.retry import RetryPolicy
from sdr_decode import SDRDecoder
from sdr_decode.errors import DecodeError
from sdr_decode.events import CandidateFinished, TokenDelta
from sdr_decode.result import Result

SAFETY_SECONDS = 120.0


@pytest.fixture(scope="module")
def load_index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_index(tmp_path_factory.mktemp("load"), HashEncoder())


@pytest.fixture
async def server() -> AsyncIterator[PacedServerProcess]:
    async with started(rate=1000.0, first=0.0) as server:
        yield server


def open_client(server: PacedServerProcess, streams: int = 64) -> OpenAIClient:
    return OpenAIClient(
        "load",
        base_url=server.url,
        max_concurrency=streams,
        pace=Pace(retry=RetryPolicy(attempts=1)),
    )


def decoder(client: OpenAIClient, index: Path, **options: Any) -> SDRDecoder:
    return SDRDecoder(client, index, encoder=HashEncoder(), **options)


async def quiet(server: PacedServerProcess) -> dict[str, float]:
    """The server's account once it has seen the last connection close."""
    async with asyncio.timeout(SAFETY_SECONDS):
        while True:
            stats = await server.stats()
            if not stats["connections"]:
                return stats


@pytest.mark.parametrize("prune", ["none", "margin:0.02"])
async def test_of_many_decodes_at_once_no_candidate_is_lost(
    load_index: Path, server: PacedServerProcess, prune: str
) -> None:
    async with open_client(server, 128) as client, decoder(client, load_index, prune=prune) as one:
        report = await run_load(one, server, side_by_side=16, k=8, decodes=32)
    stats = await quiet(server)
    assert report.decodes == 32
    assert not report.lost
    assert report.states.total() == 32 * 8
    assert set(report.states) == {"finished"} | ({"pruned"} if prune != "none" else set())
    assert stats["answering"] == 0
    assert stats["begun"] == stats["finished"] + stats["hung_up"]


async def test_a_thousand_decodes_leave_nothing_open(
    load_index: Path, server: PacedServerProcess
) -> None:
    async def some(decodes: int) -> Counter[str]:
        async with open_client(server) as client, decoder(client, load_index) as one:
            report = await run_load(one, server, side_by_side=16, k=2, decodes=decodes)
        assert not report.lost
        assert (await quiet(server))["answering"] == 0
        return report.states

    await some(20)  # what is made once is made
    gc.collect()
    before = held()
    states = await some(1000)
    after = held()
    assert after.descriptors <= before.descriptors
    assert after.tasks <= before.tasks
    assert states["pruned"] > 0


async def test_a_killed_server_ends_every_stream_and_loses_nothing_that_had_come(
    load_index: Path,
) -> None:
    """Killed when one candidate has finished: that one is the report."""
    async with started(rate=200.0) as server, open_client(server) as client:
        events = decoder(client, load_index, prune="none").stream(k=8, seed=3)
        result = None
        async for event in events:
            if isinstance(event, CandidateFinished) and event.invalid is None:
                server.kill()
            if isinstance(event, Result):
                result = event
    assert result is not None
    assert result.valid
    states = {candidate.state for candidate in result.candidates}
    assert states <= {"finished", "invalid"}
    for candidate in result.candidates:
        assert candidate.text
        if candidate.state == "invalid":
            assert (candidate.ended or "").startswith("failed: ")
    assert result.ledger.observed.value is not None


async def test_a_server_killed_at_the_first_token_leaves_an_account_of_what_came(
    load_index: Path,
) -> None:

    async def decode() -> None:
        async with started(rate=0.5) as server, open_client(server) as client:
            async for event in decoder(client, load_index, prune="none").stream(k=8, seed=3):
                if isinstance(event, TokenDelta):
                    server.kill()

    with pytest.raises(DecodeError, match="failed") as lost:
        await decode()
    assert [candidate.number for candidate in lost.value.candidates] == list(range(8))
    assert {candidate.state for candidate in lost.value.candidates} == {"invalid"}
    assert any(candidate.text for candidate in lost.value.candidates)
    assert lost.value.ledger is not None
    assert [row.state for row in lost.value.ledger.rows] == ["invalid"] * 8
