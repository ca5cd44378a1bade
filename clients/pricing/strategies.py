"""The ways of asking for K candidates, in tokens."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from clients.pricing.bill import UNKNOWN_DOLLARS, BilledTokens, Dollars, Tokens
from clients.pricing.facts import Choices, PromptCache


@dataclass(frozen=True, slots=True)
class Demand:
    """What one study asks for, and what is expected of it.

    ``prompt`` is the tokens of one whole prompt, images included, or ``None``. ``report`` is the
    expected tokens of one full candidate, hidden reasoning included. ``pruned`` is the share in
    [0, 1] of all output that pruning leaves ungenerated when K streams run side by side.
    ``launches`` is the expected number of prompts that a staged launch sends, in [1, k].
    """

    prompt: int | None
    k: int
    report: Decimal
    pruned: Decimal
    launches: Decimal
    staged_launch: str = "staged:1"


@dataclass(frozen=True, slots=True)
class Strategy:
    """One way of asking.

    ``launch`` is the spec of the launch plan; ``prunes`` says whether candidates are cancelled
    midway. ``requests`` and ``tokens`` are expected per study, ``dollars`` per 1,000 studies.
    ``unavailable`` says why the provider cannot do it, or is ``None``.
    """

    name: str
    launch: str
    prunes: bool
    requests: Tokens
    tokens: BilledTokens
    dollars: Dollars = UNKNOWN_DOLLARS
    unavailable: str | None = None
    note: str | None = None

    @property
    def available(self) -> bool:
        return self.unavailable is None


def strategies(
    demand: Demand, cache: PromptCache | None, choices: Choices | None
) -> Iterator[Strategy]:
    """Every strategy, the plainest first, with dollars still unknown."""
    k, full, kept = demand.k, demand.k * demand.report, 1 - demand.pruned
    streams = "streams" if k > 1 else "stream"
    whole = BilledTokens(None, full)
    yield Strategy(f"{k} {streams}", "parallel", False, k, _cold(demand, cache, k, whole))
    half = BilledTokens(None, full * kept, cut=full * demand.pruned)
    yield Strategy(f"{k} pruned {streams}", "parallel", True, k, _cold(demand, cache, k, half))
    yield Strategy(
        f"one request, n={k}",
        "shared",
        False,
        1,
        _cold(demand, cache, 1, whole),
        unavailable=_refusal(k, choices),
        note="a single choice cannot be cancelled",
    )
    tokens, note = _warm(demand, cache, Decimal(k), half)
    yield Strategy("warm cache, then prune", "warm-first", True, k, tokens, note=note)
    # Nothing has finished yet that could beat the first candidate, so it is never pruned.
    later = (demand.launches - 1) * demand.report
    staged = BilledTokens(None, demand.report + later * kept, cut=later * demand.pruned)
    tokens, note = _warm(demand, cache, demand.launches, staged)
    note = "; ".join(filter(None, ("slower: one after another", note)))
    yield Strategy("staged launch", demand.staged_launch, True, demand.launches, tokens, note=note)


def _cold(
    demand: Demand, cache: PromptCache | None, requests: Tokens, output: BilledTokens
) -> BilledTokens:
    """Requests that start together find nothing in the prompt cache."""
    return _prompts(demand, cache, requests, 0, output)


def _warm(
    demand: Demand, cache: PromptCache | None, requests: Decimal, output: BilledTokens
) -> tuple[BilledTokens, str | None]:
    """Every request but the first finds the prompt in the cache, if it is long enough."""
    if cache is None:
        cached = None if requests > 1 else 0
        return _prompts(demand, cache, requests, cached, output), "nothing known of a prompt cache"
    if demand.prompt is None:
        return _prompts(demand, cache, requests, None, output), None
    cacheable = cache.cacheable(demand.prompt)
    note = None
    if not cacheable:
        note = f"not cached: the prompt is below {cache.minimum:,} tokens"
    return _prompts(demand, cache, requests, (requests - 1) * cacheable, output), note


def _prompts(
    demand: Demand,
    cache: PromptCache | None,
    requests: Tokens,
    cached: Tokens | None,
    output: BilledTokens,
) -> BilledTokens:
    prompt = demand.prompt
    total = None if prompt is None else requests * prompt
    written: Tokens = 0
    if cache is not None and cache.writes and prompt is not None:
        written = requests * cache.cacheable(prompt) - (cached or 0)
    return BilledTokens(total, output.output, cached, written, output.cut)


def _refusal(k: int, choices: Choices | None) -> str | None:
    if k == 1:
        return None
    if choices is None:
        return "not known whether n is supported"
    if not choices.supported:
        return "n above 1 is refused"
    if choices.maximum is not None and k > choices.maximum:
        return f"n is at most {choices.maximum}"
    if not choices.streaming:
        return "n above 1 only without streaming"
    return None
