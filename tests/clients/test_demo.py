from __future__ import annotations

import asyncio
import math
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable
from itertools import islice
from random import Random

import pytest
from blockbuster import blockbuster_ctx
from hypothesis import given, settings
from hypothesis import strategies as st

from clients import ClientContext, Finish, Piece, Request, Sampling, Usage, open_client
from clients.base import CandidateStream
from clients.demo import DemoClient
from clients.errors import ClientClosedError, ClientError, SpecError, StreamError
from clients.ngram_model import NgramModel, words_of
from tests.clients.virtual_clock import run_on_virtual_clock

CORPUS = [
    "Findings: The lungs are clear. The heart is small.\nImpression: Nothing acute.",
    "Findings: The lungs are full. The heart is large.\nImpression: Large heart.",
    "Findings: The heart is small. No effusion is seen.\nImpression: Nothing to report.",
    "Findings: No effusion is seen. The lungs are clear.\nImpression: Nothing acute.",
]
SEEDED = Request("", sampling=Sampling(seed=5))


def demo(
    reports: Callable[[], Iterable[str]] | None = lambda: CORPUS, spec: str = "demo"
) -> DemoClient:
    client = open_client(spec, ClientContext(reports=reports))
    assert isinstance(client, DemoClient)
    return client


async def report(client: DemoClient, request: Request, candidate: int = 0) -> str:
    return "".join([piece.text async for piece in client.stream(request, candidate)])


async def pieces_of(stream: CandidateStream) -> list[Piece]:
    return [piece async for piece in stream]


# --- the model


def windows(words: list[str], size: int) -> set[tuple[str, ...]]:
    return {tuple(words[at : at + size]) for at in range(len(words) - size + 1)}


@given(st.lists(st.text("ab:. \t\r\n"), min_size=1, max_size=4), st.integers(2, 4))
@settings(max_examples=100, deadline=None)
def test_every_sampled_sequence_stands_in_the_corpus(reports: list[str], order: int) -> None:
    texts = [[piece for _, piece in words_of(report)] for report in reports]
    if not any(texts):
        return
    seen = set().union(*(windows(text, order) for text in texts if text))
    sampled = NgramModel(reports, order).sample(Random("1"))
    assert windows([piece for piece, _ in islice(sampled, 50)], order) <= seen


def test_one_report_in_a_high_order_is_copied() -> None:
    sampled = NgramModel(CORPUS[:1], 8).sample(Random("1"))
    assert "".join(piece for piece, _ in sampled) == CORPUS[0]


def test_spacing_is_kept_and_surplus_goes() -> None:
    assert words_of("  A:  b \t c\r\n\n D: e ") == [
        ("A:", "A:"),
        ("A:", " b"),
        ("A:", " c"),
        ("A:", "\n"),
        ("D:", "D:"),
        ("D:", " e"),
    ]


def test_logprobs_are_of_the_counts() -> None:
    model = NgramModel(["a b", "a b", "a b", "a c"], 2)
    sampled = {
        text: logprob
        for seed in range(50)
        for text, logprob in model.sample(Random(str(seed)), temperature=0.7)
    }
    assert sampled == pytest.approx({"a": 0.0, " b": math.log(3 / 4), " c": math.log(1 / 4)})


def test_temperature_and_top_p_narrow_the_choice() -> None:
    model = NgramModel(["a b", "a b", "a b", "a c", "a d"], 2)

    def endings(temperature: float, top_p: float = 1.0) -> list[str]:
        return [
            list(model.sample(Random(str(seed)), temperature=temperature, top_p=top_p))[-1][0]
            for seed in range(300)
        ]

    assert set(endings(0.0)) == set(endings(1e-9)) == set(endings(1.0, 0.6)) == {" b"}
    assert set(endings(1.0, 0.7)) == {" b", " c"}
    assert set(endings(1.0)) == {" b", " c", " d"}
    assert endings(0.5).count(" b") > endings(1.0).count(" b") > endings(5.0).count(" b")


# --- the client


async def test_a_report_is_words_with_their_spaces() -> None:
    stream = demo().stream(SEEDED, 0)
    pieces = await pieces_of(stream)
    text = "".join(piece.text for piece in pieces)
    assert text.startswith("Findings: ")
    assert text.count("\nImpression: ") == 1
    assert all(piece.text == "\n" or len(piece.text.split()) == 1 for piece in pieces)
    assert set(text.split()) <= set(" ".join(CORPUS).split())
    assert all(piece.tokens == 1 and piece.logprob is not None for piece in pieces)
    assert stream.finish == Finish("stop")
    assert stream.usage == Usage(
        prompt_tokens=0, image_tokens=0, output_tokens=len(pieces), provenance="counted"
    )


async def test_candidates_differ_and_are_seeded_one_after_another() -> None:
    client = demo()
    texts = [await report(client, SEEDED, at) for at in range(20)]
    assert len(set(texts)) > 1
    assert texts[3] == await report(client, Request("", sampling=Sampling(seed=8)))
    assert texts == [await report(demo(), SEEDED, at) for at in range(20)]


async def test_without_a_seed_reports_differ() -> None:
    client = demo()
    assert len({await report(client, Request("")) for _ in range(30)}) > 1


async def test_side_by_side_streams_do_not_disturb_each_other() -> None:
    client = demo()
    alone = [await report(client, SEEDED, at) for at in range(6)]
    streams = [client.stream(SEEDED, at) for at in range(6)]
    together = [""] * 6
    running = dict(enumerate(streams))
    while running:
        for at, stream in list(running.items()):
            try:
                together[at] += (await anext(stream)).text
            except StopAsyncIteration:
                del running[at]
    assert together == alone


def test_a_seed_means_the_same_text_in_every_process() -> None:
    code = (
        "import asyncio\n"
        "from tests.clients.test_demo import SEEDED, demo, report\n"
        "print(asyncio.run(report(demo(), SEEDED)))\n"
    )
    texts = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": hash_seed, "PYTHONPATH": ":".join(filter(None, sys.path))},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for hash_seed in ("1", "2")
    }
    assert texts == {asyncio.run(report(demo(), SEEDED)) + "\n"}


@pytest.mark.parametrize("limit", [1, 4])
async def test_the_token_limit_ends_a_report(limit: int) -> None:
    stream = demo().stream(Request("", sampling=Sampling(seed=5, max_tokens=limit)), 0)
    assert len(await pieces_of(stream)) == limit
    assert stream.finish == Finish("length")


async def test_a_report_of_exactly_the_limit_has_stopped() -> None:
    client = demo()
    length = len(await pieces_of(client.stream(SEEDED, 0)))
    exact = client.stream(Request("", sampling=Sampling(seed=5, max_tokens=length)), 0)
    assert len(await pieces_of(exact)) == length
    assert exact.finish == Finish("stop")


async def test_cancel_ends_the_stream() -> None:
    stream = demo().stream(SEEDED, 0)
    await anext(stream)
    await stream.cancel()
    await stream.cancel()
    assert await pieces_of(stream) == []
    assert stream.finish == Finish("cancelled")


async def test_it_is_trained_once_for_all_candidates_and_off_the_event_loop() -> None:
    threads: list[threading.Thread] = []

    def reports() -> list[str]:
        threads.append(threading.current_thread())
        return CORPUS

    client = demo(reports)
    await asyncio.gather(*(report(client, SEEDED, at) for at in range(8)))
    await client.check(SEEDED, 8)
    assert len(threads) == 1
    assert threads[0] is not threading.main_thread()


async def test_cancel_does_not_wait_for_the_training() -> None:
    release = threading.Event()

    def reports() -> list[str]:
        release.wait()
        return CORPUS

    stream = demo(reports).stream(SEEDED, 0)
    reading = asyncio.ensure_future(anext(stream))
    try:
        await asyncio.sleep(0)
        await stream.cancel()
        with pytest.raises(StopAsyncIteration):
            await reading
    finally:
        release.set()
    assert stream.finish == Finish("cancelled")


def test_rate_gives_the_words_their_time() -> None:
    async def main() -> list[float]:
        client = demo(spec="demo:rate=4")
        assert not client.lockstep
        await client.check(SEEDED, 1)
        loop = asyncio.get_running_loop()
        return [loop.time() async for _ in client.stream(SEEDED, 0)][:3]

    assert run_on_virtual_clock(main()) == pytest.approx([0.25, 0.5, 0.75])


async def test_a_corpus_without_text_is_refused() -> None:
    client = demo(lambda: ["", " \n "])
    with pytest.raises(ClientError, match=r"cannot learn .* no text"):
        await client.check(SEEDED, 1)
    with pytest.raises(StreamError, match="no text"):
        await anext(client.stream(SEEDED, 0))


async def test_a_closed_client_refuses() -> None:
    client = demo()
    stream = client.stream(SEEDED, 0)
    await client.aclose()
    with pytest.raises(ClientClosedError):
        client.stream(SEEDED, 0)
    with pytest.raises(StreamError, match="closed"):
        await anext(stream)


async def test_nothing_blocks_the_event_loop() -> None:
    client = demo()
    with blockbuster_ctx():
        await client.check(SEEDED, 1)
        assert await report(client, SEEDED)


# --- specs


def test_a_spec_opens_a_client() -> None:
    assert demo().lockstep
    assert demo().ignores_images
    for spec in ("demo", "demo:2", "demo:rate=30", "demo:4,rate=2.5"):
        assert demo(spec=spec).name == spec
    assert demo(spec="demo:3").name == "demo"
    assert demo(spec="demo:4").order == 4


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("demo:1", "at least 2"),
        ("demo:x", "'x' as its order"),
        ("demo:rate=0", "above 0"),
        ("demo:speed=1", "does not know the option 'speed'"),
    ],
)
def test_a_faulty_spec_is_named(spec: str, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        demo(spec=spec)


def test_without_an_index_there_is_nothing_to_learn_from() -> None:
    with pytest.raises(SpecError, match="reports of an index"):
        demo(None)
