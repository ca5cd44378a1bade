from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence

import numpy as np
import pytest
from blockbuster import blockbuster_ctx
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from sdr_decode.batching import BatchedEncoder
from sdr_decode.errors import EncoderError
from tests.fake_encoder import FakeEncoder


class GatedEncoder(FakeEncoder):
    """Every batch waits until the gate is opened; ``started`` says that a batch has begun. A text
    that starts with "bad" fails its batch."""

    def __init__(self) -> None:
        super().__init__()
        self.started = threading.Event()
        self.gate = threading.Event()
        self.threads: set[int] = set()

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.threads.add(threading.get_ident())
        self.started.set()
        self.gate.wait()
        if any(text.startswith("bad") for text in texts):
            raise ValueError("a bad text")
        return super().encode(texts)


async def first_batch_begun(encoder: GatedEncoder, batched: BatchedEncoder) -> asyncio.Task[object]:
    """A waiter whose batch, of one text, has begun and holds the worker at the gate."""
    task: asyncio.Task[object] = asyncio.create_task(batched.encode(["first"]))
    await asyncio.to_thread(encoder.started.wait)
    return task


@settings(max_examples=60, deadline=None)
@given(
    requests=st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=6), max_size=6),
    max_batch=st.integers(1, 4),
    cache=st.integers(0, 5),
)
def test_vectors_are_those_of_the_encoder(
    requests: list[list[str]], max_batch: int, cache: int
) -> None:
    encoder = FakeEncoder()
    with BatchedEncoder(encoder, max_batch=max_batch, cache=cache) as batched:
        for texts in requests:
            got = batched.encode_now(texts)
            if texts:
                np.testing.assert_array_equal(got, FakeEncoder().encode(texts))
            else:
                assert got.shape == (0, 0)
    assert all(len(batch) <= max_batch for batch in encoder.batches)
    assert batched.embedded == sum(map(len, encoder.batches))


async def test_what_comes_while_the_worker_is_busy_is_one_batch() -> None:
    encoder = GatedEncoder()
    with BatchedEncoder(encoder) as batched:
        first = await first_batch_begun(encoder, batched)
        rest = [asyncio.create_task(batched.encode([f"t{i}", "shared"])) for i in range(5)]
        await asyncio.sleep(0)  # let the tasks ask
        encoder.gate.set()
        results = await asyncio.gather(first, *rest)
    assert [len(batch) for batch in encoder.batches] == [1, 6]
    np.testing.assert_array_equal(results[3], FakeEncoder().encode(["t2", "shared"]))
    assert batched.embedded == 7
    assert len(encoder.threads) == 1
    assert threading.get_ident() not in encoder.threads


async def test_batches_are_no_larger_than_asked_for() -> None:
    encoder = FakeEncoder()
    with BatchedEncoder(encoder, max_batch=4) as batched:
        await batched.encode([f"t{i}" for i in range(10)])
    assert [len(batch) for batch in encoder.batches] == [4, 4, 2]


async def test_each_text_is_embedded_once() -> None:
    encoder = FakeEncoder()
    with BatchedEncoder(encoder) as batched:
        await batched.encode(["a", "b", "a"])
        await batched.encode(["b", "a"])
        assert batched.encode_now(["a"]).shape == (1, 32)
    assert sorted(text for batch in encoder.batches for text in batch) == ["a", "b"]


def test_the_least_recently_used_text_is_forgotten_first() -> None:
    encoder = FakeEncoder()
    with BatchedEncoder(encoder, cache=2) as batched:
        for text in ("a", "b", "a", "c", "a", "b"):
            batched.encode_now([text])
    assert [batch[0] for batch in encoder.batches] == ["a", "b", "c", "b"]


async def test_an_error_goes_to_those_who_waited_and_no_further() -> None:
    encoder = GatedEncoder()
    with BatchedEncoder(encoder, max_batch=2) as batched:
        first = await first_batch_begun(encoder, batched)
        bad = [asyncio.create_task(batched.encode(["bad", "with it"])) for _ in range(2)]
        await asyncio.sleep(0)
        good = asyncio.create_task(batched.encode(["good text"]))
        await asyncio.sleep(0)
        encoder.gate.set()
        results = await asyncio.gather(first, *bad, good, return_exceptions=True)
        assert [type(result) for result in results] == [
            np.ndarray,
            ValueError,
            ValueError,
            np.ndarray,
        ]
        assert (await batched.encode(["with it"])).shape == (1, 32), "asked again, it succeeds"


async def test_cancelling_a_waiter_does_not_hurt_the_others() -> None:
    encoder = GatedEncoder()
    with BatchedEncoder(encoder) as batched:
        first = await first_batch_begun(encoder, batched)
        also_first = asyncio.create_task(batched.encode(["first"]))
        waiting = [asyncio.create_task(batched.encode(["later"])) for _ in range(2)]
        await asyncio.sleep(0)
        first.cancel()
        waiting[0].cancel()
        await asyncio.gather(first, waiting[0], return_exceptions=True)
        encoder.gate.set()
        assert (await also_first).shape == (1, 32)
        assert (await waiting[1]).shape == (1, 32)
    assert first.cancelled()
    assert waiting[0].cancelled()


def test_several_event_loops_may_use_it() -> None:
    encoder = FakeEncoder()
    with BatchedEncoder(encoder) as batched:
        one = asyncio.run(batched.encode(["a", "b"]))
        two = asyncio.run(batched.encode(["b", "a"]))
        results: list[NDArray[np.float32]] = []
        threads = [
            threading.Thread(
                target=lambda i=i: results.append(asyncio.run(batched.encode([f"t{i}", "a"])))
            )
            for i in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    np.testing.assert_array_equal(one, two[::-1])
    assert len(results) == 8
    assert batched.embedded == 10


async def test_the_event_loop_is_never_blocked() -> None:
    encoder = FakeEncoder()
    with BatchedEncoder(encoder) as batched, blockbuster_ctx("sdr_decode"):
        await asyncio.gather(*(batched.encode([f"t{i}", "shared"]) for i in range(20)))


async def test_the_encoder_is_made_for_the_first_text_and_again_after_a_failure() -> None:
    made: list[int] = []

    def make() -> FakeEncoder:
        made.append(threading.get_ident())
        if len(made) == 1:
            raise EncoderError("not yet")
        return FakeEncoder()

    with BatchedEncoder(make) as batched:
        assert (await batched.encode([])).shape == (0, 0)
        assert made == []
        assert not batched.loaded
        assert batched.over_long == 0
        with pytest.raises(EncoderError, match="not yet"):
            await batched.encode(["a"])
        assert (await batched.encode(["a"])).shape == (1, 32)
        assert (await batched.encode(["b"])).shape == (1, 32)
    assert len(made) == 2
    assert batched.loaded
    assert threading.get_ident() not in made


async def test_a_wrong_number_of_vectors_is_an_error_and_not_a_hang() -> None:
    class Short(FakeEncoder):
        def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
            return super().encode(texts)[1:]

    with (
        BatchedEncoder(Short()) as batched,
        pytest.raises(EncoderError, match="2 texts gave 1 vectors"),
    ):
        await batched.encode(["a", "b"])


async def test_closing_stops_the_worker_and_fails_who_still_waits() -> None:
    encoder = GatedEncoder()
    batched = BatchedEncoder(encoder)

    def until_closed() -> None:
        with batched._changed:
            batched._changed.wait_for(lambda: batched._closed)

    first = await first_batch_begun(encoder, batched)
    waiting = asyncio.create_task(batched.encode(["later"]))
    await asyncio.sleep(0)
    closing = asyncio.create_task(asyncio.to_thread(batched.close))
    await asyncio.to_thread(until_closed)
    encoder.gate.set()
    await closing
    await first
    with pytest.raises(EncoderError, match="closed before"):
        await waiting
    with pytest.raises(EncoderError, match="was closed"):
        await batched.encode(["first"])
    batched.close()
    assert batched._worker is None or not batched._worker.is_alive()


def test_over_long_texts_are_told() -> None:
    with BatchedEncoder(lambda: FakeEncoder(max_tokens=2)) as batched:
        batched.encode_now(["one two three", "one two", "one two three"])
        assert batched.over_long == 1
        assert batched.is_over_long(["one two three", "one"]) == [True, False]
