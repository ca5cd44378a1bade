"""One encoder shared by many decodes: each text embedded once, what comes together in one batch."""

from __future__ import annotations

import asyncio
import threading
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from typing import Self, cast

import numpy as np
from numpy.typing import NDArray

from sdr_decode.encoder import Encoder
from sdr_decode.errors import EncoderError

Vector = NDArray[np.float32]


class BatchedEncoder:
    """Embeds in a worker thread of its own, off every event loop.

    Whenever the worker is free it takes what has been asked for meanwhile, at most ``max_batch``
    texts, and embeds it in one batch. The last ``cache`` texts are remembered; a text that is
    being embedded is shared by all who ask for it. The encoder may be given as a function that
    makes it, which is called in the worker for the first text, and again for a later one if it
    fails. Safe to use from any number of threads and event loops.
    """

    def __init__(
        self,
        encoder: Encoder | Callable[[], Encoder],
        *,
        max_batch: int = 64,
        cache: int = 100_000,
    ) -> None:
        if max_batch < 1 or cache < 0:
            raise ValueError("max_batch is at least 1 and cache at least 0")
        self.max_batch = max_batch
        self.embedded = 0
        """How many texts have really been embedded."""
        made = hasattr(encoder, "encode")
        self._encoder = cast("Encoder", encoder) if made else None
        self._factory = None if made else cast("Callable[[], Encoder]", encoder)
        self._loading = threading.Lock()
        self._capacity = cache
        self._cache: OrderedDict[str, Vector] = OrderedDict()
        self._waiting: dict[str, Future[Vector]] = {}
        self._queue: deque[str] = deque()
        self._changed = threading.Condition()
        self._worker: threading.Thread | None = None
        self._closed = False

    async def encode(self, texts: Sequence[str]) -> Vector:
        """The unit vectors of ``texts``, shape (n, d), (0, 0) of no texts.

        Raises what the encoder raised for the batch in which a text was, and ``EncoderError``
        after ``close``. Cancelling it leaves others who wait for the same texts alone.
        """
        known, futures = self._ask(texts)
        if futures:
            waiting = [asyncio.wrap_future(future) for future in futures.values()]
            known.update(zip(futures, await asyncio.gather(*waiting), strict=True))
        return _stacked(known[text] for text in texts)

    def encode_now(self, texts: Sequence[str]) -> Vector:
        """As ``encode``, waiting in the calling thread. Not for use in an event loop."""
        known, futures = self._ask(texts)
        for text, future in futures.items():
            known[text] = future.result()
        return _stacked(known[text] for text in texts)

    def remember(self, texts: Sequence[str], vectors: Vector) -> None:
        """Take vectors (n, d) that the same encoder made earlier. They count against ``cache``."""
        with self._changed:
            self._cache.update(zip(texts, vectors, strict=True))
            while len(self._cache) > self._capacity:
                self._cache.popitem(last=False)

    def unknown(self, texts: Sequence[str]) -> list[str]:
        """Those of ``texts`` whose vectors are not remembered."""
        with self._changed:
            return [text for text in texts if text not in self._cache]

    def remembered(self) -> tuple[list[str], Vector]:
        """The texts whose vectors are remembered, and these vectors (n, d)."""
        with self._changed:
            return list(self._cache), _stacked(self._cache.values())

    def load(self) -> Encoder:
        """The encoder, made now if it has not been made yet. Blocks meanwhile."""
        with self._loading:
            if self._encoder is None:
                assert self._factory is not None
                self._encoder = self._factory()
            return self._encoder

    @property
    def loaded(self) -> bool:
        return self._encoder is not None

    @property
    def over_long(self) -> int:
        """How many distinct texts so far had more tokens than the encoder looks at."""
        return 0 if self._encoder is None else self._encoder.over_long

    def is_over_long(self, texts: Sequence[str]) -> list[bool]:
        """For each text, whether the encoder looks at its beginning only. Loads the encoder."""
        return self.load().is_over_long(texts)

    def close(self) -> None:
        """Stop the worker when its batch is done. Who still waits gets ``EncoderError``.
        Idempotent."""
        with self._changed:
            self._closed = True
            worker = self._worker
            self._changed.notify_all()
        if worker is not None and worker is not threading.current_thread():
            worker.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _ask(self, texts: Sequence[str]) -> tuple[dict[str, Vector], dict[str, Future[Vector]]]:
        """What is known of ``texts`` already, and the futures of the rest."""
        known: dict[str, Vector] = {}
        futures: dict[str, Future[Vector]] = {}
        with self._changed:
            if self._closed:
                raise EncoderError("the encoder was closed; make a new one")
            new = []
            for text in dict.fromkeys(texts):
                if text in self._cache:
                    self._cache.move_to_end(text)
                    known[text] = self._cache[text]
                    continue
                if text not in self._waiting:
                    future: Future[Vector] = Future()
                    future.set_running_or_notify_cancel()  # no waiter can cancel it for the others
                    self._waiting[text] = future
                    new.append(text)
                futures[text] = self._waiting[text]
            if new:
                self._queue.extend(sorted(new, key=len))  # texts of like length waste no padding
                if self._worker is None:
                    self._worker = threading.Thread(
                        target=self._work, name="sdr-encoder", daemon=True
                    )
                    self._worker.start()
                self._changed.notify_all()
        return known, futures

    def _work(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._queue or self._closed)
                if self._closed:
                    left = [self._waiting.pop(text) for text in self._queue]
                    self._queue.clear()
                    break
                size = min(self.max_batch, len(self._queue))
                batch = [self._queue.popleft() for _ in range(size)]
            try:
                vectors = self.load().encode(batch)
                if len(vectors) != len(batch):
                    raise EncoderError(f"{len(batch)} texts gave {len(vectors)} vectors")
            except BaseException as error:  # noqa: BLE001 - it goes to those who wait
                for future in self._finish(batch, None):
                    future.set_exception(error)
            else:
                for future, vector in zip(self._finish(batch, vectors), vectors, strict=True):
                    future.set_result(vector)
        for future in left:
            future.set_exception(EncoderError("the encoder was closed before it got to a text"))

    def _finish(self, batch: list[str], vectors: Vector | None) -> list[Future[Vector]]:
        """Take the futures of a batch off the books, and remember its vectors."""
        with self._changed:
            if vectors is not None:
                self.embedded += len(batch)
                for text, vector in zip(batch, vectors, strict=True):
                    self._cache[text] = vector.copy()  # a view would keep the whole batch alive
                while len(self._cache) > self._capacity:
                    self._cache.popitem(last=False)
            return [self._waiting.pop(text) for text in batch]


def _stacked(vectors: Iterable[Vector]) -> Vector:
    rows = list(vectors)
    return np.stack(rows) if rows else np.empty((0, 0), dtype=np.float32)
