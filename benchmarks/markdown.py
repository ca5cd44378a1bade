"""The report of the benchmark for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchmarks.comparison import Lines, Row
from benchmarks.contenders import DEFAULT, FULL, PARALLEL
from benchmarks.dollars import DATE, IMAGE, PROMPT_TOKENS, cost_table
from benchmarks.formats import interval, number, percent_interval, share, signed, table
from benchmarks.frontier import Views
from benchmarks.frontier_text import frontier_text
from benchmarks.splits import Held
from sdr_decode.defaults import DEFAULT_SELECT

SHOWN = 8  # the K whose rows are all shown


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that the report says; see ``benchmarks.report``."""

    command: str
    recording: str
    encoder: str
    tuning: int
    reported: int
    rows: Sequence[Row]
    lines: Mapping[int, Lines]
    picks: Sequence[Views]
    steady: Sequence[Views]
    repeated: Sequence[Held]
    searched: int
    plots: Sequence[str]
    notes: Sequence[str]
    judged: Mapping[str, Mapping[str, float]]


def markdown(report: Report) -> str:
    """The whole report as Markdown."""
    k = max((size for size in report.lines if size <= SHOWN), default=max(report.lines))
    shown = [row for row in report.rows if row.k == k]
    parts = [
        "# Benchmark: saved tokens against quality",
        _summary(report, shown, k),
        "## What there is to win\n\n" + _lines(report),
        "## The frontier\n\n"
        + frontier_text(report.searched, report.picks, report.steady, report.repeated),
        f"## Every contender, K = {k}\n\n" + _legend() + "\n\n" + _rows(shown),
        "## Findings, K = " + f"{k}\n\n" + _findings(shown),
    ]
    others = [row for row in report.rows if row.k != k and row.select in ("corpus", "consensus")]
    if others:
        parts.append(
            "## Other K\n\nSelectors `corpus` and `consensus`; the rest is in `results.json`.\n\n"
            + _rows(others, with_k=True)
        )
    if report.judged:
        parts.append("## Metrics that are models\n\n" + _judged(report.judged))
    parts += ["## Dollars\n\n" + _dollars(report, shown), "## Plots\n\n" + _plots(report)]
    parts += ["## Limits\n\n" + _limits(report), "## How this was made\n\n" + _made(report)]
    return "\n\n".join(parts) + "\n"


def _summary(report: Report, shown: Sequence[Row], k: int) -> str:
    random = report.lines[k].random
    bullets = []
    for pick in report.picks:
        row, kept = pick.reported, "held" if pick.reported.not_inferior else "did not hold"
        bullets.append(
            f"- `{row.prune}`, `{row.launch}`, `{row.select}`, chosen on the tuning half, saves "
            f"{share(row.saved)} of the output tokens and {row.prompts_saved:.1%} of the prompts "
            f"on the other; Token-F1 {signed(row.difference['token_f1'])} against full best-of-N. "
            f"Non-inferiority {kept}."
        )
    bullets += [
        _default(shown, select, random)
        for select in dict.fromkeys((DEFAULT_SELECT, "corpus"))
        if _find(shown, DEFAULT, PARALLEL, select) is not None
    ]
    bullets += [_steady(each.reported) for each in _first_of_each_launch(report.steady)]
    best = _recommended(shown, random["names_any"])
    if best is not None:
        bullets.append(
            f"- Of the contenders that keep abnormal recall at a random candidate's level or above "
            f"and save at least 40%, `{best.prune}`, `{best.launch}`, `{best.select}` has the "
            f"highest Token-F1: {number(best.quality['token_f1'])}, saving {share(best.saved)}, "
            f"abnormal recall {number(best.quality['names_any'])}."
        )
    else:
        bullets.append(
            "- No contender that saves at least 40% keeps abnormal recall at a random candidate's "
            f"level ({number(random['names_any'])})."
        )
    head = (
        f"{report.reported} studies of `{report.recording}`, K = {k} unless said otherwise. "
        f"Everything that was chosen was chosen on {report.tuning} other studies of it."
    )
    return head + "\n\n" + "\n".join(bullets)


def _steady(row: Row) -> str:
    return (
        f"- Not inferior on either half: `{row.prune}`, `{row.launch}`, `{row.select}`, saving "
        f"{share(row.saved)} of the output tokens and {row.prompts_saved:.1%} of the prompts on "
        f"the report half; Token-F1 {signed(row.difference['token_f1'])}."
    )


def _first_of_each_launch(views: Sequence[Views]) -> list[Views]:
    """The most saving of those in parallel launch, and of those in stages."""
    chosen = []
    for parallel in (True, False):
        fit = [each for each in views if (each.tuned.launch == PARALLEL) == parallel]
        if fit:
            chosen.append(max(fit, key=lambda each: each.everywhere.saved.value or 0.0))
    return chosen


def _default(shown: Sequence[Row], select: str, random: Mapping[str, float | None]) -> str:
    row, full = (_find(shown, prune, PARALLEL, select) for prune in (DEFAULT, FULL))
    assert row is not None
    assert full is not None
    named = "The default" if select == DEFAULT_SELECT else "The published method's selector"
    return (
        f"- {named}, `{DEFAULT}` with `{select}` in parallel launch, saves {share(row.saved)} at "
        f"Token-F1 {number(row.quality['token_f1'])} (full {number(full.quality['token_f1'])}, "
        f"random {number(random['token_f1'])}). Its report names an abnormality in "
        f"{number(row.quality['names_any'])} of the abnormal studies; full best-of-N with this "
        f"selector does in {number(full.quality['names_any'])}, a random candidate in "
        f"{number(random['names_any'])}."
    )


def _recommended(shown: Sequence[Row], random: float | None) -> Row | None:
    keeping = [
        row
        for row in shown
        if random is not None
        and (row.quality["names_any"] or 0.0) >= random
        and (row.saved.value or 0.0) >= 0.4
    ]
    return max(keeping, key=lambda row: row.quality["token_f1"] or 0.0, default=None)


def _lines(report: Report) -> str:
    body = []
    for k, line in report.lines.items():
        named = [("random candidate", line.random), ("oracle by Token-F1", line.oracle)]
        named += [
            (f"full best-of-N, `{row.select}`", row.quality)
            for row in report.rows
            if row.k == k and row.prune == FULL and row.launch == PARALLEL
        ]
        body += [[str(k), name, *_qualities(values)] for name, values in named]
    return table(["K", "line", *_QUALITIES.values()], body)


def _judged(judged: Mapping[str, Mapping[str, float]]) -> str:
    heads = list(dict.fromkeys(key for found in judged.values() for key in found))
    return table(
        ["contender", *heads],
        [
            [f"`{name}`", *(number(found.get(key)) for key in heads)]
            for name, found in judged.items()
        ],
    )


def _legend() -> str:
    return (
        "Saved: share of full best-of-N's output tokens. Same: share of studies with its winner "
        "(p: exact McNemar against the default policy). Regret: mean excess of what the selector "
        "minimises. Difference: mean Token-F1 minus full best-of-N's with the same selector. "
        "Prompts and steps (lockstep latency in tokens): means a study. Intervals are paired "
        "bootstrap 95% intervals."
    )


def _rows(rows: Sequence[Row], *, with_k: bool = False) -> str:
    heads = ["policy", "launch", "selector", "saved", "prompts", "steps", "same", "p", "regret"]
    heads += ["Token-F1", "difference", "SDR", "abnormal recall"]
    body = [
        [
            f"`{row.prune}`",
            f"`{row.launch}`",
            f"`{row.select}`",
            percent_interval(row.saved),
            f"{row.prompts:.1f}",
            f"{row.steps:.0f}",
            f"{row.same_winner:.2f}",
            number(row.mcnemar),
            "-" if row.distance_regret is None else f"{row.distance_regret:.4f}",
            number(row.quality["token_f1"]),
            interval(row.difference["token_f1"]),
            number(row.quality["sdr"]),
            number(row.quality["names_any"]),
        ]
        for row in rows
    ]
    if with_k:
        heads, body = ["K", *heads], [[str(r.k), *b] for r, b in zip(rows, body, strict=True)]
    return table(heads, body)


_QUALITIES = {
    "token_f1": "Token-F1",
    "exact": "exact",
    "sequence": "sequence",
    "sdr": "SDR",
    "precision": "precision",
    "recall": "recall",
    "f1": "finding F1",
    "f1_of_14": "F1 of 14",
    "names_any": "abnormal recall",
    "names_same": "same finding",
}


def _findings(rows: Sequence[Row]) -> str:
    words = (
        "Precision, recall and finding F1 are micro-averaged over the 13 CheXpert observations "
        'that are findings; F1 of 14 counts "No Finding" too, which every report that names '
        "nothing shares with every normal study; abnormal recall is the share of abnormal studies "
        "whose report names any abnormality, same finding the share of their abnormal "
        "observations that it names."
    )
    body = [
        [
            f"`{r.prune}`",
            f"`{r.launch}`",
            f"`{r.select}`",
            *_qualities(r.quality),
            interval(r.difference["f1"]),
            interval(r.difference["names_any"]),
        ]
        for r in rows
    ]
    heads = ["policy", "launch", "selector", *_QUALITIES.values()]
    return (
        words
        + "\n\n"
        + table([*heads, "finding F1 difference", "abnormal recall difference"], body)
    )


def _qualities(values: Mapping[str, float | None]) -> list[str]:
    return [number(values[name]) for name in _QUALITIES]


def _dollars(report: Report, shown: Sequence[Row]) -> str:
    wanted = [
        _find(shown, FULL, PARALLEL, "corpus"),
        _find(shown, DEFAULT, PARALLEL, DEFAULT_SELECT),
        *(pick.reported for pick in report.picks if pick.reported.select == "corpus"),
    ]
    rows = list(dict.fromkeys((r.prune, r.launch, r.select) for r in wanted if r is not None))
    unique = [next(r for r in wanted if r and (r.prune, r.launch, r.select) == k) for k in rows]
    body = [
        [
            f"`{row.prune}`",
            f"`{row.launch}`",
            cost.model,
            "unknown" if cost.low is None else f"{cost.low:.2f}",
            "unknown" if cost.high is None else f"{cost.high:.2f}",
        ]
        for row, found in cost_table(unique)
        for cost in found
    ]
    words = (
        f"Per 1,000 studies of one {IMAGE[0]}x{IMAGE[1]} image and {PROMPT_TOKENS} prompt tokens, "
        f"by the planner, at the prices of {DATE}. Low: cancelled streams stop billing; high: "
        "billed in full. The image is most of the bill, so on hosted models prompts that are never "
        "sent save more than output that is pruned."
    )
    return words + "\n\n" + table(["policy", "launch", "model", "low, $", "high, $"], body)


def _plots(report: Report) -> str:
    return "\n\n".join(f"![{name.removesuffix('.png')}]({name})" for name in report.plots)


def _limits(report: Report) -> str:
    model = (
        "The candidates come from whatever wrote the recording; for `standin_val` that is a small "
        "report model that reads tags, not images."
    )
    peers = (
        "The peers are re-implementations: Speculative Rejection ranks by distance to the corpus, "
        "not by a reward model; ST-BoN compares sentence embeddings in place of hidden states; "
        "DeepConf sees the log-probability of the sampled token alone, 16 at a time."
    )
    told = [
        model,
        "One corpus, one encoder, reports in English. No clinical reader judged a report.",
        "The labels of findings are made by rules; they escape rare wordings.",
        (
            "The policies that compete were thought of with both halves in view; the halves keep "
            "apart only the choice among them."
        ),
        (
            "`lossless` with `max_sentences=12`, the 98% quantile of the lengths of the corpus's "
            "reports, promises to keep winners of at most that length."
        ),
        peers,
        "Latency is in token steps of a lockstep replay, not in seconds.",
        *report.notes,
    ]
    return "\n".join(f"- {line}" for line in told)


def _made(report: Report) -> str:
    return (
        f"```sh\n{report.command}\n```\n\nEncoder {report.encoder}. The half of a study follows "
        "from the SHA-256 of its id. All figures are in `results.json`."
    )


def _find(rows: Sequence[Row], prune: str, launch: str, select: str) -> Row | None:
    wanted = (prune, launch, select)
    return next((row for row in rows if (row.prune, row.launch, row.select) == wanted), None)
