"""An event loop of one's own in a thread, so that synchronous code can call async code anywhere,
also inside a notebook whose loop is running."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar, cast

Value = TypeVar("Value")

CLEANING_SECONDS = 30.0
"""How long an interrupted call waits for its clean-up."""


class BackgroundLoop:
    """A daemon thread that runs one event loop until ``close``."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(
            target=self.loop.run_forever, name="sdr-decode", daemon=True
        )
        self._thread.start()

    def run(self, coroutine: Coroutine[Any, Any, Value]) -> Value:
        """Run to the end and return the value. An interrupt here cancels the coroutine, waits
        until it has cleaned up, and takes over the notes of what that ended."""
        over = threading.Event()
        notes: list[str] = []

        async def watched() -> tuple[Value | None, BaseException | None]:
            try:
                return await coroutine, None
            except (KeyboardInterrupt, SystemExit) as error:  # these would end the thread
                return None, error
            except BaseException as error:
                notes.extend(getattr(error, "__notes__", ()))
                raise
            finally:
                over.set()

        future = asyncio.run_coroutine_threadsafe(watched(), self.loop)
        try:
            value, ended = future.result()
        except BaseException as error:
            if not over.is_set():
                future.cancel()
                over.wait(CLEANING_SECONDS)
                for note in notes:
                    error.add_note(note)
            raise
        if ended is not None:
            raise ended
        return cast("Value", value)

    def cancel(self) -> None:
        """Cancel what still runs and wait until it has cleaned up."""
        self.run(_cancel_others())

    def close(self) -> None:
        """Cancel what still runs, stop the loop and join the thread. Idempotent."""
        if self.loop.is_closed():
            return
        self.cancel()
        self.run(self.loop.shutdown_asyncgens())
        self.run(self.loop.shutdown_default_executor())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join()
        self.loop.close()


async def _cancel_others() -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
