from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.clients.contract.answers import read
from tests.clients.contract.clock import Clock
from tests.engine.contract.case import EngineCase, brief
from tests.engine.metrics import once_idle
from tests.engine.targets import ProcessTarget
from tests.engine.test_reports import STEPS

# A request that nobody stops writes hundreds of tokens.
FEW_TOKENS = 100


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest_asyncio.fixture(loop_scope="session")
async def case(reporter: ProcessTarget, clock: Clock) -> AsyncIterator[EngineCase]:
    """Whatever a test does, no request, KV block or task outlives it."""
    if reporter.engine.output_handler is None:
        # With its first request the engine begins tasks of its own.
        await read(reporter.open().stream(brief(1), 0))
    before = await once_idle(reporter.metrics)
    tasks = asyncio.all_tasks()
    case = EngineCase(reporter.engine, clock)
    yield case

    assert reporter.engine.output_processor.get_num_unfinished_requests() == 0
    after = await once_idle(reporter.metrics)
    passed = sum(engine.passed for engine in case.opened)
    asked = sum(len(engine.asked) for engine in case.opened)
    assert after.generated - before.generated - passed <= FEW_TOKENS + STEPS * asked
    assert asyncio.all_tasks() - tasks == {asyncio.current_task()}
