"""What is never told."""

from __future__ import annotations

import logging
from dataclasses import asdict
from pathlib import Path

import pytest

from clients.errors import (
    StreamError,
)
from clients.recorder import Recorder
from clients.retry import RetryPolicy
from sdr_decode import Result, SDRDecoder
from tests.clients.case import KEY, ClientCase
from tests.clients.contract.answers import (
    REQUEST,
    complete,
    read,
)
from tests.clients.contract.clock import Clock
from tests.clients.wire_server import Answer, WireServer
from tests.fake_encoder import FakeEncoder


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


async def test_the_key_is_in_no_result_event_or_recording(
    case: ClientCase, clock: Clock, index: Path, tmp_path: Path
) -> None:
    script = [
        complete(case),
        case.refusal(401, f"Incorrect API key provided: {KEY}", {"x-echo": KEY}),
        Answer([case.text("No effusion. "), case.error(f"key {KEY} expired")]),
    ]
    path = tmp_path / "study.jsonl"
    async with (
        WireServer(script) as server,
        Recorder(case.open(server.url, clock.pace()), path) as client,
    ):
        decoder = SDRDecoder(client=client, index=index, encoder=FakeEncoder())
        async with decoder:
            events = [event async for event in decoder.stream(k=3)]
        assert KEY in str(server.exchanges[0].headers)
    result = events[-1]
    assert isinstance(result, Result)
    # A check may ask how long the prompt is, beside the three candidates.
    assert len([e for e in server.exchanges if e.path != "/tokenize"]) == 3
    assert KEY not in repr(events) + str(asdict(result))
    recording = path.read_text("utf-8")
    assert recording.count("finish_reason") == 3
    assert KEY not in recording
    assert "authorization" not in recording.lower()
