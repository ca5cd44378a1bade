"""What OpenAI-compatible servers refuse, and what is said of it."""

from __future__ import annotations

import json

import pytest

from clients.errors import StreamError
from clients.openai import OpenAIClient
from clients.reader import Pace
from tests.clients.case import KEY
from tests.clients.openai.server import (
    CASE,
    REQUEST,
    STOPS,
    opened,
    pieces_of,
)
from tests.clients.wire_server import Answer, WireServer


@pytest.mark.parametrize(
    ("status", "advice"),
    [
        (401, "set OPENAI_API_KEY to a valid key"),
        (403, "may use the model 'test-model'"),
        (404, r"check the model name 'test-model' and the base URL \(most end in /v1\)"),
        (413, "smaller or fewer images"),
        (400, "check the model, the prompt"),
    ],
)
async def test_each_refusal_says_what_to_do(status: int, advice: str) -> None:
    answer = CASE.refusal(status, "because")
    async with WireServer(answer) as server, opened(server) as client:
        with pytest.raises(
            StreamError, match=f"{server.url}/v1 answered {status}: because; .*{advice}"
        ):
            await pieces_of(client.stream(REQUEST, 0))


async def test_a_used_up_quota_is_not_tried_again() -> None:
    body = {"error": {"message": "You exceeded your quota.", "code": "insufficient_quota"}}
    answer = Answer([json.dumps(body).encode()], status=429)
    async with WireServer(answer) as server, opened(server) as client:
        with pytest.raises(StreamError, match="check the account's plan and billing"):
            await pieces_of(client.stream(REQUEST, 0))
        assert len(server.exchanges) == 1


async def test_the_server_may_forbid_another_attempt() -> None:
    answer = CASE.refusal(500, "broken", {"x-should-retry": "false"})
    async with WireServer(answer) as server, opened(server) as client:
        with pytest.raises(StreamError, match="500"):
            await pieces_of(client.stream(REQUEST, 0))
        assert len(server.exchanges) == 1


async def test_an_error_in_place_of_the_first_chunk_is_tried_again() -> None:
    async def sleep(_: float) -> None:
        pass

    script = [Answer([CASE.error("overloaded")]), STOPS]
    async with WireServer(script) as server:
        pace = Pace(sleep=sleep)
        client = OpenAIClient("m", base_url=f"{server.url}/v1", api_key=KEY, pace=pace)
        async with client:
            assert len(await pieces_of(client.stream(REQUEST, 0))) == 1
        assert len(server.exchanges) == 2


async def test_images_and_pages_are_not_repeated_in_messages() -> None:
    image = "data:image/png;base64," + "QUJD" * 200
    body = {"error": {"message": f"cannot decode '{image}' " + "x" * 1000}}
    script = [
        Answer([json.dumps(body).encode()], status=400),
        Answer([b"<html><body>Proxy login</body></html>"], status=403),
    ]
    async with WireServer(script) as server, opened(server) as client:
        with pytest.raises(StreamError) as caught:
            await pieces_of(client.stream(REQUEST, 0))
        assert "QUJD" not in str(caught.value)
        assert len(str(caught.value)) < 500
        with pytest.raises(StreamError, match="403: no reason given"):
            await pieces_of(client.stream(REQUEST, 0))
