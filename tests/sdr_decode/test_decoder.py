from __future__ import annotations

import asyncio
import re
import threading
from contextlib import aclosing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from clients import Finish, Piece, Usage
from clients.errors import StreamError
from sdr_decode import SDRDecoder
from sdr_decode.counts import Count
from sdr_decode.errors import DecodeError, EncoderMismatchError
from sdr_decode.events import (
    CandidateFinished,
    CandidateLaunched,
    CandidatePruned,
    Decision,
    DistanceUpdated,
    Event,
    SentenceClosed,
    TokenDelta,
)
from sdr_decode.result import Result
from sdr_decode.streams import Timeouts
from tests.fake_encoder import FakeEncoder
from tests.scripted_client import ScriptedClient, Step, words

CLEAR = "Findings: The lungs are clear. Heart size is normal.\nImpression: No acute disease."
DRIFTING = "Findings: Purple elephants everywhere. They sing.\nImpression: Unheard of nonsense."


def decoder(client: ScriptedClient, index: Path, **options: Any) -> SDRDecoder:
    return SDRDecoder(client, index, encoder=FakeEncoder(), **options)


async def test_the_report_nearest_to_the_corpus_wins_and_comes_back_whole(index: Path) -> None:
    client = ScriptedClient(words(DRIFTING), words(CLEAR), lockstep=True)
    result = await decoder(client, index, prune="none").agenerate(k=2)
    assert result.winner == 1
    assert result.valid
    assert result.report.findings == "The lungs are clear. Heart size is normal."
    assert result.report.impression == "No acute disease."
    assert result.report.text == CLEAR
    assert [c.state for c in result.candidates] == ["finished", "finished"]
    assert result.candidates[1].chamfer == 0.0
    assert all(sentence.distance == 0.0 for sentence in result.candidates[1].sentences)
    nearest = result.candidates[1].sentences[-1].nearest
    assert nearest is not None
    assert (nearest.text, nearest.count) == ("No acute disease.", 2)


async def test_a_drifting_candidate_is_stopped_and_its_stream_cancelled(index: Path) -> None:
    client = ScriptedClient(words(CLEAR), words(DRIFTING), lockstep=True)
    result = await decoder(client, index, prune="margin:0.02").agenerate(k=2)
    pruned = result.candidates[1]
    assert pruned.state == "pruned"
    assert pruned.ended is not None
    assert "more than 0.02 above candidate 0" in pruned.ended
    assert client.streams[1].cancels >= 1
    assert pruned.tokens.value is not None
    assert pruned.tokens.value < len(words(DRIFTING))
    assert result.ledger.rows[1].observed == pruned.tokens


async def test_every_step_is_an_event_and_the_result_is_the_last(index: Path) -> None:
    client = ScriptedClient(words(CLEAR), words(DRIFTING), lockstep=True)
    events: list[Event] = [e async for e in decoder(client, index).stream(k=2)]
    kinds = [type(event) for event in events]
    assert kinds[:2] == [CandidateLaunched, CandidateLaunched]
    assert kinds[-2:] == [Decision, Result]
    assert {TokenDelta, SentenceClosed, DistanceUpdated, CandidatePruned, CandidateFinished} <= set(
        kinds
    )
    text = "".join(e.text for e in events if isinstance(e, TokenDelta) and e.candidate == 0)
    assert text == CLEAR


async def test_a_result_is_the_same_bytes_every_time(index: Path) -> None:
    def once() -> Any:
        client = ScriptedClient(words(CLEAR), words(DRIFTING), words(CLEAR), lockstep=True)
        return decoder(client, index, select="random").agenerate(k=3, seed=5)

    assert (await once()).to_json() == (await once()).to_json()


@pytest.mark.parametrize(
    ("script", "word"),
    [
        ([*words(CLEAR), Finish("length")], "truncated"),
        ([*words(CLEAR), Finish("content_filter", "SAFETY")], "filtered"),
        ([*words(CLEAR), Finish("refusal")], "refused"),
        ([*words(CLEAR), StreamError("the line went dead")], "failed: .*the line went dead"),
        ([*words(CLEAR), RuntimeError("a defect")], "failed: .*a defect"),
        ([], "empty"),
        (["I'm sorry, I can't assist with that."], "refused"),
    ],
)
async def test_an_invalid_candidate_never_wins_nor_harms_the_others(
    index: Path, script: list[Step], word: str
) -> None:
    client = ScriptedClient(script, words(DRIFTING))
    result = await decoder(client, index, prune="none").agenerate(k=2)
    assert result.winner == 1
    assert result.valid
    assert result.candidates[0].state == "invalid"
    assert result.candidates[0].ended is not None
    assert re.match(word, result.candidates[0].ended)


async def test_when_nothing_is_valid_the_best_is_taken_and_said_so(index: Path) -> None:
    cut = [*words(CLEAR), Finish("length")]
    client = ScriptedClient([*words(DRIFTING), Finish("length")], cut, [Finish("refusal")])
    result = await decoder(client, index, prune="none").agenerate(k=3)
    assert result.winner == 1
    assert not result.valid
    assert "no candidate is valid" in result.warnings[0]


async def test_when_nothing_was_written_the_reasons_are_told(index: Path) -> None:
    client = ScriptedClient([StreamError("cannot reach the server")], [])
    with pytest.raises(DecodeError, match=r"cannot reach the server.*no sentence was written"):
        await decoder(client, index).agenerate(k=2)


async def test_a_silent_stream_times_out_and_the_others_go_on(index: Path) -> None:
    client = ScriptedClient(["Findings:", asyncio.Event()], words(CLEAR))
    silent = decoder(client, index, timeouts=Timeouts(piece=0.05))
    result = await silent.agenerate(k=2)
    assert result.winner == 1
    assert result.candidates[0].ended == "failed: no text arrived for 0.05 s"
    assert client.streams[0].cancels >= 1


async def test_a_decode_that_takes_too_long_gives_what_it_has(index: Path) -> None:
    client = ScriptedClient([*words(CLEAR), asyncio.Event()], words(DRIFTING))
    overdue = decoder(client, index, prune="none", timeouts=Timeouts(total=0.05))
    result = await overdue.agenerate(k=2)
    assert result.winner == 1
    assert "took longer than 0.05 s" in (result.candidates[0].ended or "")
    assert client.streams[0].cancels >= 1


async def test_cancelling_closes_every_stream(index: Path) -> None:
    reached = asyncio.Event()

    class Reached(ScriptedClient):
        def stream(self, request: Any, candidate: int) -> Any:
            if candidate == 2:
                reached.set()
            return super().stream(request, candidate)

    client = Reached(*(["Findings:", asyncio.Event()] for _ in range(3)))
    task = asyncio.create_task(decoder(client, index).agenerate(k=3))
    await reached.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert [stream.cancels for stream in client.streams.values()] == [1, 1, 1]
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_leaving_the_stream_early_closes_every_stream(index: Path) -> None:
    client = ScriptedClient(*(["Findings:", asyncio.Event()] for _ in range(3)))
    async with aclosing(decoder(client, index).stream(k=3)) as events:
        async for event in events:
            if isinstance(event, TokenDelta):
                break
    assert [stream.cancels for stream in client.streams.values()] == [1, 1, 1]
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_the_event_loop_turns_while_the_encoder_works(index: Path) -> None:
    """The encoder's thread waits for the event loop to turn: a blocked loop would never answer."""
    loop = asyncio.get_running_loop()
    turned: list[bool] = []

    class Waiting(FakeEncoder):
        def encode(self, texts: Any) -> Any:
            answer = threading.Event()
            loop.call_soon_threadsafe(answer.set)
            turned.append(answer.wait(10))
            return super().encode(texts)

    client = ScriptedClient(words(DRIFTING), lockstep=True)
    await SDRDecoder(client, index, encoder=Waiting()).agenerate(k=1)
    assert turned
    assert all(turned)


async def test_sentences_that_close_together_are_embedded_in_one_batch(index: Path) -> None:
    batches: list[int] = []

    class Counting(FakeEncoder):
        def encode(self, texts: Any) -> Any:
            batches.append(len(texts))
            return super().encode(texts)

    scripts = [words(f"Findings: Strange sight {name}. Heart size is normal.") for name in "ABCD"]
    client = ScriptedClient(*scripts, lockstep=True)
    await SDRDecoder(client, index, encoder=Counting(), prune="none").agenerate(k=4)
    assert batches == [4]


async def test_corpus_sentences_are_never_embedded(index: Path) -> None:
    class Refusing(FakeEncoder):
        def encode(self, texts: Any) -> Any:
            raise AssertionError(f"embedded {texts}")

    client = ScriptedClient(words(CLEAR), lockstep=True)
    result = await SDRDecoder(client, index, encoder=Refusing()).agenerate(k=1)
    assert result.candidates[0].chamfer == 0.0


async def test_a_sentence_of_the_other_section_is_not_at_zero(index: Path) -> None:
    swapped = "Findings: No acute disease.\nImpression: The lungs are clear."
    client = ScriptedClient(words(swapped), lockstep=True)
    by_section = await decoder(client, index).agenerate(k=1)
    pooled = await decoder(client, index, sections=False).agenerate(k=1)
    assert by_section.candidates[0].chamfer is not None
    assert by_section.candidates[0].chamfer > 0.0
    assert pooled.candidates[0].chamfer == 0.0


async def test_the_providers_count_replaces_ours(index: Path) -> None:
    pieces: list[Step] = [
        Piece("Findings: The lungs are clear.", tokens=None, running_tokens=9),
        Piece(" Heart size is normal.", tokens=None, running_tokens=14),
    ]
    usage = Usage(prompt_tokens=700, output_tokens=15)
    client = ScriptedClient([*pieces, usage, Finish("stop")], [Piece("Findings: Hm.", tokens=None)])
    result = await decoder(client, index, prune="none").agenerate(k=2)
    told, guessed = result.ledger.rows
    assert (told.observed.value, told.observed.provenance) == (15, "reported")
    assert (told.prompt.value, told.prompt.provenance) == (700, "reported")
    assert (guessed.observed.value, guessed.observed.provenance) == (1, "estimated")
    # The prompt is the same for all candidates; nobody told how much of it was cached.
    assert guessed.prompt == Count(700, "estimated")
    assert result.ledger.sum("prompt") == Count(1400, "estimated")
    assert told.cached.value is None
    assert result.ledger.sum("cached").value is None


async def test_staged_launch_sends_no_prompt_that_is_not_needed(index: Path) -> None:
    client = ScriptedClient(words(CLEAR), words(CLEAR), words(CLEAR), lockstep=True)
    result = await decoder(client, index, launch="staged:1,accept=0.01").agenerate(k=3)
    assert len(client.requests) == 1
    assert result.ledger.launched == 1
    assert [row.state for row in result.ledger.rows] == ["finished", "not launched", "not launched"]
    length = len(words(CLEAR))
    assert result.ledger.avoided == Count(2 * length, "estimated")


def test_generate_works_without_and_within_a_running_loop(index: Path) -> None:
    client = ScriptedClient(words(CLEAR), lockstep=True)
    with decoder(client, index) as one:
        outside = one.generate(k=1)

        async def inside() -> Result:
            return one.generate(k=1)

        assert asyncio.run(inside()).to_json() == outside.to_json()


@pytest.mark.parametrize("k", [0, -1])
async def test_k_below_one_is_refused(index: Path, k: int) -> None:
    with pytest.raises(DecodeError, match=f"k is {k}"):
        await decoder(ScriptedClient(), index).agenerate(k=k)


async def test_another_encoder_than_the_indexs_is_refused(index: Path) -> None:
    client = ScriptedClient(words(DRIFTING))
    other = SDRDecoder(client, index, encoder=FakeEncoder(dimension=8))
    with pytest.raises(EncoderMismatchError):
        await other.agenerate(k=1)
    assert client.requests == []


async def test_the_vectors_of_a_set_are_those_of_its_sentences(index: Path) -> None:
    encoder = FakeEncoder()
    measure = SDRDecoder(ScriptedClient(), index, encoder=encoder).measure
    both = measure.embedded_set([("no acute disease", "impression"), ("unheard of", None)])
    expected = encoder.encode(["no acute disease.", "unheard of."])
    np.testing.assert_allclose(both.vectors, expected, atol=1e-6)
    assert both.sections == ("impression", None)
