"""What the decoder says when it decodes otherwise than its policy was calibrated."""

from __future__ import annotations

import logging
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from clients.recorded import RecordedClient
from index_build import build
from index_build.report import CorpusReport
from sdr_decode import SDRDecoder
from sdr_decode.selection import selectors
from tests.fake_encoder import FakeEncoder
from tests.scripted_client import ScriptedClient, words
from tests.sdr_decode.calibration.made import CLEAR, ODD, calibration, record, write

Warned = tuple[str, ...]


async def warnings(
    index: Path,
    tmp_path: Path,
    *,
    client: Any = None,
    k: int = 2,
    options: Any = None,
    changed: Any = None,
) -> Warned:
    file = write(tmp_path / "calibration.json", calibration(index, **(changed or {})))
    client = client or ScriptedClient(words(CLEAR), words(ODD), words(ODD))
    settings: dict[str, Any] = {
        "index": index,
        "encoder": FakeEncoder(),
        "select": "corpus",
        **(options or {}),
    }
    async with SDRDecoder(client, prune=f"calibrated:{file}", **settings) as decoder:
        return (await decoder.agenerate(k=k)).warnings


async def test_a_decode_like_the_calibration_is_warned_of_nothing(
    index: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    assert await warnings(index, tmp_path) == ()
    selector = selectors.make("corpus")
    assert await warnings(index, tmp_path, options={"select": selector}) == ()
    assert not caplog.records


@pytest.mark.parametrize(
    ("arguments", "difference"),
    [
        ({"k": 3}, "K is 3, not 2"),
        (
            {"client": ScriptedClient(words(CLEAR), words(ODD)), "changed": {"client": "openai:x"}},
            "the client is scripted, not openai:x",
        ),
        ({"options": {"select": "corpus-hausdorff"}}, "the selector is not corpus"),
        (
            {"changed": {"select": "blend:0.5"}, "options": {"select": "blend:0.6"}},
            "the selector is not blend:0.5",
        ),
        ({"options": {"launch": "staged:1"}}, "the launch plan is not parallel"),
        ({"options": {"max_tokens": 64}}, "at most 64 tokens, not 512"),
        ({"options": {"sections": False}}, "sections do not count"),
    ],
)
async def test_every_difference_is_named_in_the_result_and_in_the_log(
    index: Path,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    arguments: dict[str, Any],
    difference: str,
) -> None:
    with caplog.at_level(logging.WARNING):
        found = await warnings(index, tmp_path, **arguments)
    assert len(found) == 1
    assert "its promise does not hold here" in found[0]
    assert found[0].endswith(difference)
    assert [record.message for record in caplog.records] == list(found)


async def test_another_index_and_another_encoder_are_named(index: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.sdr"
    encoder = FakeEncoder(name="another")
    build([CorpusReport("1", "The lungs are clear.", "Stable.")], other, encoder=encoder)
    found = await warnings(index, tmp_path, options={"index": other, "encoder": encoder})
    assert "the index is other.sdr" in found[0]
    assert "the encoder is another" in found[0]
    assert ", not fake" in found[0]


async def test_an_index_that_was_built_again_alike_is_the_same(index: Path, tmp_path: Path) -> None:
    moved = tmp_path / "moved.sdr"
    moved.symlink_to(index)
    assert await warnings(index, tmp_path, options={"index": moved}) == ()


async def test_several_differences_make_one_sentence(index: Path, tmp_path: Path) -> None:
    found = await warnings(index, tmp_path, k=3, options={"max_tokens": 64})
    assert len(found) == 1
    assert "K is 3, not 2; a candidate has at most 64 tokens" in found[0]


async def test_a_replayed_client_is_what_it_recorded(index: Path, tmp_path: Path) -> None:
    told = RecordedClient(record(tmp_path / "told.jsonl", 1, source="scripted"))
    assert await warnings(index, tmp_path, client=told) == ()
    other = RecordedClient(record(tmp_path / "other.jsonl", 1, source="openai:x"))
    (found,) = await warnings(index, tmp_path, client=other)
    assert found.endswith("the client is openai:x, not scripted")


async def test_an_unknown_client_is_not_called_another(index: Path, tmp_path: Path) -> None:
    untold = RecordedClient(record(tmp_path / "untold.jsonl", 1, source=None))
    assert await warnings(index, tmp_path, client=untold) == ()
    path = write(tmp_path / "unknown.json", calibration(index, client=None))
    client = ScriptedClient(words(CLEAR), words(ODD))
    async with SDRDecoder(
        client, index, encoder=FakeEncoder(), prune=f"calibrated:{path}", select="corpus"
    ) as decoder:
        assert (await decoder.agenerate(k=2)).warnings == ()


async def test_the_calibrated_policy_prunes_as_the_chosen_one(index: Path, tmp_path: Path) -> None:
    file = write(tmp_path / "calibration.json", calibration(index))
    results = []
    for prune in (f"calibrated:{file}", "margin:0.02,warmup=1"):
        client = ScriptedClient(words(CLEAR), words(ODD), lockstep=True)
        async with SDRDecoder(
            client, index, encoder=FakeEncoder(), prune=prune, select="corpus"
        ) as decoder:
            results.append(await decoder.agenerate(k=2))
    calibrated, plain = results
    assert replace(calibrated, settings={}) == replace(plain, settings={})
    assert [candidate.state for candidate in plain.candidates] == ["finished", "pruned"]
