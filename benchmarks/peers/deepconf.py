"""DeepConf, deep think with confidence: a candidate stops when the confidence of its last tokens
falls below what the warm-up candidates had at their least (Fu et al. 2025, arXiv 2508.15260).

In the paper a token's confidence is the negative mean log-probability of its top candidates, over
a window of 2,048 tokens, with 16 warm-up traces of up to 512. A recording holds the log-probability
of the token that was sampled, and reports have about 40 tokens: so the confidence is the mean of
those over a window of 16, and half of the candidates warm up. The warm-up runs in full and its
tokens count. Candidates without log-probabilities are never stopped and never warm the threshold.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.peers.base import PeerLaunch, PeerPolicy, PeerSelector, TokenPolicy
from benchmarks.peers.confidence import ConfidenceSelector
from benchmarks.studies import BenchStudy
from clients.spec import Spec, allow_options, number, whole_number
from sdr_decode.candidate import Candidate, Pruning
from sdr_decode.launch import LaunchPlan


def window_confidences(logprobs: Sequence[float], window: int) -> NDArray[np.float64]:
    """The mean log-probability of the last ``window`` tokens at every token, shape (n,), NaN while
    fewer are out; a text shorter than the window has its mean at the end."""
    sums = np.concatenate([[0.0], np.cumsum(logprobs)])
    means = np.full(len(logprobs), np.nan)
    size = min(window, len(logprobs))
    means[size - 1 :] = (sums[size:] - sums[:-size]) / size
    return means


@dataclass(frozen=True)
class WarmUp(LaunchPlan):
    """The first share of the candidates starts at once, the rest when all of those have ended."""

    share: float

    def due(self, candidates: Sequence[Candidate], k: int) -> int:
        first = warm_up(k, self.share)
        if len(candidates) < first:
            return first - len(candidates)
        return 0 if any(c.running for c in candidates) else k - len(candidates)


def warm_up(k: int, share: float) -> int:
    """How many of ``k`` candidates warm up: at least 1."""
    return max(1, math.ceil(k * share))


@dataclass(frozen=True)
class DeepConf(TokenPolicy):
    """Stops below the least window confidence that the ``keep`` most confident share of the warm-up
    candidates stayed above. ``confidences`` holds each candidate's, ``ends`` its tokens after each
    piece."""

    confidences: Sequence[NDArray[np.float64] | None]
    ends: Sequence[Sequence[int]]
    keep: float
    warm: int

    def prune(self, candidates: Sequence[Candidate]) -> Iterator[Pruning]:
        if len(candidates) <= self.warm or any(c.running for c in candidates[: self.warm]):
            return
        least = [
            float(np.nanmin(known))
            for known in self.confidences[: self.warm]
            if known is not None and len(known)
        ]
        if not least:
            return
        bound = float(np.quantile(least, 1.0 - self.keep))
        for candidate in candidates[self.warm :]:
            known = self.confidences[candidate.number]
            heard = bisect_right(self.ends[candidate.number], candidate.tokens)
            if candidate.running and known is not None and heard and known[heard - 1] < bound:
                yield Pruning(
                    candidate.number,
                    f"window confidence {known[heard - 1]:.3f} is below {bound:.3f}",
                )


def policy_from_spec(spec: Spec) -> PeerPolicy:
    """``deepconf[:KEEP][,window=TOKENS][,warmup=SHARE]``: the paper keeps 0.9 or 0.1."""
    allow_options(spec, "window", "warmup")
    keep = number(spec, spec.value or "0.9", "share to keep", high=1.0)
    window = whole_number(spec, spec.options.get("window", "16"), "window", low=1)
    share = number(spec, spec.options.get("warmup", "0.5"), "warm-up share", high=1.0)

    def make(study: BenchStudy, measure: object) -> DeepConf:
        return DeepConf(
            [
                None if known is None else window_confidences(known, window)
                for known in study.logprobs
            ],
            [each.track.tokens for each in study.tracks],
            keep,
            warm_up(len(study.tracks), share),
        )

    return make


def selector_from_spec(spec: Spec) -> PeerSelector:
    """``deepconf[:window=TOKENS]``: the one whose least window confidence is highest.
    Free text has no answers to vote on."""
    allow_options(spec, "window")
    window = whole_number(spec, spec.options.get("window", "16"), "window", low=1)

    def make(study: BenchStudy) -> ConfidenceSelector:
        return ConfidenceSelector(
            [
                None if known is None else float(np.nanmin(window_confidences(known, window)))
                for known in study.logprobs
            ],
            "least window confidence, negated",
        )

    return make


def launch_from_spec(spec: Spec) -> PeerLaunch:
    """``after-warm-up[:SHARE]``."""
    allow_options(spec)
    plan = WarmUp(number(spec, spec.value or "0.5", "warm-up share", high=1.0))
    return lambda: plan
