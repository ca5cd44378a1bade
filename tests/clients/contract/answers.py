"""What the contract suite asks, and what its servers answer."""

from __future__ import annotations

import asyncio
import gc
import itertools
from pathlib import Path

from clients import CandidateStream, Request, Sampling
from tests.clients.case import ClientCase
from tests.clients.wire_server import SAFETY_SECONDS, Answer

REQUEST = Request("Describe the study.", sampling=Sampling(max_tokens=64, seed=7))
REPORT = "Findings: The heart is normal. Impression: Clear lungs."
DESCRIPTORS = Path("/proc/self/fd")


def complete(case: ClientCase, text: str = REPORT) -> Answer:
    words = [case.text(word) for word in text.split(" ")[:1]]
    words += [case.text(" " + word) for word in text.split(" ")[1:]]
    return Answer([*words, case.finish("stop"), case.usage(20, len(words)), case.end()])


def endless(case: ClientCase, **options: bool) -> Answer:
    return Answer(itertools.repeat(case.text("word ")), **options)


async def read(stream: CandidateStream) -> str:
    async with asyncio.timeout(SAFETY_SECONDS):
        return "".join([piece.text async for piece in stream])


def open_descriptors() -> int:
    gc.collect()
    return len(list(DESCRIPTORS.iterdir()))
