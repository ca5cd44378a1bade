"""The engine in this process as the contract suite sees it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from clients import CandidateStream, Request, Sampling
from clients.reader import Pace
from clients.vllm import VLLMClient
from tests.clients.contract.clock import Clock
from tests.clients.reading import pieces_of
from tests.engine.contract.faulty_engine import Fault, FaultyEngine
from tests.engine.targets import NAME

# Much longer than any test reads, so that a request which runs on gives itself away.
REQUEST = Request("Tags: Opacity/lung/base/left", sampling=Sampling(max_tokens=900, seed=7))
ENDLESS: Mapping[str, Any] = {"ignore_eos": True}


def brief(max_tokens: int = 6) -> Request:
    return Request(REQUEST.prompt, sampling=Sampling(max_tokens=max_tokens, seed=7))


async def tokens_of(stream: CandidateStream) -> int:
    """How many tokens arrive. A piece may hold several, where the client is slower than vLLM."""
    return sum(piece.tokens or 0 for piece in await pieces_of(stream))


@dataclass
class EngineCase:
    engine: Any
    clock: Clock
    opened: list[FaultyEngine] = field(default_factory=list)

    def open(
        self,
        *script: Fault,
        pace: Pace | None = None,
        more_sampling: Mapping[str, Any] = ENDLESS,
        max_concurrency: int = 256,
    ) -> tuple[FaultyEngine, VLLMClient]:
        """The engine that goes wrong as told, and a client of it."""
        engine = FaultyEngine(self.engine, *script)
        self.opened.append(engine)
        client = VLLMClient(
            NAME,
            engine=engine,  # type: ignore[arg-type]
            pace=pace or self.clock.pace(),
            more_sampling=more_sampling,
            max_concurrency=max_concurrency,
        )
        return engine, client
