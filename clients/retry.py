"""When a request that failed before its first piece is sent again."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Exponential backoff with jitter, within a budget.

    A request is sent at most ``attempts`` times, and no wait may end later than ``seconds`` after
    the first attempt began. The wait before attempt ``n + 1`` lies between half of and all of
    ``min(longest, first * 2**(n - 1))`` seconds. Where the server said how long to wait, it is
    never shorter than that, and up to a tenth longer, so that candidates which were refused
    together do not come back together.
    """

    attempts: int = 5
    seconds: float = 120.0
    first: float = 0.5
    longest: float = 20.0

    def wait(
        self, failures: int, *, elapsed: float, retry_after: float | None, jitter: float
    ) -> float | None:
        """Seconds to wait after the given number of failures (from 1), ``None`` to give up.

        ``elapsed`` is in seconds since the first attempt began; ``jitter`` is uniform in [0, 1).
        """
        if failures >= self.attempts:
            return None
        if retry_after is None:
            longest = min(self.longest, self.first * 2 ** min(failures - 1, 63))
            wait = longest * (0.5 + 0.5 * jitter)
        else:
            wait = retry_after * (1 + 0.1 * jitter)
        return wait if elapsed + wait <= self.seconds else None


def retry_after_seconds(headers: Mapping[str, str], now: float | None = None) -> float | None:
    """How long the server asks to wait: ``retry-after-ms``, or ``retry-after`` as seconds or as
    an HTTP date. ``None`` where it does not say, or says nothing that can be read. ``now`` is in
    seconds since the epoch."""
    for header, per_second in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(header, "")) / per_second
        except ValueError:
            continue
        if math.isfinite(seconds):
            return max(0.0, seconds)
    try:
        date = parsedate_to_datetime(headers.get("retry-after", "")).timestamp()
    except (ValueError, OverflowError):
        return None
    return max(0.0, date - (time.time() if now is None else now))
