"""What the chosen ways of decoding cost on hosted models, by the planner."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.comparison import Row
from clients.pricing import plan

MODELS = (
    ("openai", "gpt-4o-mini"),
    ("google", "gemini-2.5-flash-lite"),
    ("mistral", "mistral-small-latest"),
)
IMAGE = (1024, 1024)
PROMPT_TOKENS = 300
DATE = datetime.date(2026, 11, 30)  # prices are dated data; a fixed date keeps the report the same


@dataclass(frozen=True, slots=True)
class Cost:
    """Dollars per 1,000 studies of one image: low where cancelled streams stop billing, high where
    they are billed in full; ``None`` is unknown."""

    provider: str
    model: str
    low: float | None
    high: float | None


def costs(row: Row) -> list[Cost]:
    """What a row costs on each model, with its measured savings and prompts in the planner."""
    report = row.tokens / (1.0 - (row.saved.value or 0.0)) / row.k
    staged = row.launch.startswith("staged")
    pruned = row.saved.value or 0.0
    if staged:  # the planner never prunes the first candidate of a staged launch
        later = (row.prompts - 1.0) * report
        pruned = 1.0 - (row.tokens - report) / later if later > 0 else 0.0
    return [_cost(row, *model, report, min(max(pruned, 0.0), 1.0), staged) for model in MODELS]


def _cost(row: Row, provider: str, model: str, report: float, pruned: float, staged: bool) -> Cost:
    made = plan(
        model=model,
        provider=provider,
        images=[IMAGE],
        prompt_tokens=PROMPT_TOKENS,
        k=row.k,
        expected_tokens=report,
        expected_pruned=pruned,
        expected_launches=row.prompts,
        date=DATE,
    )
    wanted = "staged launch" if staged else f"{row.k} pruned streams"
    (strategy,) = [one for one in made.strategies if one.name == wanted]
    low, high = strategy.dollars
    return Cost(
        provider, model, None if low is None else float(low), None if high is None else float(high)
    )


def cost_table(rows: Sequence[Row]) -> list[tuple[Row, list[Cost]]]:
    return [(row, costs(row)) for row in rows]
