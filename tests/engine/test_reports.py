"""Reports from a real engine: K streams, exact counts, and cancels that stop the generation."""

from __future__ import annotations

import asyncio

import pytest

from clients import CandidateStream, ClientError, Request, Sampling
from clients.errors import ClientClosedError
from clients.vllm_server import VLLMServerClient
from tests.engine.metrics import once_idle
from tests.engine.targets import ProcessTarget, ServerTarget, Target

pytestmark = [
    pytest.mark.engine,
    pytest.mark.asyncio(loop_scope="session"),
    pytest.mark.timeout(300),
]
K = 8
STOP_AT = 30
STEPS = 2
# Longer than a block of the KV cache, so that there is something to share.
TAGS = (
    "Tags: Cardiomegaly/mild; Pleural Effusion/left; Pulmonary Atelectasis/base/left/mild; "
    "Opacity/lung/base/left; Aorta/tortuous; Spine/degenerative/mild"
)
ENDLESS = {"ignore_eos": True}


def study(max_tokens: int = 200, seed: int = 1) -> Request:
    return Request(TAGS, sampling=Sampling(max_tokens=max_tokens, seed=seed))


async def read(stream: CandidateStream, stop_at: int | None = None) -> tuple[str, int]:
    """The text, and the tokens that arrived by the engine's count; cancelled at ``stop_at``."""
    text, tokens = "", 0
    async for piece in stream:
        assert piece.tokens is not None
        tokens += piece.tokens
        assert piece.running_tokens == tokens
        text += piece.text
        if stop_at is not None and tokens >= stop_at:
            await stream.cancel()
    return text, tokens + sum(piece.tokens for piece in stream.undelivered)


async def test_k_reports_stream_side_by_side_with_exact_counts(reporter: Target) -> None:
    before = await once_idle(reporter.metrics)
    async with reporter.open() as client:
        await client.check(study(), K)
        streams = [client.stream(study(), number) for number in range(K)]
        read_out = await asyncio.gather(*map(read, streams))
    after = await once_idle(reporter.metrics)

    texts, counts = zip(*read_out, strict=True)
    assert len(set(texts)) > 1
    assert all("Findings:" in text for text in texts)
    assert all(stream.finish.reason in ("stop", "length") for stream in streams)
    # The end of the report is a token without text, so only the usage has it.
    outputs = [stream.usage.output_tokens for stream in streams]
    assert all(0 <= output - count <= 1 for output, count in zip(outputs, counts, strict=True))
    assert sum(outputs) == after.generated - before.generated
    assert sum(stream.usage.prompt_tokens for stream in streams) == after.prompts - before.prompts
    cached = sum(stream.usage.cached_tokens for stream in streams)
    assert cached == after.prompts_cached - before.prompts_cached
    assert cached > 0
    assert {stream.usage.provenance for stream in streams} == {"reported"}


async def test_a_cancelled_candidate_stops_generating(reporter: Target) -> None:
    before = await once_idle(reporter.metrics)
    async with reporter.open(more_sampling=ENDLESS) as client:
        streams = [client.stream(study(), number) for number in range(K)]
        read_out = await asyncio.gather(
            read(streams[0]), *(read(stream, STOP_AT) for stream in streams[1:])
        )
        after = await once_idle(reporter.metrics)

    observed = [tokens for _, tokens in read_out]
    overshoot = after.generated - before.generated - sum(observed)
    assert observed[0] == 200
    assert all(STOP_AT <= tokens < 200 for tokens in observed[1:])
    assert 0 <= overshoot <= STEPS * (K - 1)
    assert [stream.finish.reason for stream in streams] == ["length"] + ["cancelled"] * (K - 1)
    assert after.idle


async def test_closing_the_client_aborts_what_runs(reporter: Target) -> None:
    client = reporter.open(more_sampling=ENDLESS)
    before = await once_idle(reporter.metrics)
    streams = [client.stream(study(max_tokens=900), number) for number in range(K)]
    for stream in streams:
        await anext(stream)
    await client.aclose()
    after = await once_idle(reporter.metrics)

    assert {stream.finish.reason for stream in streams} == {"cancelled"}
    assert after.generated - before.generated < K * 900
    with pytest.raises(ClientClosedError):
        await anext(client.stream(study(), 0))


async def test_the_limit_on_tokens_is_kept(reporter: Target) -> None:
    async with reporter.open() as client:
        stream = client.stream(study(max_tokens=5), 0)
        text, tokens = await read(stream)
    assert text
    assert tokens == stream.usage.output_tokens == 5
    assert stream.finish.reason == "length"


async def test_log_probabilities_are_those_of_the_pieces(reporter: Target) -> None:
    async with reporter.open(logprobs=True) as client:
        pieces = [piece async for piece in client.stream(study(max_tokens=10), 0)]
    assert all(piece.logprob is not None and piece.logprob <= 0 for piece in pieces)
    assert len({piece.logprob for piece in pieces}) > 1


async def test_a_prompt_that_does_not_fit_is_never_sent(reporter: Target) -> None:
    long = Request("Tags: " + "Opacity/lung/base/left; " * 400)
    before = await once_idle(reporter.metrics)
    async with reporter.open() as client:
        with pytest.raises(ClientError, match="1024"):
            await client.check(long, K)
        with pytest.raises(ClientError):
            await anext(client.stream(long, 0))
    assert (await once_idle(reporter.metrics)).prompts == before.prompts


@pytest.mark.parametrize("reporter", ["server"], indirect=True)
async def test_a_model_that_is_not_served_is_named(reporter: ServerTarget) -> None:
    async with VLLMServerClient("no-such-model", base_url=reporter.server.base_url) as client:
        with pytest.raises(ClientError, match="no-such-model"):
            await client.check(study(), K)


@pytest.mark.parametrize("reporter", ["process"], indirect=True)
async def test_an_engine_that_was_given_is_left_running(reporter: ProcessTarget) -> None:
    await reporter.open().aclose()
    assert not reporter.engine.errored
    async with reporter.open() as client:
        assert (await read(client.stream(study(max_tokens=5), 0)))[1] == 5


async def test_another_event_loop_is_refused(reporter: Target) -> None:
    async with reporter.open() as client:
        await client.check(study(), 1)

        async def use() -> None:
            await anext(client.stream(study(), 0))

        with pytest.raises(ClientClosedError, match="event loop"):
            await asyncio.to_thread(asyncio.run, use())
