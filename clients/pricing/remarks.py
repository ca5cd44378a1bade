"""What a plan says in sentences: what pays, what is assumed, what is not known."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from decimal import Decimal
from typing import TYPE_CHECKING

from clients.pricing.facts import ModelEnd

if TYPE_CHECKING:
    from clients.pricing.planner import Plan

SOON = datetime.timedelta(days=60)
# Below this share of the bill, what pruning saves is called not worth having.
LITTLE = Decimal("0.05")


def remarks(plan: Plan) -> Iterator[str]:
    """The sentences, most important first."""
    yield from _cheapest(plan)
    yield from _pruning(plan)
    yield from _end(plan.end, plan.date)
    yield from _unknown(plan)
    yield from _assumed(plan)


def _cheapest(plan: Plan) -> Iterator[str]:
    best = plan.cheapest
    if best is None:
        return
    if best.dollars.high is None:
        output = f"{best.tokens.output:,.0f} output tokens"
        yield f"Least generated: {best.name}, {output} per {plan.unit}."
        return
    yield f"Cheapest: {best.name}, {dollars(best.dollars.high)} per {plan.per_thousand}."
    for other in plan.strategies:
        if other.available or other.dollars.high is None:
            continue
        if other.dollars.high < best.dollars.high:
            yield (
                f"{sentence(other.name)} would cost {dollars(other.dollars.high)}, but "
                f"{plan.provider} does not allow it: {other.unavailable}."
            )


def _pruning(plan: Plan) -> Iterator[str]:
    if plan.demand.k == 1 or not plan.demand.pruned:
        return
    full, pruned = plan.strategies[0], plan.strategies[1]
    if plan.own_engine:
        yield (
            "On an engine of your own pruning saves what is not generated: "
            f"{pruned.tokens.cut:,.0f} of {full.tokens.output:,.0f} output tokens per {plan.unit}."
        )
        return
    fact = plan.cancellation
    if fact is not None and fact.billing == "full":
        yield (
            f"Pruning saves no money here, only time: {plan.provider} bills a cancelled request in "
            f"full ({fact.told}). A prompt that is never sent costs nothing, so a staged launch "
            "does save."
        )
        return
    if full.dollars.high is not None and pruned.dollars.low is not None:
        saved = full.dollars.high - pruned.dollars.low
        share = saved / full.dollars.high if full.dollars.high else Decimal(0)
        worth = "hardly pays" if share < LITTLE else "pays"
        tail = ", because most of the bill is the prompt and its images" if share < LITTLE else ""
        yield (
            f"Pruning {worth}: of {plan.demand.k} streams it saves at most {dollars(saved)} of "
            f"{dollars(full.dollars.high)} ({share:.1%}){tail}."
        )
    if fact is None or fact.billing == "unknown":
        source = f" ({fact.told})" if fact is not None else ""
        yield (
            f"Whether {plan.provider} stops billing a cancelled request is not known{source}: the "
            "high bound bills it in full."
        )
    elif not fact.certain:
        yield (
            f"It is only reported that {plan.provider} stops billing a cancelled request "
            f"({fact.date}: {fact.source}): the high bound bills it in full."
        )


def _unknown(plan: Plan) -> Iterator[str]:
    if plan.image_tokens is None:
        yield (
            f"How many tokens an image takes on {plan.provider} with {plan.model} is not known; "
            "give the number of image tokens to get input tokens and dollars."
        )
    if plan.prices is None and not plan.own_engine:
        yield (
            f"No prices are known for {plan.model} at {plan.provider} on {plan.date}; give prices "
            "of your own to get dollars."
        )


def _assumed(plan: Plan) -> Iterator[str]:
    if any(one.tokens.cached for one in plan.strategies):
        yield (
            "Cached input is expected, not promised: the prompt has to be the same to the last "
            "byte, and the first request must have begun to answer."
        )
    if plan.assumed_launches is not None and plan.demand.k > 1:
        yield (
            f"That a staged launch sends {plan.demand.launches} of {plan.demand.k} prompts is an "
            f"assumption ({plan.assumed_launches}); measure it on a recording of your own."
        )


def _end(end: ModelEnd | None, on: datetime.date) -> Iterator[str]:
    if end is None or on < end.ends - SOON:
        return
    days = (end.ends - on).days
    when = f"is shut down on {end.ends}, in {days} days" if days > 0 else f"ended on {end.ends}"
    yield f"Warning: this model {when} ({end.told})."


def sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def dollars(value: Decimal | None) -> str:
    """Dollars with cents, and with more digits below ten cents."""
    if value is None:
        return "unknown"
    return f"${value:,.2f}" if value >= Decimal("0.1") or not value else f"${value:.4f}"
