from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clients.retry import RetryPolicy, retry_after_seconds

DATE = "Mon, 30 Nov 2026 12:00:00 GMT"
NOON = 1796040000.0


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after-ms": "soon", "retry-after": "9"}, 9.0),
        ({"retry-after": DATE}, 30.0),
        ({"retry-after": "Mon, 30 Nov 2026 11:00:00 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": ""}, None),
    ],
)
def test_what_the_server_asks_for(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after_seconds(headers, now=NOON - 30) == seconds


def test_waits_double_up_to_the_longest() -> None:
    policy = RetryPolicy(attempts=9, seconds=1e9, first=1, longest=10)
    waits = [policy.wait(n, elapsed=0, retry_after=None, jitter=1.0) for n in range(1, 10)]
    assert waits == [1, 2, 4, 8, 10, 10, 10, 10, None]
    assert policy.wait(1, elapsed=0, retry_after=None, jitter=0.0) == 0.5


@given(
    st.integers(1, 2000),
    st.floats(0, 1e6),
    st.none() | st.floats(0, 1e6),
    st.floats(0, 1, exclude_max=True),
)
def test_no_wait_leaves_the_budget_or_comes_too_early(
    failures: int, elapsed: float, retry_after: float | None, jitter: float
) -> None:
    policy = RetryPolicy(attempts=1500, seconds=120)
    wait = policy.wait(failures, elapsed=elapsed, retry_after=retry_after, jitter=jitter)
    if wait is None:
        assert failures >= 1500 or elapsed + (retry_after or policy.longest) * 1.1 > 120
    else:
        assert failures < 1500
        assert elapsed + wait <= 120
        assert wait >= (0 if retry_after is None else retry_after)
