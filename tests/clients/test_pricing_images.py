"""Image tokens: the counts that providers publish, and rules that hold for every size."""

from __future__ import annotations

import datetime
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clients.pricing import PricingError, load_facts
from clients.pricing.image_tokens import Crops, Fixed, ImageFormula, Patches, Rows, Tiles

MODELS = [
    ("openai", "gpt-4o-mini"),
    ("openai", "gpt-4o"),
    ("openai", "gpt-5-mini"),
    ("openai", "gpt-6-luna"),
    ("google", "gemini-2.5-flash-lite"),
    ("google", "gemini-3.5-flash-lite"),
    ("mistral", "mistral-small-latest"),
]
sides = st.integers(1, 20_000)


def formula(provider: str, model: str) -> ImageFormula:
    rule = load_facts().image_tokens_of(provider, model)
    assert rule is not None
    return rule.formula


@pytest.mark.parametrize(
    ("provider", "model", "size", "detail", "tokens"),
    [
        ("openai", "gpt-4o-mini", (1024, 1024), "high", 25_501),
        ("openai", "gpt-4o-mini-2024-07-18", (1024, 1024), "auto", 25_501),
        ("openai", "gpt-4o-mini", (1024, 1024), "low", 2_833),
        ("azure", "gpt-4o-mini", (1024, 1024), "high", 25_501),
        ("openrouter", "openai/gpt-4o-mini", (1024, 1024), "high", 25_501),
        # The examples of OpenAI's guide: two tiles by three, and a low detail of any size.
        ("openai", "gpt-4o", (2048, 4096), "high", 1_105),
        ("openai", "gpt-4o", (1024, 1024), "high", 765),
        ("openai", "gpt-4o", (4096, 8192), "low", 85),
        ("openai", "gpt-5-mini", (1024, 1024), "high", 1_659),
        # The guide's 1,452 patches, times 1.62.
        ("openai", "gpt-5-mini", (1800, 2400), "high", math.ceil(1452 * 1.62)),
        ("openai", "gpt-5-mini", (1024, 1024), "low", math.ceil(256 * 1.62)),
        ("openai", "gpt-6-luna", (1024, 1024), "high", 1_229),
        ("openai", "gpt-6-luna", (640, 480), "low", 231),
        ("google", "gemini-2.5-flash-lite", (1024, 1024), "high", 1_032),
        ("google", "gemini-2.5-flash-lite", (384, 384), "high", 258),
        ("google", "gemini-2.5-flash-lite", (960, 540), "high", 6 * 258),
        ("google", "gemini-2.5-flash-lite", (2048, 2048), "high", 9 * 258),
        ("google", "gemini-2.5-flash-lite", (1024, 1024), "low", 64),
        ("google", "gemini-3.5-flash-lite", (1024, 1024), "high", 1_120),
        ("google", "gemini-3.5-flash-lite", (9, 9), "low", 280),
        ("mistral", "mistral-small-latest", (1024, 1024), "high", 1_406),
        ("mistral", "mistral-small-2603", (1540, 1540), "high", 56 * 55),
        ("mistral", "mistral-small-2603", (3080, 3080), "high", 56 * 55),
    ],
)
def test_published_counts(
    provider: str, model: str, size: tuple[int, int], detail: str, tokens: int
) -> None:
    assert formula(provider, model).tokens(*size, detail) == tokens


@pytest.mark.parametrize("model", MODELS)
@given(width=sides, height=sides)
@settings(max_examples=100)
def test_a_turned_image_costs_the_same_up_to_its_row_ends(
    model: tuple[str, str], width: int, height: int
) -> None:
    counted = formula(*model)
    upright, turned = counted.tokens(width, height), counted.tokens(height, width)
    assert upright > 0
    if isinstance(counted, Rows):
        rows = 1 + counted.side // counted.cell
        assert abs(upright - turned) <= rows
    else:
        assert upright == turned


@given(width=sides, height=sides)
@settings(max_examples=200)
def test_no_image_exceeds_the_provider_s_limit(width: int, height: int) -> None:
    tiles, patches = formula("openai", "gpt-4o-mini"), formula("openai", "gpt-5-mini")
    rows = formula("mistral", "mistral-small-latest")
    # 2,048 pixels by 768 at most: four tiles by two.
    assert tiles.tokens(width, height) <= 2833 + 8 * 5667
    assert patches.tokens(width, height) <= math.ceil(1536 * 1.62)
    assert rows.tokens(width, height) <= 56 * 55


@given(width=st.integers(1, 1024), height=st.integers(1, 1024))
@settings(max_examples=100)
def test_small_images_are_counted_patch_by_patch(width: int, height: int) -> None:
    plain = Patches.model_validate(
        {"kind": "patches", "multiplier": 1, "details": {"high": {"patches": 1536}}}
    )
    assert plain.tokens(width, height) == math.ceil(width / 32) * math.ceil(height / 32)


def test_the_settings_of_detail_are_told() -> None:
    assert formula("google", "gemini-2.5-flash-lite").details == ("low", "medium", "high")
    with pytest.raises(PricingError, match=r"found the detail 'ultra'; this model knows low, high"):
        formula("openai", "gpt-4o-mini").tokens(8, 8, "ultra")
    with pytest.raises(PricingError, match="0x8"):
        formula("openai", "gpt-4o-mini").tokens(0, 8)


def test_a_model_that_nobody_knows_has_no_formula() -> None:
    assert load_facts().image_tokens_of("openai", "a-model-of-tomorrow") is None


def test_every_kind_of_formula_is_used() -> None:
    used = {type(rule.formula) for rule in load_facts().image_tokens}
    assert used == {Tiles, Patches, Crops, Rows, Fixed}


def test_every_fact_is_sourced_and_not_from_the_future() -> None:
    facts = load_facts()
    rules = [
        *facts.cancellation,
        *facts.prompt_cache,
        *facts.choices,
        *facts.image_tokens,
        *facts.model_end,
    ]
    today = datetime.datetime.now(datetime.UTC).date()
    assert all(
        rule.source and rule.date <= max(today, datetime.date(2026, 11, 30)) for rule in rules
    )
