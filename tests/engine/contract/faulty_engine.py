"""A real engine whose answers go wrong on the way to the client."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any

Outputs = AsyncGenerator[Any, None]
Fault = Callable[[Outputs], Outputs]


@dataclass(frozen=True, slots=True)
class Asked:
    """A request as the engine got it."""

    request_id: str
    prompt: Any
    sampling: Any


class FaultyEngine:
    """``engine``, with one fault a request, in their order; the last one repeats.

    ``asked`` are the requests that reached it, each put into ``arrivals`` when it comes. ``passed``
    counts the tokens that the real engine gave out.
    """

    def __init__(self, engine: Any, *script: Fault) -> None:
        self.asked: list[Asked] = []
        self.arrivals: asyncio.Queue[Asked] = asyncio.Queue()
        self.open = self.most_open = 0
        self.passed = 0
        self._engine = engine
        self._script = script or (untouched,)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)

    async def generate(self, prompt: Any, sampling: Any, request_id: str) -> Outputs:
        fault = self._script[min(len(self.asked), len(self._script) - 1)]
        self.asked.append(Asked(request_id, prompt, sampling))
        self.arrivals.put_nowait(self.asked[-1])
        self.open += 1
        self.most_open = max(self.most_open, self.open)
        try:
            async with (
                aclosing(self._counted(prompt, sampling, request_id)) as real,
                aclosing(fault(real)) as outputs,
            ):
                async for output in outputs:
                    yield output
        finally:
            self.open -= 1

    async def _counted(self, *arguments: Any) -> Outputs:
        async with aclosing(self._engine.generate(*arguments)) as outputs:
            async for output in outputs:
                self.passed += len(output.outputs[0].token_ids)
                yield output

    @property
    def unfinished(self) -> int:
        """Requests that the real engine's front has not seen the end of."""
        count: int = self._engine.output_processor.get_num_unfinished_requests()
        return count


async def untouched(outputs: Outputs) -> Outputs:
    async for output in outputs:
        yield output


def ending(after: int) -> Fault:
    """Ends after so many outputs, without a finish."""

    async def fault(outputs: Outputs) -> Outputs:
        number = 0
        async for output in outputs:
            if number == after:  # the next one is lost: the request runs, however early this is
                return
            yield output
            number += 1

    return fault


def raising(error: Exception, after: int = 0) -> Fault:
    """Fails instead of the output that comes after so many."""

    async def fault(outputs: Outputs) -> Outputs:
        async for output in ending(after)(outputs):
            yield output
        raise error

    return fault


def stalling(after: int = 0, *, at_once: Callable[[], object] = lambda: None) -> Fault:
    """Gives nothing more after so many outputs, and calls ``at_once`` when that begins."""

    async def fault(outputs: Outputs) -> Outputs:
        async for output in ending(after)(outputs):
            yield output
        at_once()
        await asyncio.Event().wait()

    return fault


def edited(edit: Callable[[int, Any], Iterable[Any]]) -> Fault:
    """Gives what ``edit`` makes of each output and its number, up to a finish."""

    async def fault(outputs: Outputs) -> Outputs:
        number = 0
        async for output in outputs:
            for changed in edit(number, output):
                yield changed
                if changed.outputs and changed.outputs[0].finish_reason is not None:
                    return
            number += 1

    return fault


def finishing(reason: str, after: int = 0) -> Fault:
    """Finishes for ``reason`` in an output of its own, after so many others."""
    return edited(lambda number, output: [output] if number < after else [hollow(output, reason)])


def part(output: Any, **fields: Any) -> Any:
    """The output, with these fields of its completion in place of its own."""
    copied = copy.copy(output)
    copied.outputs = [replace(output.outputs[0], **fields)]
    return copied


def hollow(output: Any, finish_reason: str | None = None) -> Any:
    """The output without text and tokens."""
    return part(output, text="", token_ids=[], finish_reason=finish_reason)
