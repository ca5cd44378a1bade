"""An encoder without a model: the vector of a text is drawn at random from the text's hash."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sdr_decode.encoder import TEXT_FORM, Fingerprint


class FakeEncoder:
    """Unit vectors that depend on the text alone. ``max_tokens`` counts words.

    ``batches`` keeps the texts of every call of ``encode``.
    """

    def __init__(self, dimension: int = 32, *, name: str = "fake", max_tokens: int = 50) -> None:
        self.fingerprint = Fingerprint(
            name=name,
            weights_sha256=hashlib.sha256(f"{name} {dimension}".encode()).hexdigest(),
            normalised=True,
            max_tokens=max_tokens,
            text_form=TEXT_FORM,
            dimension=dimension,
        )
        self.batches: list[tuple[str, ...]] = []
        self._over_long: dict[str, None] = {}
        self._lock = threading.Lock()

    @property
    def dimension(self) -> int:
        return self.fingerprint.dimension

    @property
    def over_long(self) -> int:
        return len(self._over_long)

    @property
    def over_long_texts(self) -> tuple[str, ...]:
        return tuple(self._over_long)

    def is_over_long(self, texts: Sequence[str]) -> list[bool]:
        return [len(text.split()) > self.fingerprint.max_tokens for text in texts]

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        with self._lock:
            self.batches.append(tuple(texts))
            for text, too_long in zip(texts, self.is_over_long(texts), strict=True):
                if too_long:
                    self._over_long[text] = None
        rows = [self._vector(text) for text in texts]
        return np.array(rows, dtype=np.float32).reshape(len(rows), self.dimension)

    def _vector(self, text: str) -> NDArray[np.float64]:
        digest = hashlib.sha256(f"{self.fingerprint.name} {text}".encode()).digest()
        drawn = np.random.default_rng(int.from_bytes(digest[:8])).normal(size=self.dimension)
        vector: NDArray[np.float64] = drawn / np.linalg.norm(drawn)
        return vector
