"""The protocol between the decoder and whatever streams tokens."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple, Self

from clients.errors import SpecError

FinishReason = Literal["stop", "length", "content_filter", "refusal", "error", "cancelled"]
Provenance = Literal["reported", "counted", "estimated"]


@dataclass(frozen=True, slots=True)
class Image:
    """One image, ready to send: encoded bytes without metadata.

    ``media_type`` is such as ``image/png``; ``width`` and ``height`` are pixels; ``sha256`` is of
    ``data``. ``name`` is the file's name without its folder, for messages and recordings only.
    """

    data: bytes = field(repr=False)
    media_type: str
    width: int
    height: int
    sha256: str
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Sampling:
    """How candidates are sampled. ``seed`` is per decode; candidate ``i`` uses ``seed + i``.

    ``top_logprobs`` asks for the log-probabilities of so many of the likeliest tokens at each
    place, where the client can tell them (see ``Piece``); providers give at most 20.
    """

    temperature: float = 1.0
    top_p: float | None = None
    max_tokens: int = 512
    seed: int | None = None
    top_logprobs: int | None = None

    def seeded(self, seed: int | None) -> Sampling:
        return replace(self, seed=seed)


@dataclass(frozen=True, slots=True)
class Request:
    """What one study asks of a client. ``study`` is the examination's id where it is known."""

    prompt: str
    images: tuple[Image, ...] = ()
    sampling: Sampling = Sampling()
    study: str | None = None


class TokenLogprob(NamedTuple):
    """A token's text and its natural log-probability."""

    token: str
    logprob: float


@dataclass(frozen=True, slots=True)
class Piece:
    """A text delta.

    ``tokens`` is how many output tokens the piece is known to hold, ``None`` when the client
    cannot tell. ``running_tokens`` is the provider's own count of all output tokens so far: it
    replaces what was known, and is never added. ``logprob`` is the natural log-probability of
    the piece. ``top_logprobs`` are the likeliest tokens, each with its natural log-probability, at
    the place of the piece's first token that is not blank; ``None`` where they were not asked for
    or are not told. ``text`` may be empty.
    """

    text: str
    tokens: int | None = 1
    running_tokens: int | None = None
    logprob: float | None = None
    top_logprobs: tuple[TokenLogprob, ...] | None = None


@dataclass(frozen=True, slots=True)
class Finish:
    """Why a stream ended. ``detail`` is the provider's own word or message."""

    reason: FinishReason
    detail: str | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """Token counts of one stream. ``None`` is unknown, never 0.

    ``image_tokens`` and ``cached_tokens`` are parts of ``prompt_tokens``; ``reasoning_tokens`` is a
    part of ``output_tokens``.
    """

    prompt_tokens: int | None = None
    image_tokens: int | None = None
    cached_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None
    provenance: Provenance = "reported"


class CandidateStream(ABC):
    """One candidate's stream of pieces.

    Iterate it once, from one task. Nothing is sent before the first ``__anext__``. When the
    iteration ends, ``finish`` is set, and ``usage`` where the provider told it. An iteration that
    fails raises ``StreamError``. A client in lockstep may set ``finish`` together with the last
    piece.
    """

    finish: Finish | None = None
    usage: Usage | None = None

    @property
    def undelivered(self) -> tuple[Piece, ...]:
        """Pieces that arrived and were not taken: after a cancel, what it came too late for."""
        return ()

    def __aiter__(self) -> Self:
        return self

    @abstractmethod
    async def __anext__(self) -> Piece: ...

    @abstractmethod
    async def cancel(self) -> None:
        """Stop the generation and return when the transport is closed.

        Idempotent; may be called from any task of the same loop, before, during and after the
        iteration. A reader that waits inside ``__anext__`` gets ``StopAsyncIteration`` with
        ``finish.reason == "cancelled"``. Errors that the cancel itself causes are swallowed.
        """


class SharedRequest(ABC):
    """One request whose answer holds K candidates, as OpenAI's and Mistral's ``n``.

    Its prompt is sent, and billed, once. No provider stops a single candidate of such a request:
    a stream that is cancelled is heard no more, but its candidate is generated on until the last
    stream has ended or been cancelled. That one's ``cancel`` closes the connection.
    """

    @property
    @abstractmethod
    def streams(self) -> tuple[CandidateStream, ...]:
        """One stream per candidate, in their order. The first ``__anext__`` sends the request."""

    @property
    @abstractmethod
    def usage(self) -> Usage | None:
        """The counts of the whole request, its output that of all candidates together; ``None``
        until the provider has told them, and where each stream has its own."""


class Client(ABC):
    """A source of candidate streams. Usable as ``async with``.

    ``name`` is the spec under which the client can be opened again, without secrets.
    ``lockstep`` says that pieces have no time of their own: the decoder then takes exactly one
    piece from every running candidate per step, which makes results exact and repeatable.
    ``ignores_images`` is true of clients that do not look at the images, ``can_share`` of those
    that stream several candidates of one request.
    """

    name: str
    lockstep: bool = False
    ignores_images: bool = False
    can_share: bool = False

    @abstractmethod
    def stream(self, request: Request, candidate: int) -> CandidateStream:
        """The stream of candidate number ``candidate`` (from 0). Opens nothing yet."""

    def shared(self, request: Request, k: int) -> SharedRequest:
        """The streams of ``k`` candidates that are asked for in one request. Opens nothing yet.

        Raises ``SpecError`` unless ``can_share``.
        """
        raise SpecError(
            f"{self.name} streams one candidate a request, so the launch plan shared cannot be "
            "used with it; use parallel, warm-first or staged:1"
        )

    async def check(self, request: Request, k: int) -> None:  # noqa: B027 - most need no check
        """Raise ``ClientError`` when this request cannot succeed, before anything is spent."""

    def full_tokens(self, request: Request, candidate: int) -> int | None:
        """The output tokens of a candidate's complete stream where they are known whether or not
        it is read, as in a recording; ``None`` otherwise."""
        return None

    async def aclose(self) -> None:  # noqa: B027 - some hold nothing
        """Close whatever the client holds. Idempotent."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.aclose()
