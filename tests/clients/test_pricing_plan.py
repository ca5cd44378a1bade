"""The plan: the published table, what is cheapest, and what is said about pruning."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clients.pricing import Plan, Prices, PricingError, plan

DAY = datetime.date(2026, 11, 30)
FREE_OF_LOOKUPS = Prices(Decimal("0.15"), Decimal("0.60"), Decimal("0.075"))


def make(provider: str, model: str, **more: Any) -> Plan:
    wanted: dict[str, Any] = {
        "images": [(1024, 1024)],
        "prompt_tokens": 300,
        "k": 8,
        "expected_tokens": 120,
        "expected_pruned": 0.5,
        "date": DAY,
    }
    return plan(provider=provider, model=model, **{**wanted, **more})


def dollars(made: Plan) -> dict[str, tuple[float, float]]:
    found = {}
    for one in made.strategies:
        assert one.dollars.low is not None
        assert one.dollars.high is not None
        found[one.name] = (float(one.dollars.low), float(one.dollars.high))
    return found


def said(made: Plan) -> str:
    return " ".join(made.remarks)


def test_the_published_dollars_of_gpt_4o_mini_with_high_detail() -> None:
    made = make("openai", "gpt-4o-mini")
    found = dollars(made)
    assert made.image_tokens == 25_501
    assert found["8 streams"] == pytest.approx((31.54, 31.54), rel=0.01)
    assert found["one request, n=8"] == pytest.approx((4.45, 4.45), rel=0.01)
    # Low, because the table counts on billing to stop at the cut; high, if it does not.
    assert found["8 pruned streams"] == pytest.approx((31.25, 31.54), rel=0.01)
    assert found["warm cache, then prune"] == pytest.approx((17.74, 18.03), rel=0.01)
    assert made.cheapest is not None
    assert (made.cheapest.name, made.cheapest.launch) == ("one request, n=8", "shared")


def test_the_published_dollars_to_the_cent() -> None:
    """The cache gives back whole steps of 128 tokens: without them it would be 17.70."""
    found = dollars(make("openai", "gpt-4o-mini"))
    assert [round(low, 2) for low, _ in found.values()][:4] == [31.54, 31.25, 4.45, 17.74]


def test_the_published_dollars_of_gemini_flash_lite() -> None:
    made = make("google", "gemini-2.5-flash-lite")
    found = dollars(made)
    assert made.image_tokens == 1_032
    assert found["8 streams"] == pytest.approx((1.45, 1.45), rel=0.01)
    assert found["one request, n=8"] == pytest.approx((0.52, 0.52), rel=0.01)
    assert found["8 pruned streams"] == found["8 streams"]
    assert found["warm cache, then prune"] == found["8 streams"]


def test_on_gemini_pruning_saves_no_money_and_the_plan_says_so() -> None:
    made = make("google", "gemini-2.5-flash-lite")
    assert "Pruning saves no money here" in said(made)
    assert "documented" in said(made)
    refused = next(one for one in made.strategies if one.launch == "shared")
    assert refused.unavailable == "n above 1 only without streaming"
    # Prompts that are never sent are the only saving left.
    assert made.cheapest is not None
    assert made.cheapest.name == "staged launch"


def test_where_the_image_is_the_bill_the_plan_says_that_pruning_hardly_pays() -> None:
    assert "Pruning hardly pays: of 8 streams it saves at most $0.29 of $31.54 (0.9%)" in said(
        make("openai", "gpt-4o-mini")
    )
    assert "Pruning pays" in said(make("openai", "gpt-5-mini", expected_tokens=600))


def test_an_unknown_cancellation_is_a_range_and_is_told() -> None:
    made = make("mistral", "mistral-small-latest")
    low, high = dollars(made)["8 pruned streams"]
    assert low < high == pytest.approx(dollars(made)["8 streams"][1])
    assert "Whether mistral stops billing a cancelled request is not known" in said(made)


def test_on_an_engine_of_one_s_own_the_saving_is_the_output() -> None:
    made = make("vllm", "some/model", image_tokens=576)
    assert made.prices is None
    assert all(one.dollars == (None, None) for one in made.strategies)
    output = {one.name: one.tokens.output for one in made.strategies}
    assert (output["8 streams"], output["8 pruned streams"]) == (960, 480)
    assert "480 of 960 output tokens per image" in said(made)
    assert made.cheapest is not None
    assert made.cheapest.launch == "staged:1,accept=0.03"
    assert "No prices are known" not in said(made)


def test_an_unknown_model_still_gives_tokens() -> None:
    made = make("openai", "a-model-of-tomorrow", images=[])
    assert made.prices is None
    assert made.cheapest is None
    first = made.strategies[0]
    assert (first.tokens.input, first.tokens.output) == (2_400, 960)
    assert first.dollars == (None, None)
    assert "No prices are known for a-model-of-tomorrow at openai on 2026-11-30" in said(made)


def test_unknown_image_tokens_stay_unknown_until_they_are_given() -> None:
    unknown = make("openai", "a-model-of-tomorrow", prices=FREE_OF_LOOKUPS)
    assert unknown.image_tokens is None
    assert unknown.strategies[0].tokens.input is None
    assert unknown.cheapest is None
    assert "How many tokens an image takes" in said(unknown)
    told = make("openai", "a-model-of-tomorrow", prices=FREE_OF_LOOKUPS, image_tokens=25_501)
    assert dollars(told) == dollars(make("openai", "gpt-4o-mini"))


def test_low_detail_changes_what_is_cheapest() -> None:
    made = make("openai", "gpt-4o-mini", detail="low")
    assert made.image_tokens == 2_833
    assert made.cheapest is not None
    assert made.cheapest.name == "staged launch"


def test_several_images_add_up() -> None:
    made = make("openai", "gpt-4o-mini", images=[(1024, 1024), (512, 512)])
    assert made.image_tokens == 25_501 + 2_833 + 5_667
    assert made.per_thousand == "1,000 studies"


def test_a_cache_that_writes_costs_more_to_fill() -> None:
    made = make("openai", "gpt-6-luna")
    streams, warm = made.strategies[0], made.strategies[3]
    assert streams.tokens.written == streams.tokens.input
    assert warm.tokens.written == 1_529
    assert warm.tokens.cached == 7 * 1_529


def test_a_prompt_below_the_cache_s_minimum_is_not_cached() -> None:
    warm = make("google", "gemini-2.5-flash-lite").strategies[3]
    assert warm.tokens.cached == 0
    assert warm.note == "not cached: the prompt is below 2,048 tokens"


@pytest.mark.parametrize(
    ("provider", "model", "k", "reason"),
    [
        ("openai", "gpt-4o-mini", 129, "n is at most 128"),
        ("google", "gemini-3.5-flash-lite", 2, "n above 1 is refused"),
        ("stranger", "m", 2, "not known whether n is supported"),
        ("stranger", "m", 1, None),
        ("mistral", "mistral-small-latest", 8, None),
    ],
)
def test_where_one_request_for_all_is_possible(
    provider: str, model: str, k: int, reason: str | None
) -> None:
    shared = next(one for one in make(provider, model, k=k).strategies if one.launch == "shared")
    assert shared.unavailable == reason
    assert shared.available is (reason is None)


@pytest.mark.parametrize(
    ("model", "date", "words"),
    [
        ("gpt-5-mini", datetime.date(2026, 10, 11), None),
        ("gpt-5-mini", datetime.date(2026, 10, 12), "shut down on 2026-12-11, in 60 days"),
        ("gpt-5-mini", datetime.date(2026, 12, 11), "ended on 2026-12-11"),
        ("gpt-4o-mini", DAY, "shut down on 2027-01-14, in 45 days"),
        ("gpt-4o-mini-2024-07-18", datetime.date(2027, 2, 1), "ended on 2027-01-14"),
    ],
)
def test_the_end_of_a_model_is_announced(
    model: str, date: datetime.date, words: str | None
) -> None:
    text = said(make("openai", model, date=date))
    if words is None:
        assert "Warning" not in text
    else:
        assert words in text


def test_expected_launches_are_an_assumption_until_given() -> None:
    assumed = make("openai", "gpt-4o-mini")
    assert assumed.strategies[-1].requests == Decimal("2.4")
    assert "2.4 of 8 prompts is an assumption" in said(assumed)
    given_ = make("openai", "gpt-4o-mini", expected_launches=3)
    assert given_.strategies[-1].requests == 3
    assert "assumption" not in said(given_)
    assert make("openai", "gpt-4o-mini", k=2).strategies[-1].requests == 2


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"k": 0}, "found k = 0; expected at least 1"),
        ({"prompt_tokens": -1}, "prompt tokens"),
        ({"expected_tokens": 0}, "expected tokens"),
        ({"expected_tokens": float("nan")}, "expected tokens"),
        ({"expected_pruned": 1.1}, "expected pruned = 1.1; expected a share from 0 to 1"),
        ({"expected_launches": 9}, "expected launches = 9; expected from 1 to k = 8"),
        ({"image_tokens": -1}, "image tokens"),
        ({"images": [(0, 3)]}, "0x3"),
        ({"detail": "most"}, "'most'"),
    ],
)
def test_numbers_out_of_range(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(PricingError, match=message):
        make("openai", "gpt-4o-mini", **wrong)


@given(
    k=st.integers(1, 64),
    tokens=st.integers(1, 4_000),
    pruned=st.decimals(0, 1, places=3),
    share=st.decimals(0, 1, places=3),
    images=st.integers(0, 60_000),
    provider=st.sampled_from(["openai", "google", "mistral", "stranger"]),
)
@settings(max_examples=150)
def test_what_holds_for_every_plan(
    *, k: int, tokens: int, pruned: Decimal, share: Decimal, images: int, provider: str
) -> None:
    made = make(
        provider,
        "m",
        k=k,
        expected_tokens=tokens,
        expected_pruned=pruned,
        expected_launches=1 + share * (k - 1),
        image_tokens=images,
        prices=FREE_OF_LOOKUPS,
    )
    streams, cut, shared, warm, staged = made.strategies
    bounds = dollars(made)
    assert all(low <= high for low, high in bounds.values())
    # Nothing that is asked for costs more than K full streams, and nothing saves what it bills.
    assert all(high <= bounds[streams.name][1] * (1 + 1e-12) for _, high in bounds.values())
    assert bounds[warm.name][1] <= bounds[cut.name][1]
    assert bounds[shared.name][0] <= bounds[streams.name][0]
    assert staged.requests <= k
    assert made.cheapest is not None
    assert made.cheapest.available
    assert made.cheapest.dollars.high == min(
        one.dollars.high
        for one in made.strategies
        if one.available and one.dollars.high is not None
    )
    assert made.remarks
