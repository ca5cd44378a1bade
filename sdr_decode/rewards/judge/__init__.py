"""A language model as the judge of a report, from specs such as ``judge:openai:gpt-4o-mini``."""

from __future__ import annotations

from dataclasses import replace

from clients.errors import SpecError
from clients.spec import Spec, parse_spec, whole_number
from sdr_decode.rewards.judge.failures import Failures
from sdr_decode.rewards.judge.judge import Judge
from sdr_decode.rewards.judge.rating import RATINGS, Rating
from sdr_decode.rewards.judge.rubric import VERSION, judge_prompt
from sdr_decode.rewards.judge.spent import Spent

OPTIONS = ("cache", "concurrency", "judge_tokens", "reference", "samples", "top_logprobs")


def from_spec(spec: Spec) -> Judge:
    """``judge:CLIENT``, where ``CLIENT`` is a client's spec with its own options, and among them
    the judge's: ``reference`` (a column, or ``none``), ``samples``, ``cache`` (a file),
    ``concurrency``, ``judge_tokens`` (of an answer) and ``top_logprobs``."""
    if not spec.value:
        raise SpecError("judge found no client; expected one, as in judge:openai:gpt-4o-mini")
    named = parse_spec(spec.value)
    given = {**named.options, **spec.options}
    own = Spec("judge", None, {key: word for key, word in given.items() if key in OPTIONS})
    client = replace(named, options={k: word for k, word in given.items() if k not in OPTIONS})
    get = own.options.get
    reference = get("reference", "reference")
    return Judge(
        str(client),
        reference=None if reference == "none" else reference,
        samples=whole_number(own, get("samples", "8"), "samples", low=1),
        top_logprobs=whole_number(own, get("top_logprobs", "20"), "top_logprobs"),
        max_tokens=whole_number(own, get("judge_tokens", "8"), "judge_tokens", low=1),
        concurrency=whole_number(own, get("concurrency", "16"), "concurrency", low=1),
        cache=get("cache"),
    )


__all__ = [
    "RATINGS",
    "VERSION",
    "Failures",
    "Judge",
    "Rating",
    "Spent",
    "from_spec",
    "judge_prompt",
]
