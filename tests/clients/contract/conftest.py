from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from tests.clients.case import ClientCase
from tests.clients.cases import CASES
from tests.clients.contract.clock import Clock


@pytest.fixture(params=CASES, ids=lambda case: case.name)
def case(request: pytest.FixtureRequest) -> ClientCase:
    return request.param


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(autouse=True)
async def no_task_is_left() -> AsyncIterator[None]:
    yield
    for _ in range(10):  # generators that a vendor's SDK leaves unfinished are closed by the loop
        await asyncio.sleep(0)
    assert asyncio.all_tasks() == {asyncio.current_task()}
