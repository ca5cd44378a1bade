"""What is never told."""

from __future__ import annotations

import logging

import pytest

from clients.errors import (
    StreamError,
)
from clients.retry import RetryPolicy
from tests.clients.case import KEY, ClientCase
from tests.clients.contract.answers import (
    REQUEST,
    read,
)
from tests.clients.contract.clock import Clock
from tests.clients.wire_server import Answer, WireServer


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
