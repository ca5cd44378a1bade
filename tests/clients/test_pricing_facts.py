"""Facts and prices: what is built in, and what a user's own files change."""

from __future__ import annotations

import datetime
import sys
from decimal import Decimal
from pathlib import Path

import pytest

from clients.errors import MissingPackageError
from clients.pricing import (
    Prices,
    PricingError,
    load_facts,
    load_prices,
    prices_for,
    provider_and_model,
)

DAY = datetime.date(2026, 11, 30)
OWN = """
[clients]
openai = "house"

[[cancellation]]
provider = ["mistral"]
billing = "stops"
evidence = "measured"
source = "our own invoice"
date = 2026-12-24

[[image_tokens]]
provider = ["house"]
evidence = "measured"
source = "our own server"
date = 2026-12-24
formula = { kind = "fixed", tokens = { high = 77 } }
"""


@pytest.mark.parametrize(
    ("provider", "model", "billing", "certain"),
    [
        ("google", "gemini-2.5-flash-lite", "full", True),
        ("openai", "gpt-4o-mini", "stops", False),
        ("azure", "my-deployment", "stops", False),
        ("mistral", "mistral-small-latest", "unknown", False),
        ("vllm", "any", "stops", True),
        ("aws", "any", "full", True),
        ("openrouter", "openai/gpt-4o-mini", "stops", True),
        ("openrouter", "google/gemini-2.5-flash-lite", "full", True),
        ("openrouter", "somebody/else", "unknown", False),
    ],
)
def test_what_a_cancelled_stream_costs(
    provider: str, model: str, billing: str, certain: bool
) -> None:
    fact = load_facts().cancellation_of(provider, model)
    assert fact is not None
    assert (fact.billing, fact.certain) == (billing, certain)
    assert fact.source.startswith(("https://", "vLLM"))


def test_nothing_is_known_of_a_stranger() -> None:
    facts = load_facts()
    assert facts.cancellation_of("stranger", "m") is None
    assert facts.prompt_cache_of("stranger", "m") is None
    assert facts.choices_of("stranger", "m") is None
    assert facts.end_of("openai", "m") is None


@pytest.mark.parametrize(
    ("provider", "model", "prompt", "cached"),
    [
        ("openai", "gpt-4o-mini", 1023, 0),
        ("openai", "gpt-4o-mini", 1024, 1024),
        ("openai", "gpt-4o-mini", 25_801, 25_728),
        ("google", "gemini-2.5-flash-lite", 2047, 0),
        ("google", "gemini-2.5-flash-lite", 2049, 2049),
        ("mistral", "mistral-small-latest", 130, 128),
    ],
)
def test_how_much_of_a_repeated_prompt_is_cached(
    provider: str, model: str, prompt: int, cached: int
) -> None:
    cache = load_facts().prompt_cache_of(provider, model)
    assert cache is not None
    assert cache.cacheable(prompt) == cached


def test_a_user_s_facts_come_first(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(OWN)
    facts = load_facts(path)
    changed = facts.cancellation_of("mistral", "mistral-small-latest")
    kept = facts.cancellation_of("google", "gemini-2.5-flash-lite")
    assert changed is not None
    assert changed.told == "measured, 2026-12-24: our own invoice"
    assert kept is not None
    assert kept.billing == "full"
    own = facts.image_tokens_of("house", "m")
    assert own is not None
    assert own.formula.tokens(10, 10) == 77
    assert provider_and_model("openai:m", facts) == ("house", "m")
    assert provider_and_model("gemini:m", facts) == ("google", "m")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("clients = [", "is not TOML"),
        ("[prices]\n", "cannot be used: prices: extra inputs are not permitted"),
        (OWN.replace('"stops"', '"sometimes"'), r"cancellation\.0\.billing: input should be"),
        (OWN.replace('source = "our own invoice"', ""), r"cancellation\.0\.source: field required"),
        (OWN.replace('"fixed"', '"guess"'), r"image_tokens\.0\.formula"),
    ],
)
def test_a_bad_facts_file_is_one_sentence(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(text)
    with pytest.raises(PricingError, match=message) as caught:
        load_facts(path)
    assert "\n" not in str(caught.value)


def test_missing_and_binary_facts_files(tmp_path: Path) -> None:
    with pytest.raises(PricingError, match="cannot be read: No such file"):
        load_facts(tmp_path / "none.toml")
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(PricingError, match="not UTF-8"):
        load_facts(tmp_path / "binary.toml")


@pytest.mark.parametrize(
    ("provider", "model", "prices"),
    [
        ("openai", "gpt-4o-mini", ("0.15", "0.075", "0.6")),
        ("openai", "gpt-5-mini", ("0.25", "0.025", "2")),
        ("google", "gemini-2.5-flash-lite", ("0.1", "0.01", "0.4")),
        ("mistral", "mistral-small-2603", ("0.15", "0.015", "0.6")),
        ("azure", "gpt-4o-mini", ("0.15", "0.075", "0.6")),
    ],
)
def test_prices_of_a_day(provider: str, model: str, prices: tuple[str, str, str]) -> None:
    found = prices_for(provider, model, DAY)
    assert found is not None
    assert (found.input, found.cached, found.output) == tuple(map(Decimal, prices))
    assert found.source.startswith("genai-prices ")
    assert found.date == DAY


def test_prices_change_with_the_date() -> None:
    before = prices_for("mistral", "mistral-small-latest", datetime.date(2026, 3, 15))
    after = prices_for("mistral", "mistral-small-latest", datetime.date(2026, 3, 16))
    assert before is not None
    assert after is not None
    assert (before.output, before.cached) == (Decimal("0.3"), None)
    assert (after.output, after.cached) == (Decimal("0.6"), Decimal("0.015"))


def test_the_first_tier_and_the_cache_write_price() -> None:
    found = prices_for("openai", "gpt-6-luna", DAY)
    assert found is not None
    assert (found.input, found.cache_write) == (Decimal("0.1"), Decimal("0.125"))


@pytest.mark.parametrize(
    ("provider", "model"), [("openai", "a-model-of-tomorrow"), ("stranger", "gpt-4o-mini")]
)
def test_unknown_prices_are_none(provider: str, model: str) -> None:
    assert prices_for(provider, model, DAY) is None


def test_without_genai_prices_the_install_line_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "genai_prices.data_snapshot", None)
    with pytest.raises(MissingPackageError, match="pip install genai-prices"):
        prices_for("openai", "gpt-4o-mini", DAY)


def test_prices_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "prices.json"
    path.write_text('{"input": 0.1, "output": "0.3", "date": "2026-12-24"}')
    assert load_prices(path) == Prices(
        Decimal("0.1"), Decimal("0.3"), source=str(path), date=datetime.date(2026, 12, 24)
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"input": 0.1}', "output: field required"),
        ('{"input": -1, "output": 1}', "input: input should be greater than or equal to 0"),
        ('{"input": "NaN", "output": 1}', "input: "),
        ('{"input": 1, "output": 1, "ouput": 1}', "ouput: extra inputs"),
        ("{", "the file: invalid JSON"),
    ],
)
def test_a_bad_prices_file_is_one_sentence(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "prices.json"
    path.write_text(text)
    with pytest.raises(PricingError, match=message) as caught:
        load_prices(path)
    assert "\n" not in str(caught.value)


def test_a_missing_prices_file(tmp_path: Path) -> None:
    with pytest.raises(PricingError, match="cannot be read: No such file"):
        load_prices(tmp_path / "none.json")


@pytest.mark.parametrize(
    ("client", "expected"),
    [
        ("openai:gpt-4o-mini", ("openai", "gpt-4o-mini")),
        ("gemini:gemini-2.5-flash-lite", ("google", "gemini-2.5-flash-lite")),
        ("mistral:mistral-small-latest", ("mistral", "mistral-small-latest")),
        ("vllm-server:m,base_url=http://127.0.0.1:8000/v1", ("vllm", "m")),
        ("vllm:some/model", ("vllm", "some/model")),
        ("openai:m,base_url=https://openrouter.ai/api/v1", ("openrouter", "m")),
        ("openai:m,base_url=https://x.openai.azure.com/openai/v1", ("azure", "m")),
        ("openai:m,base_url=http://me:secret@gpu7.example:8000/v1", ("gpu7.example", "m")),
        ("openai:m,base_url=secret", ("an unknown server", "m")),
    ],
)
def test_who_bills(client: str, expected: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    assert provider_and_model(client) == expected


def test_the_environment_s_base_url_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "https://openrouter.ai/api/v1")
    assert provider_and_model("openai:m") == ("openrouter", "m")
    assert provider_and_model("mistral:m") == ("mistral", "m")


@pytest.mark.parametrize("client", ["demo", "recorded:file.jsonl", "openai"])
def test_a_client_that_cannot_be_planned(client: str) -> None:
    with pytest.raises(PricingError):
        provider_and_model(client)
