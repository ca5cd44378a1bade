"""How a plan is printed and written."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from clients.pricing import Plan, Strategy


def print_plan(made: Plan, console: Console) -> None:
    """The table of the strategies and the remarks."""
    prices = made.prices
    source = "prices unknown" if prices is None else f"prices from {prices.source}"
    praise = "cheapest"
    if made.own_engine and prices is None:
        source, praise = "an engine of your own has no prices", "least generated"
    images = "unknown" if made.image_tokens is None else f"{made.image_tokens:,}"
    console.print(
        f"{made.model} at {made.provider} on {made.date}: {images} image tokens, "
        f"{made.prompt_tokens:,} prompt tokens, {source}. Tokens per {made.unit}, dollars per "
        f"{made.per_thousand}.",
        highlight=False,
        markup=False,
    )
    table = Table(box=None, pad_edge=False)
    table.add_column("strategy", no_wrap=True)
    for name in ("requests", "input", "cached", "billed output", "low", "high"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("")
    for one in made.strategies:
        low, high = one.tokens.billed_output(made.cancellation)
        output = _count(low) if low == high else f"{_count(low)}-{_count(high)}"
        best = made.cheapest is not None and one.name == made.cheapest.name
        words = f"not available: {one.unavailable}" if one.unavailable else one.note or ""
        table.add_row(
            Text(one.name),
            f"{one.requests:,.2f}".removesuffix(".00"),
            _count(one.tokens.input),
            _count(one.tokens.cached),
            output,
            _cents(one.dollars.low),
            _cents(one.dollars.high),
            Text("; ".join(filter(None, (praise if best else "", words)))),
            style="bold" if best else ("dim" if one.unavailable else None),
        )
    console.print(table)
    for remark in made.remarks:
        console.print(remark, highlight=False, markup=False, soft_wrap=True)


def _count(value: Decimal | int | None) -> str:
    return "unknown" if value is None else f"{value:,.0f}"


def _cents(value: Decimal | None) -> str:
    return "unknown" if value is None else f"{value:,.2f}"


def as_data(made: Plan) -> dict[str, object]:
    """The plan as JSON knows it: tokens per study, dollars per 1,000 studies, unknown is null."""
    prices, fact = made.prices, made.cancellation
    return {
        "provider": made.provider,
        "model": made.model,
        "date": made.date.isoformat(),
        "k": made.demand.k,
        "detail": made.detail,
        "prompt_tokens": made.prompt_tokens,
        "image_tokens": made.image_tokens,
        "expected_tokens": float(made.demand.report),
        "expected_pruned": float(made.demand.pruned),
        "expected_launches": float(made.demand.launches),
        "prices_per_million": None
        if prices is None
        else {
            "input": _number(prices.input),
            "cached": _number(prices.cached),
            "output": _number(prices.output),
            "source": prices.source,
            "date": None if prices.date is None else prices.date.isoformat(),
        },
        "cancellation": None
        if fact is None
        else {
            "billing": fact.billing,
            "evidence": fact.evidence,
            "source": fact.source,
            "date": fact.date.isoformat(),
        },
        "dollars_per": made.per_thousand,
        "strategies": [_strategy(made, one) for one in made.strategies],
        "cheapest": None if made.cheapest is None else made.cheapest.name,
        "remarks": list(made.remarks),
    }


def _strategy(made: Plan, one: Strategy) -> dict[str, object]:
    low, high = one.tokens.billed_output(made.cancellation)
    return {
        "name": one.name,
        "launch": one.launch,
        "prunes": one.prunes,
        "requests": _number(one.requests),
        "input_tokens": _number(one.tokens.input),
        "cached_tokens": _number(one.tokens.cached),
        "output_tokens_low": _number(low),
        "output_tokens_high": _number(high),
        "dollars_low": _number(one.dollars.low),
        "dollars_high": _number(one.dollars.high),
        "available": one.available,
        "unavailable": one.unavailable,
        "note": one.note,
    }


def _number(value: Decimal | int | None) -> float | int | None:
    if value is None or isinstance(value, int):
        return value
    return int(value) if value == value.to_integral_value() else float(value)
