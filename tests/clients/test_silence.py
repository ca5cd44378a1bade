from __future__ import annotations

import asyncio

import pytest

from clients.silence import SilenceLimit
from tests.clients.virtual_clock import run_on_virtual_clock


async def silent_after(waits: list[float], limit: float | None, later: float | None) -> float:
    """When the limit ends a body that restarts it after each wait, in seconds from its begin."""
    loop = asyncio.get_running_loop()
    began = loop.time()

    async def body() -> None:
        async with SilenceLimit(limit) as silence:
            for wait in waits:
                await asyncio.sleep(wait)
                silence.restart(later)
            await asyncio.Event().wait()

    with pytest.raises(TimeoutError):
        await body()
    return loop.time() - began


@pytest.mark.parametrize(
    ("waits", "limit", "later", "end"),
    [
        ([], 5.0, None, 5.0),
        ([4.0, 2.5, 2.5], 5.0, 3.0, 12.0),
        ([1.0], 100.0, 2.0, 3.0),
        ([1.0], None, 2.0, 3.0),
        ([0.5] * 40, 1.0, 1.0, 21.0),
    ],
)
def test_it_ends_what_is_silent_for_too_long_and_nothing_else(
    waits: list[float], limit: float | None, later: float | None, end: float
) -> None:
    assert run_on_virtual_clock(silent_after(waits, limit, later)) == pytest.approx(end, abs=0.002)


def test_no_limit_ends_nothing() -> None:
    async def body() -> str:
        async with SilenceLimit(1.0) as silence:
            silence.restart(None)
            await asyncio.sleep(1000.0)
        return "done"

    assert run_on_virtual_clock(body()) == "done"


def test_a_cancel_from_elsewhere_stays_a_cancel() -> None:
    async def body() -> bool:
        async def waiting() -> None:
            async with SilenceLimit(10.0):
                await asyncio.Event().wait()

        task = asyncio.ensure_future(waiting())
        await asyncio.sleep(1.0)
        task.cancel()
        await asyncio.wait([task])
        await asyncio.sleep(60.0)
        return task.cancelled()

    assert run_on_virtual_clock(body())


def test_many_restarts_share_a_timer(monkeypatch: pytest.MonkeyPatch) -> None:
    async def body() -> int:
        loop = asyncio.get_running_loop()
        made = 0
        call_at = loop.call_at

        def counted(*arguments: object, **options: object) -> asyncio.TimerHandle:
            nonlocal made
            made += 1
            return call_at(*arguments, **options)  # type: ignore[arg-type]

        monkeypatch.setattr(loop, "call_at", counted)
        async with SilenceLimit(10.0) as silence:
            for _ in range(1000):
                silence.restart(10.0)
        return made

    assert run_on_virtual_clock(body()) == 1
