"""The options of a spec that every client of a server takes."""

from __future__ import annotations

from clients.reader import Pace, Timeouts
from clients.retry import RetryPolicy
from clients.spec import Spec, number, whole_number

HOSTED_OPTIONS = ("first_timeout", "max_concurrency", "retries", "timeout")


def concurrency_of(spec: Spec, default: int = 64) -> int:
    """How many requests may be open at a time."""
    word = spec.options.get("max_concurrency", str(default))
    return whole_number(spec, word, "max_concurrency", low=1)


def pace_of(spec: Spec) -> Pace:
    """The timeouts, in seconds, and the retries."""
    get, usual = spec.options.get, Timeouts()
    first, silence = get("first_timeout", str(usual.first)), get("timeout", str(usual.silence))
    return Pace(
        timeouts=Timeouts(
            first=number(spec, first, "first_timeout", low=0.001),
            silence=number(spec, silence, "timeout", low=0.001),
        ),
        retry=RetryPolicy(attempts=1 + whole_number(spec, get("retries", "4"), "retries")),
    )
