from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from blockbuster import blockbuster_ctx

from clients import Client, Finish, Image, Request, Sampling
from clients.errors import ClientClosedError, ClientError, RecordingError, StreamError
from clients.recorded import RecordedClient
from clients.recorder import Recorder
from clients.recording import RecordedCandidate, RecordedStudy, read_recording
from clients.recording.writer import RecordingWriter
from tests.clients.virtual_clock import run_on_virtual_clock

REQUEST = Request("Describe.", study="A", sampling=Sampling(seed=7))
STOPS = RecordedCandidate(("Lungs", " clear."), logprobs=(-0.5, None))
FAILS = RecordedCandidate(("Lungs",), "error", extra={"detail": "server gone, Bearer abc123"})
REFUSES = RecordedCandidate((), "content_filter", extra={"refusal": True, "detail": "no"})
COUNTS = RecordedCandidate(
    ("Lungs", " clear."),
    piece_tokens=(2, None),
    running_tokens=(2, 5),
    usage={"prompt_tokens": 9, "output_tokens": 5, "provenance": "reported"},
)


def source(*candidates: RecordedCandidate, **options: Any) -> RecordedClient:
    studies = [RecordedStudy(name, "Describe.", None, candidates) for name in "ABC"]
    return RecordedClient.from_studies(studies, **options)


async def drain(client: Client, request: Request, candidate: int) -> str:
    try:
        return "".join([piece.text async for piece in client.stream(request, candidate)])
    except StreamError:
        return "failed"


async def decode(client: Client, request: Request, k: int) -> list[str]:
    await client.check(request, k)
    return await asyncio.gather(*(drain(client, request, at) for at in range(k)))


def read(path: Path) -> list[RecordedStudy]:
    return list(read_recording(path))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "taken.jsonl.gz"


async def test_a_decode_passes_through_and_is_recorded(path: Path) -> None:
    async with Recorder(source(STOPS, FAILS, REFUSES, COUNTS), path) as recorder:
        assert recorder.lockstep
        assert recorder.name == recorder.client.name
        texts = await decode(recorder, REQUEST, 4)
        assert texts == ["Lungs clear.", "failed", "", "Lungs clear."]
        assert not path.exists()
    (study,) = read(path)
    assert (study.study, study.prompt, study.reference) == ("A", "Describe.", None)
    assert study.extra == {
        "sampling": {"temperature": 1.0, "top_p": None, "max_tokens": 512, "seed": 7}
    }
    stopped, failed, refused, counted = study.candidates
    assert stopped.logprobs == (-0.5, None)
    assert stopped.usage == {"output_tokens": 2, "provenance": "counted"}
    assert stopped.source == recorder.name
    assert stopped.times is None
    assert stopped.piece_tokens is None
    assert failed.tokens == ("Lungs",)
    assert failed.finish_reason == "error"
    assert failed.extra == {"detail": "server gone, [key removed]"}
    assert refused.extra == {"refusal": True, "detail": "no"}
    assert (counted.piece_tokens, counted.running_tokens) == ((2, None), (2, 5))
    assert counted.usage == COUNTS.usage


async def test_a_recording_of_a_replay_replays_alike(path: Path) -> None:
    candidates = (STOPS, FAILS, REFUSES, COUNTS)
    async with Recorder(source(*candidates), path) as recorder:
        await decode(recorder, REQUEST, 4)
    again = RecordedClient(path)
    for at in range(len(candidates)):
        streams = [client.stream(REQUEST, at) for client in (source(*candidates), again)]
        ends: list[Any] = []
        for stream in streams:
            pieces = []
            try:
                async for piece in stream:
                    pieces.append(piece)
            except StreamError:
                pieces.append("failed")
            reason = stream.finish.reason if stream.finish else None
            ends.append((pieces, reason, stream.usage))
        assert ends[0] == ends[1]


async def test_equal_decodes_give_equal_bytes(tmp_path: Path) -> None:
    paths = [tmp_path / "a.jsonl.gz", tmp_path / "b.jsonl.gz"]
    for path in paths:
        async with Recorder(source(STOPS, COUNTS), path) as recorder:
            await decode(recorder, REQUEST, 2)
    assert paths[0].read_bytes() == paths[1].read_bytes()


def test_times_are_seconds_from_each_request(path: Path) -> None:
    async def main() -> None:
        client = source(RecordedCandidate(("a", "b"), times=(0.5, 2.0)), speed=1.0)
        await client.check(REQUEST, 1)
        async with Recorder(client, path) as recorder:
            await asyncio.sleep(3)
            await drain(recorder, REQUEST, 0)

    run_on_virtual_clock(main())
    (study,) = read(path)
    assert study.candidates[0].times == pytest.approx((0.5, 2.0))


async def test_a_complete_study_is_written_before_the_end(path: Path) -> None:
    recorder = Recorder(source(STOPS, STOPS), path)
    await decode(recorder, REQUEST, 2)
    await asyncio.get_running_loop().shutdown_default_executor()
    assert recorder._writer.studies == {"A"}
    recorder._writer.discard()


async def test_a_cancelled_stream_is_marked(path: Path) -> None:
    async with Recorder(source(STOPS, STOPS), path) as recorder:
        await recorder.check(REQUEST, 2)
        await drain(recorder, REQUEST, 0)
        pruned = recorder.stream(REQUEST, 1)
        await anext(pruned)
        await pruned.cancel()
        await pruned.cancel()
        assert pruned.finish == Finish("cancelled")
    (study,) = read(path)
    assert study.candidates[0].finish_reason == "stop"
    assert study.candidates[1].tokens == ("Lungs",)
    assert study.candidates[1].finish_reason == "error"
    assert study.candidates[1].extra == {"cancelled": True}


async def test_a_stream_left_running_counts_as_cancelled(path: Path) -> None:
    async with Recorder(source(STOPS), path) as recorder:
        await anext(recorder.stream(REQUEST, 0))
    (study,) = read(path)
    assert study.candidates[0].tokens == ("Lungs",)
    assert study.candidates[0].extra == {"cancelled": True}


async def test_a_cancelled_reader_is_recorded(path: Path) -> None:
    late = RecordedCandidate(("Lungs", " clear."), times=(0.0, 1e9))
    async with Recorder(source(late, speed=1.0), path) as recorder:
        stream = recorder.stream(REQUEST, 0)
        await anext(stream)
        reading = asyncio.ensure_future(anext(stream))
        await asyncio.sleep(0)
        await stream.cancel()
        with pytest.raises(StopAsyncIteration):
            await reading
    (study,) = read(path)
    assert study.candidates[0].extra == {"cancelled": True}


async def test_candidates_launched_later_join_their_study(path: Path) -> None:
    async with Recorder(source(STOPS, STOPS, STOPS), path) as recorder:
        await recorder.check(REQUEST, 3)
        await drain(recorder, REQUEST, 0)
        await drain(recorder, REQUEST, 1)
    (study,) = read(path)
    assert len(study.candidates) == 2


async def test_candidates_keep_their_numbers(path: Path) -> None:
    async with Recorder(source(STOPS, STOPS, STOPS), path) as recorder:
        await drain(recorder, REQUEST, 2)
    (study,) = read(path)
    assert [candidate.text for candidate in study.candidates] == ["", "", "Lungs clear."]
    assert study.candidates[0].extra == {"launched": False}
    assert study.candidates[0].finish_reason == "error"


async def test_a_second_try_replaces_a_failure(path: Path) -> None:
    async with Recorder(source(FAILS, STOPS), path) as recorder:
        await drain(recorder, REQUEST, 0)
        recorder.client = source(STOPS, STOPS)
        await drain(recorder, REQUEST, 0)
        await drain(recorder, REQUEST, 1)
    (study,) = read(path)
    assert [candidate.finish_reason for candidate in study.candidates] == ["stop", "stop"]


async def test_decodes_side_by_side_do_not_mix(path: Path) -> None:
    texts = {name: RecordedCandidate((name, name)) for name in "ABC"}
    client = RecordedClient.from_studies(
        RecordedStudy(name, "", None, (only, only)) for name, only in texts.items()
    )
    async with Recorder(client, path) as recorder:
        requests = [Request("", study=name) for name in "ABC"]
        await asyncio.gather(*(decode(recorder, request, 2) for request in requests))
    studies = {study.study: study for study in read(path)}
    assert set(studies) == set("ABC")
    for name, study in studies.items():
        assert [candidate.text for candidate in study.candidates] == [name * 2] * 2


async def test_a_study_that_comes_again_gets_a_number(path: Path) -> None:
    async with Recorder(source(STOPS, STOPS), path) as recorder:
        await asyncio.gather(*(decode(recorder, REQUEST, 2) for _ in range(3)))
        await decode(recorder, REQUEST, 1)
    studies = {study.study: len(study.candidates) for study in read(path)}
    assert studies == {"A": 2, "A (2)": 2, "A (3)": 2, "A (4)": 1}


async def test_images_leave_their_name_and_hash_only(path: Path) -> None:
    image = Image(b"secret bytes", "image/png", 1, 1, "ab" * 32, name="C:\\home\\chest.png")
    client = RecordedClient.from_studies([RecordedStudy("x", "", None, (STOPS,))])
    async with Recorder(client, path) as recorder:
        await decode(recorder, Request("", images=(image,)), 1)
    (study,) = read(path)
    assert study.study == "chest"
    assert study.extra["images"] == [{"name": "chest.png", "sha256": "ab" * 32}]
    assert "secret" not in str(study)


async def test_without_a_decode_there_is_no_recording(tmp_path: Path) -> None:
    async with Recorder(source(STOPS), tmp_path / "a.jsonl") as recorder:
        await recorder.check(REQUEST, 1)
    await recorder.aclose()
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(ClientClosedError):
        recorder.stream(REQUEST, 0)


async def test_a_check_that_fails_is_passed_on(path: Path) -> None:
    async with Recorder(source(STOPS), path) as recorder:
        with pytest.raises(RecordingError, match="k is 2"):
            await recorder.check(REQUEST, 2)
    assert not path.exists()


def test_a_place_that_cannot_be_written_is_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="cannot be written"):
        Recorder(source(STOPS), tmp_path / "no" / "a.jsonl")


async def test_a_write_that_fails_is_raised_at_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: RecordingWriter, study: RecordedStudy) -> None:
        raise RecordingError("no space")

    monkeypatch.setattr(RecordingWriter, "write", full)
    recorder = Recorder(source(STOPS), tmp_path / "a.jsonl")
    assert await decode(recorder, REQUEST, 1) == ["Lungs clear."]
    with pytest.raises(RecordingError, match="no space"):
        await recorder.aclose()
    assert list(tmp_path.iterdir()) == []


async def test_a_client_that_fails_to_close_loses_no_recording(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail() -> None:
        raise ClientError("cannot close")

    recorder = Recorder(source(STOPS), path)
    await decode(recorder, REQUEST, 1)
    monkeypatch.setattr(recorder.client, "aclose", fail)
    with pytest.raises(ClientError, match="cannot close"):
        await recorder.aclose()
    assert len(read(path)) == 1


def test_one_recorder_serves_several_event_loops(path: Path) -> None:
    recorder = Recorder(source(STOPS), path)
    for name in "AB":
        asyncio.run(decode(recorder, Request("", study=name), 1))
    asyncio.run(recorder.aclose())
    assert [study.study for study in read(path)] == ["A", "B"]


async def test_nothing_blocks_the_event_loop(path: Path) -> None:
    recorder = Recorder(source(STOPS, STOPS), path)
    with blockbuster_ctx():
        await decode(recorder, REQUEST, 2)
        await recorder.aclose()
    assert len(read(path)) == 1
