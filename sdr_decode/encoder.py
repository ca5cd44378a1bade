"""The frozen sentence encoder: texts in, unit vectors out."""

from __future__ import annotations

import copy
import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sdr_decode.encoder_files import encoder_name, find_encoder, hash_weights
from sdr_decode.errors import EncoderError

DEFAULT_ENCODER = "all-mpnet-base-v2"
TEXT_FORM = "normalised-1"  # sentences.as_embedded(sentences.normalise(text))
OVER_LONG_KEPT = 20


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What decides an encoder's vectors.

    ``weights_sha256`` is of the safetensors file; ``max_tokens`` is how many tokens of a text are
    looked at; ``text_form`` names the form in which sentences are embedded; ``dimension`` is the
    length of a vector. ``name`` is for people: the same weights under another name are the same
    encoder.
    """

    name: str
    weights_sha256: str
    normalised: bool
    max_tokens: int
    text_form: str
    dimension: int

    def matches(self, other: Fingerprint) -> bool:
        """Whether both give the same vectors (everything but the name is equal)."""
        return self._deciding() == other._deciding()

    def _deciding(self) -> tuple[object, ...]:
        return (
            self.weights_sha256,
            self.normalised,
            self.max_tokens,
            self.text_form,
            self.dimension,
        )

    def __str__(self) -> str:
        return (
            f"{self.name} (weights {self.weights_sha256[:12]}, {self.dimension} dimensions, "
            f"{self.max_tokens} tokens, text form {self.text_form})"
        )


class Encoder(Protocol):
    """Turns sentences into unit vectors. Safe to call from several threads.

    Sentences come in the form ``sentences.as_embedded(sentences.normalise(text))`` and are
    embedded as they are.
    """

    @property
    def fingerprint(self) -> Fingerprint: ...

    @property
    def dimension(self) -> int: ...

    @property
    def over_long(self) -> int:
        """How many distinct texts so far had more tokens than the encoder looks at."""

    @property
    def over_long_texts(self) -> tuple[str, ...]:
        """The first of those texts."""

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The vectors of ``texts``, shape (n, d), every row of length 1."""

    def is_over_long(self, texts: Sequence[str]) -> list[bool]:
        """For each text, whether it has more tokens than the encoder looks at."""


class SentenceTransformerEncoder:
    """A sentence-transformers model with a fingerprint. Make it with ``load_encoder``."""

    def __init__(self, model: Any, name: str, weights_sha256: str) -> None:
        self._model = model
        self._lock = threading.Lock()
        # A copy of its own: the model switches truncation on and off in its tokenizer, which
        # another thread must not be using meanwhile.
        self._tokenizer = copy.deepcopy(model.tokenizer)
        self._tokenizer_lock = threading.Lock()
        self._over_long: set[int] = set()
        self._over_long_texts: list[str] = []
        limit = model.max_seq_length
        max_tokens = int(self._tokenizer.model_max_length if limit is None else limit)
        dimension = self._embed(["no acute disease."]).shape[1]
        self.fingerprint = Fingerprint(
            name=name,
            weights_sha256=weights_sha256,
            normalised=True,
            max_tokens=max_tokens,
            text_form=TEXT_FORM,
            dimension=dimension,
        )

    @property
    def dimension(self) -> int:
        return self.fingerprint.dimension

    @property
    def over_long(self) -> int:
        return len(self._over_long)

    @property
    def over_long_texts(self) -> tuple[str, ...]:
        return tuple(self._over_long_texts)

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors, shape (n, d), float32.

        An over-long text is embedded from its first ``max_tokens`` tokens, and counted. Raises
        ``EncoderError`` when a vector has no direction (all zero, or not finite).
        """
        if not texts:
            return np.empty((0, self.dimension), dtype=np.float32)
        for text, too_long in zip(texts, self.is_over_long(texts), strict=True):
            if too_long and hash(text) not in self._over_long:
                self._over_long.add(hash(text))
                if len(self._over_long_texts) < OVER_LONG_KEPT:
                    self._over_long_texts.append(text)
        return unit_rows(self._embed(texts), texts)

    def is_over_long(self, texts: Sequence[str]) -> list[bool]:
        if not texts:
            return []
        with self._tokenizer_lock:
            ids = self._tokenizer(list(texts), truncation=False, padding=False, verbose=False)
        return [len(tokens) > self.fingerprint.max_tokens for tokens in ids["input_ids"]]

    def _embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        with self._lock:
            return np.asarray(
                self._model.encode(
                    list(texts), batch_size=64, show_progress_bar=False, convert_to_numpy=True
                ),
                dtype=np.float32,
            )


def unit_rows(vectors: NDArray[np.float32], texts: Sequence[str]) -> NDArray[np.float32]:
    """``vectors`` (n, d) with every row scaled to length 1. ``texts`` (n) are for the message of
    the ``EncoderError`` that is raised for a row without a direction."""
    with np.errstate(over="ignore", invalid="ignore"):
        lengths = np.linalg.norm(vectors.astype(np.float64), axis=1)
    broken = np.flatnonzero(~(np.isfinite(lengths) & (lengths > 0)))
    if broken.size:
        raise EncoderError(
            f"the encoder gave a vector of length {lengths[broken[0]]} for {texts[broken[0]]!r}; "
            "expected a finite vector other than zero: its weights may be damaged, or the "
            "computation overflowed; try device='cpu' or another encoder"
        )
    unit: NDArray[np.float32] = (vectors / lengths[:, None]).astype(np.float32)
    return unit


def load_encoder(
    name_or_path: str | os.PathLike[str] = DEFAULT_ENCODER,
    *,
    device: str | None = None,
    threads: int | None = None,
) -> SentenceTransformerEncoder:
    """Load an encoder from a folder or by its name.

    ``device`` is torch's (``cpu``, ``cuda``), the best there is when ``None``; ``threads`` is how
    many threads torch computes with in this process. Raises ``EncoderError`` when the encoder is
    not found, has no safetensors, or cannot be loaded. Runs no code that comes with a model.
    """
    given = os.fspath(name_or_path)
    folder = find_encoder(given)
    weights = hash_weights(folder)
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    try:
        import torch  # noqa: PLC0415
        from sentence_transformers import SentenceTransformer  # noqa: PLC0415
    except ImportError as error:
        raise EncoderError(
            f"sentence-transformers and torch are needed to embed sentences ({error}): "
            "pip install sentence-transformers torch"
        ) from error
    if threads is not None:
        torch.set_num_threads(threads)
    with _no_progress_bars():
        try:
            model = SentenceTransformer(
                str(folder),
                device=device,
                local_files_only=True,
                trust_remote_code=False,
                model_kwargs={"use_safetensors": True},
            )
            return SentenceTransformerEncoder(model.eval(), encoder_name(given), weights)
        except EncoderError:
            raise
        except Exception as error:  # whatever a damaged folder makes the loaders raise
            raise EncoderError(
                f"the encoder in {Path(folder)} cannot be loaded "
                f"({type(error).__name__}: {(str(error).splitlines() or [''])[0]}); expected a "
                "complete sentence-transformers folder: get it again, for example with "
                "`sdr-index fetch encoder all-mpnet-base-v2`"
            ) from error


@contextmanager
def _no_progress_bars() -> Iterator[None]:
    import transformers  # noqa: PLC0415

    logging: Any = transformers.utils.logging
    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()
