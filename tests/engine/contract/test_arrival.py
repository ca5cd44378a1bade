"""What arrives from a complete answer."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

import pytest

from clients import Finish, Request, Sampling
from tests.clients.contract.answers import read
from tests.clients.reading import pieces_of
from tests.engine.contract import IN_PROCESS
from tests.engine.contract.case import REQUEST, EngineCase, brief
from tests.engine.contract.faulty_engine import edited, finishing, hollow, part

pytestmark = IN_PROCESS
WORDS = ["Findings: ", "The heart ", "is normal."]


def written(number: int, output: Any, finish: str | None = None) -> Any:
    """The output with a text that is known, and one token."""
    return part(output, text=WORDS[number], token_ids=[number], finish_reason=finish)


async def test_nothing_is_sent_before_the_first_piece_is_asked_for(case: EngineCase) -> None:
    engine, client = case.open()
    async with client:
        await client.check(brief(), 8)
        streams = [client.stream(brief(), candidate) for candidate in range(3)]
        await asyncio.sleep(0)
        assert engine.asked == []
        await read(streams[1])
        assert len(engine.asked) == 1


async def test_the_prompt_and_nothing_else_of_the_study_is_sent(case: EngineCase) -> None:
    request = Request("Tags: normal", study="patient-4711", sampling=Sampling(max_tokens=4))
    engine, client = case.open()
    async with client:
        await read(client.stream(request, 0))
    (asked,) = engine.asked
    text = engine.renderer.tokenizer.decode(asked.prompt["prompt_token_ids"])
    assert "Tags: normal" in text
    assert "patient-4711" not in text + str(asked)


async def test_the_settings_of_the_request_and_the_number_of_the_candidate_arrive(
    case: EngineCase,
) -> None:
    sampling = Sampling(temperature=0.7, top_p=0.9, max_tokens=4, seed=40)
    engine, client = case.open(more_sampling={"top_k": 20, "seed": 1})
    async with client:
        await read(client.stream(Request("Tags: normal", sampling=sampling), 2))
        await read(client.stream(Request("Tags: normal", sampling=Sampling(max_tokens=4)), 2))
    told, untold = (asked.sampling for asked in engine.asked)
    assert (told.temperature, told.top_p, told.max_tokens) == (0.7, 0.9, 4)
    assert (told.top_k, told.seed, untold.seed) == (20, 42, 1)


@pytest.mark.parametrize("shared", [True, False], ids=["with the text", "on its own"])
async def test_a_finish_with_the_last_text_or_on_its_own(case: EngineCase, shared: bool) -> None:
    def edit(number: int, output: Any) -> Iterable[Any]:
        if number < 2:
            return [written(number, output)]
        if shared:
            return [written(number, output, "stop")]
        return [written(number, output), hollow(output, "stop")]

    _, client = case.open(edited(edit))
    async with client:
        stream = client.stream(REQUEST, 0)
        pieces = await pieces_of(stream)
    assert [piece.text for piece in pieces] == WORDS
    assert [(piece.tokens, piece.running_tokens) for piece in pieces] == [(1, 1), (1, 2), (1, 3)]
    assert stream.finish == Finish("stop")
    assert stream.usage.output_tokens == 3
    assert await read(stream) == ""


async def test_an_end_without_any_text_is_an_empty_report(case: EngineCase) -> None:
    _, client = case.open(finishing("stop"))
    async with client:
        stream = client.stream(REQUEST, 0)
        assert await pieces_of(stream) == []
    assert stream.finish == Finish("stop")
    assert stream.usage.output_tokens == 0


@pytest.mark.parametrize(
    ("word", "finish"),
    [
        ("stop", Finish("stop")),
        ("length", Finish("length")),
        ("repetition", Finish("stop", "repetition")),
    ],
)
async def test_the_engine_s_reasons_to_finish(case: EngineCase, word: str, finish: Finish) -> None:
    _, client = case.open(finishing(word, after=2))
    async with client:
        stream = client.stream(REQUEST, 0)
        assert len(await pieces_of(stream)) == 2
    assert stream.finish == finish


async def test_outputs_that_hold_nothing_bring_nothing(case: EngineCase) -> None:
    def edit(number: int, output: Any) -> Iterable[Any]:
        none = part(output)
        none.outputs = []
        nothing = [hollow(output), none]
        return [*nothing, written(number, output), *nothing] + [hollow(output, "stop")] * (
            number == 2
        )

    _, client = case.open(edited(edit))
    async with client:
        stream = client.stream(REQUEST, 0)
        assert [piece.text for piece in await pieces_of(stream)] == WORDS
    assert stream.finish == Finish("stop")
    assert stream.usage.output_tokens == 3


async def test_what_the_engine_does_not_count_is_unknown(case: EngineCase) -> None:
    def edit(number: int, output: Any) -> Iterable[Any]:
        output = written(number, output, "stop" if number == 2 else None)
        output.num_cached_tokens = output.metrics = None
        return [output]

    engine, client = case.open(edited(edit))
    async with client:
        stream = client.stream(REQUEST, 0)
        await read(stream)
    assert stream.usage.cached_tokens is None
    assert stream.usage.prompt_tokens == len(engine.asked[0].prompt["prompt_token_ids"])
    assert stream.usage.output_tokens == 3


async def test_text_without_a_token_and_tokens_without_text_are_pieces(case: EngineCase) -> None:
    def edit(number: int, output: Any) -> Iterable[Any]:
        held_back = part(output, text="", token_ids=[1, 2])
        freed = part(output, text="≈ 肺", token_ids=[])
        return [held_back, freed, hollow(output, "stop")]

    _, client = case.open(edited(edit))
    async with client:
        pieces = await pieces_of(client.stream(REQUEST, 0))
    assert [(piece.text, piece.tokens, piece.running_tokens) for piece in pieces] == [
        ("", 2, 2),
        ("≈ 肺", 0, 2),
    ]


async def test_characters_whose_bytes_are_several_tokens_arrive_whole(case: EngineCase) -> None:
    from vllm.sampling_params import StructuredOutputsParams

    text = "Größe ≈ 1,5 cm, 肺 klar 🫁."
    only = {"structured_outputs": StructuredOutputsParams(choice=[text])}
    engine, client = case.open(more_sampling=only)
    async with client:
        stream = client.stream(REQUEST, 0)
        pieces = await pieces_of(stream)
    assert "".join(piece.text for piece in pieces) == text
    assert stream.finish == Finish("stop")
    bytes_apart = engine.renderer.tokenizer.encode("肺", add_special_tokens=False)
    assert len(bytes_apart) > 1
