"""The launch plan that asks in the cheapest way."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from clients import Client, Image
from clients.errors import SpecError
from sdr_decode import SDRDecoder
from sdr_decode.launch import launch_plans
from sdr_decode.launch.auto import Auto
from sdr_decode.result import Result
from tests.fake_encoder import FakeEncoder
from tests.scripted_client import ScriptedClient, words

CLEAR = "Findings: The lungs are clear. Heart size is normal.\nImpression: No acute disease."
IMAGE = Image(b"\x89PNG", "image/png", 1024, 1024, "0" * 64)


@pytest.fixture(autouse=True)
def no_base_url(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


async def decoded(client: ScriptedClient, index: Path, name: str, **options: Any) -> Result:
    client.name = name
    options.setdefault("launch", "auto")
    one = SDRDecoder(client, index, encoder=FakeEncoder(), **options)
    return await one.agenerate([IMAGE], k=4)


def four() -> ScriptedClient:
    return ScriptedClient(*[words(CLEAR)] * 4, lockstep=True)


async def test_a_dear_image_is_sent_once(index: Path) -> None:
    client = four()
    result = await decoded(client, index, "openai:gpt-4o-mini")
    assert result.settings["launch"] == "auto -> shared"
    assert len(client.requests) == 1
    assert result.warnings == ()


async def test_where_n_is_refused_a_staged_launch_is_cheapest(index: Path) -> None:
    client = four()
    result = await decoded(client, index, "gemini:gemini-2.5-flash-lite")
    assert result.settings["launch"] == "auto -> staged:1,accept=0.03"
    assert result.ledger.launched == len(client.requests) == 1


async def test_an_engine_of_ones_own_needs_no_price(index: Path) -> None:
    result = await decoded(four(), index, "vllm:some/model")
    assert result.settings["launch"].startswith("auto -> staged:1")


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("scripted", "a plan is for one of gemini, mistral, openai"),
        ("openai:tomorrow", "how many tokens an image takes with tomorrow at openai is not known"),
        ("openai:gpt-4o-mini,base_url=http://gpu7:8000/v1", "is not known"),
    ],
)
async def test_without_a_price_all_start_in_parallel_and_the_result_says_why(
    index: Path, name: str, why: str
) -> None:
    client = four()
    result = await decoded(client, index, name)
    assert result.settings["launch"] == "auto -> parallel"
    assert len(client.requests) == 4
    assert result.warnings[0].startswith("the launch plan auto started all in parallel: ")
    assert why in result.warnings[0]


async def test_a_client_that_cannot_share_is_not_asked_to(index: Path) -> None:
    class Alone(ScriptedClient):
        can_share = False
        shared = Client.shared

    client = Alone(*[words(CLEAR)] * 4, lockstep=True)
    result = await decoded(client, index, "openai:gpt-4o-mini")
    assert result.settings["launch"] == "auto -> parallel"
    assert "streams one candidate a request" in result.warnings[0]


async def test_what_is_expected_can_be_told(index: Path) -> None:
    told = launch_plans.make("auto:tokens=2000,pruned=0,launches=1")
    assert told == Auto(2000.0, 0.0, 1.0)
    # With long reports and one expected launch, a staged launch costs less than n=4.
    result = await decoded(four(), index, "openai:gpt-4o-mini", launch=told)
    assert result.settings["launch"].endswith(" -> staged:1,accept=0.03")


async def test_more_launches_than_candidates_are_as_many_as_there_are(index: Path) -> None:
    result = await decoded(four(), index, "openai:gpt-4o-mini", launch="auto:launches=7")
    assert result.settings["launch"] == "auto:launches=7 -> shared"


@pytest.mark.parametrize(
    "spec", ["auto:3", "auto:tokens=0", "auto:pruned=2", "auto:launches=0.5", "auto:price=1"]
)
def test_expectations_that_cannot_be_used_are_refused(spec: str) -> None:
    with pytest.raises(SpecError):
        launch_plans.make(spec)
