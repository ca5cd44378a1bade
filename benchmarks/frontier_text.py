"""The frontier, as Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.formats import interval, number, share, table
from benchmarks.frontier import Views
from benchmarks.splits import LOW, MEAN, Held


def frontier_text(
    searched_count: int,
    picked: Sequence[Views],
    held_steady: Sequence[Views],
    repeats: Sequence[Held],
) -> str:
    searched = (
        f"{searched_count} contenders were searched. Not inferior means: mean Token-F1 difference "
        f"to full best-of-N of the same selector at least {MEAN}, its paired 95% interval above "
        f"{LOW}. For each launch and selector, the one that saved most on the tuning half without "
        "being inferior there:"
    )
    steady = (
        "Those that are not inferior on either half, the most saving four of each launch and "
        "selector. They were looked for on both, so the figures flatter a little:"
    )
    repeated = (
        "A half is small: a difference of Token-F1 has a standard error of about 0.007 there, "
        "half of what the interval allows. So the choice was repeated on random halves. Held is "
        "the share of the choices that were not inferior on the other half either:"
    )
    body = [
        [
            each.launch,
            f"`{each.select}`",
            f"{each.chosen} of {each.splits}",
            *("-" if v is None else f"{v:.0%}" for v in (each.held, each.saved)),
            "-" if each.prompts_saved is None else f"{each.prompts_saved:.0%}",
        ]
        for each in repeats
    ]
    heads = ["launch", "selector", "chosen", "held", "saved", "prompts saved"]
    parts = [searched, _views(picked), steady, _views(held_steady)]
    return "\n\n".join([*parts, repeated, table(heads, body)])


def _views(views: Sequence[Views]) -> str:
    body = [
        [
            f"`{row.prune}`",
            f"`{row.launch}`",
            f"`{row.select}`",
            studies,
            share(row.saved),
            f"{row.prompts_saved:.1%}",
            interval(row.difference["token_f1"]),
            number(row.quality["names_any"]),
            "yes" if row.not_inferior else "no",
        ]
        for each in views
        for studies, row in (
            ("tuning", each.tuned),
            ("report", each.reported),
            ("all", each.everywhere),
        )
    ]
    heads = ["policy", "launch", "selector", "studies", "saved", "prompts saved"]
    heads += ["Token-F1 difference", "abnormal recall", "not inferior"]
    return table(heads, body)
