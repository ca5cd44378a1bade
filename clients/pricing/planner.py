"""Compares the ways of asking for K candidates before a call is made."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from clients.pricing.bill import bill
from clients.pricing.errors import PricingError
from clients.pricing.facts import Cancellation, Facts, ModelEnd, load_facts
from clients.pricing.image_tokens import AUTO
from clients.pricing.prices import Prices, prices_for
from clients.pricing.remarks import remarks
from clients.pricing.strategies import Demand, Strategy, strategies

PER_STUDIES = 1_000


@dataclass(frozen=True, slots=True)
class Plan:
    """Every strategy, and the cheapest that is available.

    ``image_tokens`` are those of all images together; it and ``prices`` are ``None`` when
    unknown, and then so are dollars and, except on an engine of one's own, ``cheapest``.
    ``remarks`` are sentences for people: what pays, what is assumed, what is not known.
    """

    provider: str
    model: str
    date: datetime.date
    images: tuple[tuple[int, int], ...]
    detail: str
    prompt_tokens: int
    image_tokens: int | None
    demand: Demand
    own_engine: bool
    assumed_launches: str | None
    prices: Prices | None
    cancellation: Cancellation | None
    end: ModelEnd | None
    strategies: tuple[Strategy, ...]
    cheapest: Strategy | None

    @property
    def remarks(self) -> tuple[str, ...]:
        return tuple(remarks(self))

    @property
    def unit(self) -> str:
        """What one study is called: an image where it has no more than one."""
        return "image" if len(self.images) <= 1 else "study"

    @property
    def per_thousand(self) -> str:
        return "1,000 images" if self.unit == "image" else "1,000 studies"


def plan(
    *,
    model: str,
    provider: str,
    images: Sequence[tuple[int, int]] = (),
    prompt_tokens: int = 300,
    k: int = 8,
    expected_tokens: float | Decimal = 120,
    expected_pruned: float | Decimal = 0.5,
    expected_launches: float | Decimal | None = None,
    detail: str = AUTO,
    image_tokens: int | None = None,
    date: datetime.date | None = None,
    prices: Prices | None = None,
    facts: Facts | None = None,
) -> Plan:
    """Plan one study of ``images`` (width and height in pixels, as they are sent).

    ``provider`` is a name that ``genai-prices`` knows (``openai``, ``google``, ``mistral``, ...)
    or an engine of the facts (``vllm``). ``prompt_tokens`` counts the text of one prompt,
    ``expected_tokens`` the output of one full candidate, hidden reasoning included;
    ``expected_pruned`` is the share of the output in [0, 1] that pruning leaves ungenerated;
    ``expected_launches`` is how many prompts a staged launch sends, assumed from the facts when
    ``None``. ``image_tokens`` replaces the formula, ``prices`` what ``genai-prices`` says;
    ``date`` is today unless given. Raises ``PricingError`` for numbers out of range.
    """
    facts = facts or load_facts()
    date = date or datetime.datetime.now(datetime.UTC).date()
    _check(
        (k >= 1, f"k = {k}", "at least 1"),
        (prompt_tokens >= 0, f"prompt tokens = {prompt_tokens}", "at least 0"),
        (image_tokens is None or image_tokens >= 0, f"image tokens = {image_tokens}", "at least 0"),
        (0 < expected_tokens < 10**9, f"expected tokens = {expected_tokens}", "a number above 0"),
        (0 <= expected_pruned <= 1, f"expected pruned = {expected_pruned}", "a share from 0 to 1"),
        (
            expected_launches is None or 1 <= expected_launches <= k,
            f"expected launches = {expected_launches}",
            f"from 1 to k = {k}",
        ),
    )
    assumed = expected_launches is None
    launches = min(facts.staged.launches, Decimal(k)) if assumed else expected_launches
    if image_tokens is None:
        image_tokens = _image_tokens(facts, provider, model, images, detail)
    demand = Demand(
        prompt=None if image_tokens is None else prompt_tokens + image_tokens,
        k=k,
        report=Decimal(str(expected_tokens)),
        pruned=Decimal(str(expected_pruned)),
        launches=Decimal(str(launches)),
        staged_launch=facts.staged.launch,
    )
    own = facts.is_own_engine(provider)
    if prices is None and not own:
        prices = prices_for(provider, model, date)
    cancellation = facts.cancellation_of(provider, model)
    priced = tuple(
        replace(one, dollars=bill(one.tokens, prices, cancellation).times(PER_STUDIES))
        for one in strategies(
            demand, facts.prompt_cache_of(provider, model), facts.choices_of(provider, model)
        )
    )
    return Plan(
        provider=provider,
        model=model,
        date=date,
        images=tuple(images),
        detail=detail,
        prompt_tokens=prompt_tokens,
        image_tokens=image_tokens,
        demand=demand,
        own_engine=own,
        assumed_launches=facts.staged.told if assumed else None,
        prices=prices,
        cancellation=cancellation,
        end=facts.end_of(provider, model),
        strategies=priced,
        cheapest=_cheapest(priced, by_output=own and prices is None),
    )


def _cheapest(priced: Sequence[Strategy], *, by_output: bool) -> Strategy | None:
    """The available strategy with the least high bound; the plainest of equals.

    On an engine of one's own, where prompts are shared and dollars unknown, the one that
    generates least.
    """
    usable = [one for one in priced if one.available]
    if by_output:
        return min(usable, key=lambda one: (one.tokens.output or 0, one.requests))
    bounds = {
        one.name: (one.dollars.high, one.dollars.low)
        for one in usable
        if one.dollars.high is not None and one.dollars.low is not None
    }
    if len(bounds) < len(usable):
        return None
    return min(usable, key=lambda one: bounds[one.name])


def _image_tokens(
    facts: Facts, provider: str, model: str, images: Sequence[tuple[int, int]], detail: str
) -> int | None:
    if not images:
        return 0
    rule = facts.image_tokens_of(provider, model)
    if rule is None:
        return None
    return sum(rule.formula.tokens(width, height, detail) for width, height in images)


def _check(*wanted: tuple[bool, str, str]) -> None:
    for fine, found, expected in wanted:
        if not fine:
            raise PricingError(f"found {found}; expected {expected}")
