from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from blockbuster import blockbuster_ctx

from clients import Finish, Piece, Request, Usage, open_client
from clients.base import CandidateStream
from clients.errors import ClientClosedError, RecordingError, SpecError, StreamError
from clients.recorded import RecordedClient
from clients.recording import RecordedCandidate, RecordedStudy, RecordingWriter
from tests.clients.virtual_clock import run_on_virtual_clock
from tests.data import real_data

PLAIN = RecordedCandidate(("Lungs", " clear."), logprobs=(-0.5, None))
REQUEST = Request("", study="A")


def study(*candidates: RecordedCandidate, identity: str = "A") -> RecordedStudy:
    return RecordedStudy(identity, "Describe.", None, candidates)


def client_of(*candidates: RecordedCandidate, **options: Any) -> RecordedClient:
    return RecordedClient.from_studies([study(*candidates)], **options)


async def play(
    *candidates: RecordedCandidate, **options: Any
) -> tuple[list[Piece], CandidateStream]:
    stream = client_of(*candidates, **options).stream(REQUEST, 0)
    return [piece async for piece in stream], stream


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    path = tmp_path / "a.jsonl.gz"
    with RecordingWriter(path) as writer:
        for identity in ("A", "B", "C", "D"):
            writer.write(study(RecordedCandidate((identity,)), PLAIN, identity=identity))
    return path


# --- what is replayed


async def test_pieces_come_back_with_what_is_known_of_them() -> None:
    pieces, stream = await play(PLAIN)
    assert pieces == [Piece("Lungs", logprob=-0.5), Piece(" clear.")]
    assert stream.finish == Finish("stop")
    assert stream.usage == Usage(output_tokens=2, provenance="counted")


async def test_the_words_of_a_text_have_no_token_count() -> None:
    pieces, stream = await play(RecordedCandidate.from_text("Lungs clear.", "length"))
    assert pieces == [Piece("Lungs", tokens=None), Piece(" clear.", tokens=None)]
    assert stream.finish == Finish("length")
    assert stream.usage is None


async def test_recorded_token_counts_are_replayed() -> None:
    counted = RecordedCandidate(("Lungs", " clear."), piece_tokens=(2, 3), running_tokens=(2, 6))
    pieces, stream = await play(counted)
    assert [(piece.tokens, piece.running_tokens) for piece in pieces] == [(2, 2), (3, 6)]
    assert stream.usage == Usage(output_tokens=5, provenance="counted")
    _, unknown = await play(RecordedCandidate(("x", "y"), piece_tokens=(2, None)))
    assert unknown.usage is None


async def test_a_recorded_usage_is_given_as_it_was() -> None:
    usage = {"prompt_tokens": 7, "output_tokens": 2, "provenance": "estimated", "other": 1}
    _, stream = await play(RecordedCandidate(("x",), usage=usage))
    assert stream.usage == Usage(7, output_tokens=2, provenance="estimated")
    _, stream = await play(RecordedCandidate(("x",), usage={"output_tokens": 2}))
    assert stream.usage == Usage(output_tokens=2, provenance="reported")


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        ({"detail": "server gone"}, "server gone"),
        ({"cancelled": True}, "cancelled when it was recorded"),
        ({}, "failed when it was recorded"),
    ],
)
async def test_a_recorded_failure_fails_after_its_pieces(
    extra: dict[str, Any], message: str
) -> None:
    stream = client_of(RecordedCandidate(("Lungs",), "error", extra=extra)).stream(REQUEST, 0)
    assert await anext(stream) == Piece("Lungs")
    with pytest.raises(StreamError, match=message):
        await anext(stream)
    assert stream.finish is not None
    assert stream.finish.reason == "error"
    with pytest.raises(StopAsyncIteration):
        await anext(stream)


async def test_a_recorded_refusal_is_a_refusal() -> None:
    refused = RecordedCandidate((), "content_filter", extra={"refusal": True, "detail": "no"})
    _, stream = await play(refused)
    assert stream.finish == Finish("refusal", "no")


async def test_candidates_replay_side_by_side(recording: Path) -> None:
    async with open_client(f"recorded:{recording}") as client:
        streams = [client.stream(Request("", study=name), 0) for name in "ABCD"]
        pieces = await asyncio.gather(*(anext(stream) for stream in streams))
    assert [piece.text for piece in pieces] == ["A", "B", "C", "D"]


# --- which study


async def test_one_study_needs_no_name() -> None:
    client = client_of(PLAIN)
    await client.check(Request(""), 1)
    assert [piece.text async for piece in client.stream(Request(""), 0)] == ["Lungs", " clear."]


async def test_several_studies_need_a_name(recording: Path) -> None:
    client = RecordedClient(recording)
    assert await client.studies() == ("A", "B", "C", "D")
    with pytest.raises(RecordingError, match=r"a\.jsonl\.gz holds 4 studies, such as A, B, C; say"):
        await client.check(Request(""), 1)


async def test_an_unknown_study_is_named(recording: Path) -> None:
    client = RecordedClient(recording)
    with pytest.raises(RecordingError, match=r"no study 'X' .* such as A, B, C"):
        await client.check(Request("", study="X"), 1)
    with pytest.raises(StreamError, match="no study 'X'"):
        await anext(client.stream(Request("", study="X"), 0))


async def test_too_many_candidates_are_refused() -> None:
    client = client_of(PLAIN, PLAIN)
    await client.check(REQUEST, 2)
    with pytest.raises(RecordingError, match="holds 2 candidates for A, k is 3"):
        await client.check(REQUEST, 3)
    with pytest.raises(StreamError, match="holds 2 candidates for A, candidate number 2"):
        await anext(client.stream(REQUEST, 2))


async def test_a_faulty_recording_surfaces_in_check_and_in_the_stream(tmp_path: Path) -> None:
    client = open_client(f"recorded:{tmp_path / 'absent.jsonl'}")
    with pytest.raises(RecordingError, match="cannot be read"):
        await client.check(REQUEST, 1)
    with pytest.raises(StreamError, match="cannot be read"):
        await anext(client.stream(REQUEST, 0))


# --- cancel and close


async def test_cancel_ends_a_stream_at_any_point() -> None:
    for taken in (0, 1):
        stream = client_of(PLAIN).stream(REQUEST, 0)
        for _ in range(taken):
            await anext(stream)
        await stream.cancel()
        await stream.cancel()
        assert [piece async for piece in stream] == []
        assert stream.finish == Finish("cancelled")


async def test_cancel_after_the_end_changes_nothing() -> None:
    _, stream = await play(PLAIN)
    await stream.cancel()
    assert stream.finish == Finish("stop")


def test_cancel_wakes_a_reader_at_once() -> None:
    async def main() -> float:
        loop = asyncio.get_running_loop()
        late = RecordedCandidate(("Lungs",), times=(1000.0,))
        client = client_of(late, speed=1.0)
        await client.check(REQUEST, 1)
        stream = client.stream(REQUEST, 0)
        reading = asyncio.ensure_future(anext(stream))
        await asyncio.sleep(1)
        await stream.cancel()
        with pytest.raises(StopAsyncIteration):
            await reading
        assert stream.finish == Finish("cancelled")
        return loop.time()

    assert run_on_virtual_clock(main()) == pytest.approx(1)


async def test_cancel_does_not_wait_for_the_recording_to_be_read(recording: Path) -> None:
    client = RecordedClient(recording)
    with client._reading:  # reading cannot begin
        stream = client.stream(REQUEST, 0)
        reading = asyncio.ensure_future(anext(stream))
        await asyncio.sleep(0)
        await stream.cancel()
        with pytest.raises(StopAsyncIteration):
            await reading
    assert stream.finish == Finish("cancelled")


async def test_a_closed_client_refuses() -> None:
    client = client_of(PLAIN)
    stream = client.stream(REQUEST, 0)
    await client.aclose()
    await client.aclose()
    with pytest.raises(ClientClosedError):
        client.stream(REQUEST, 0)
    with pytest.raises(StreamError, match="closed"):
        await anext(stream)


# --- time


def moments(candidate: RecordedCandidate, **options: float) -> list[float]:
    async def main() -> list[float]:
        client = client_of(candidate, **options)
        await client.check(REQUEST, 1)
        loop = asyncio.get_running_loop()
        return [loop.time() async for _ in client.stream(REQUEST, 0)]

    return run_on_virtual_clock(main())


def test_speed_replays_on_the_recorded_times() -> None:
    timed = RecordedCandidate(("a", "b", "c"), times=(1.0, 1.0, 5.0))
    assert moments(timed, speed=1.0) == pytest.approx([1, 1, 5])
    assert moments(timed, speed=2.0) == pytest.approx([0.5, 0.5, 2.5])
    assert moments(timed, rate=10.0) == pytest.approx([1, 1, 5])
    assert moments(timed) == [0, 0, 0]


def test_rate_replays_what_has_no_times() -> None:
    assert moments(PLAIN, rate=4.0) == pytest.approx([0.25, 0.5])
    assert moments(PLAIN, rate=4.0, speed=2.0) == pytest.approx([0.125, 0.25])


async def test_speed_without_times_asks_for_a_rate() -> None:
    client = client_of(PLAIN, speed=1.0)
    with pytest.raises(RecordingError, match=r"candidate 0 of A .* without times; add rate="):
        await client.check(REQUEST, 1)
    with pytest.raises(StreamError, match="without times"):
        await anext(client.stream(REQUEST, 0))


# --- specs


def test_a_spec_opens_a_client(tmp_path: Path) -> None:
    spec = f"recorded:{tmp_path / 'a.jsonl'}"
    assert open_client(spec).lockstep
    assert open_client(spec).name == spec
    assert not open_client(f"{spec},speed=2").lockstep
    assert open_client(f"{spec},speed=2,rate=30").name == f"{spec},speed=2,rate=30"


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("recorded", "expected recorded:FILE"),
        ("recorded:a,speed=0", "found '0' as its speed; expected a number above 0"),
        ("recorded:a,speed=-1", "found '-1' as its speed; expected a number above 0"),
        ("recorded:a,speed=nan", "found 'nan' as its speed; expected a number above 0"),
        ("recorded:a,rate=inf", "above 0"),
        ("recorded:a,speed=fast", "'fast' as its speed"),
        ("recorded:a,pace=1", "does not know the option 'pace'"),
    ],
)
def test_a_faulty_spec_is_named(spec: str, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        open_client(spec)


# --- the event loop and real data


async def test_nothing_blocks_the_event_loop(recording: Path) -> None:
    client = RecordedClient(recording)
    with blockbuster_ctx():
        await client.check(REQUEST, 1)
        assert [piece.text async for piece in client.stream(REQUEST, 0)] == ["A"]


async def test_a_real_recording_replays_what_it_holds() -> None:
    client = RecordedClient(real_data("traces/standin_val.jsonl.gz"))
    for name in (await client.studies())[:3]:
        recorded = await client.study(name)
        await client.check(Request("", study=name), 16)
        for at, candidate in enumerate(recorded.candidates):
            stream = client.stream(Request("", study=name), at)
            assert tuple([piece.text async for piece in stream]) == candidate.tokens
            assert stream.finish == Finish(candidate.finish_reason)
