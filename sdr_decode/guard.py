"""Whatever a client's stream does, it harms no other candidate: what it raises becomes a failure
of its own, and what it gives is checked before it is counted."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import fields

from clients import CandidateStream, Finish, Piece, Usage
from clients.errors import ClientError, StreamError

PIECES_PER_TOKEN = 64
"""A stream that gives more pieces than this for every token it may write never ends by itself."""


def is_ours(error: BaseException) -> bool:
    """Whether an exception that came out of a stream was meant for us: our task is being
    cancelled, or a person pressed Ctrl-C. A stream that raises the like itself has failed."""
    if isinstance(error, asyncio.CancelledError):
        task = asyncio.current_task()
        return task is not None and task.cancelling() > 0
    return isinstance(error, KeyboardInterrupt) and (
        threading.current_thread() is threading.main_thread()
    )


def told(error: BaseException) -> str:
    """An error in words: a client's own are sentences, others are named with their type."""
    return str(error) if isinstance(error, ClientError) else repr(error)


def checked_piece(piece: object) -> Piece:
    """The piece, or a ``StreamError`` when it is none or counts what cannot be counted."""
    if not isinstance(piece, Piece) or not isinstance(piece.text, str):
        raise StreamError(f"the client gave {piece!r:.80}; expected a Piece with text")
    for count in (piece.tokens, piece.running_tokens):
        if not _is_count(count):
            raise StreamError(f"the client counted {count!r:.40} tokens; expected 0 or more")
    return piece


def checked_undelivered(stream: CandidateStream) -> list[Piece]:
    """The pieces that came and were never read, as far as they are pieces."""
    try:
        return [checked_piece(piece) for piece in stream.undelivered]
    except Exception:  # noqa: BLE001 - the stream is stopped; what it cannot tell is not known
        return []


def checked_finish(finish: object) -> Finish:
    """The finish; one that is missing or malformed is an error of the stream."""
    if isinstance(finish, Finish):
        return finish
    if finish is None:
        return Finish("error", "the stream ended without a finish reason")
    return Finish("error", f"the client gave the finish {finish!r:.80}; expected a Finish")


def checked_usage(usage: object) -> Usage | None:
    """The usage, or ``None`` when it is none or counts what cannot be counted."""
    if not isinstance(usage, Usage):
        return None
    counts = [getattr(usage, each.name) for each in fields(usage) if each.name != "provenance"]
    return usage if all(map(_is_count, counts)) else None


def _is_count(count: object) -> bool:
    return count is None or (type(count) is int and count >= 0)
