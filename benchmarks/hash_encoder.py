"""An encoder that costs next to nothing: the vector of a text is drawn from the text's hash."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sdr_decode.encoder import TEXT_FORM, Fingerprint


class HashEncoder:
    """Unit vectors of length 64 without any meaning."""

    dimension = 64
    over_long = 0
    over_long_texts: tuple[str, ...] = ()
    fingerprint = Fingerprint("hash", "0" * 64, True, 512, TEXT_FORM, dimension)

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        vectors = np.empty((len(texts), self.dimension), np.float32)
        for row, text in enumerate(texts):
            digest = hashlib.shake_128(text.encode()).digest(self.dimension)
            vectors[row] = np.frombuffer(digest, np.uint8).astype(np.float32) - 127.5
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors

    def is_over_long(self, texts: Sequence[str]) -> list[bool]:
        return [False for _ in texts]
