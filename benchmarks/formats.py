"""How figures are written in Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.comparison import Figure


def table(heads: Sequence[str], body: Sequence[Sequence[str]]) -> str:
    rule = ["---"] * len(heads)
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (heads, rule, *body))


def number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def share(figure: Figure) -> str:
    return "-" if figure.value is None else f"{figure.value:.1%}"


def signed(figure: Figure) -> str:
    return "unknown" if figure.value is None else interval(figure)


def interval(figure: Figure) -> str:
    if figure.value is None or figure.low is None or figure.high is None:
        return "-"
    return f"{figure.value:+.3f} ({figure.low:+.3f} to {figure.high:+.3f})"


def percent_interval(figure: Figure) -> str:
    if figure.low is None or figure.high is None:
        return share(figure)
    return f"{share(figure)} ({100 * figure.low:.0f} to {100 * figure.high:.0f})"
