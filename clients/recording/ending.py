"""How a stream's end is written in a recording, and read from it.

The format knows four finish reasons. What it has no word for stands in keys of its own: a refusal
is ``content_filter`` with ``"refusal": true``, a cancelled stream is ``error`` with
``"cancelled": true``, because what would have followed is unknown. ``"detail"`` is the provider's
own word or the error's message.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, get_args

from clients.base import Finish, FinishReason, Provenance, Usage
from clients.recording.study import COUNTS, RecordedCandidate, RecordedReason

_PROVENANCES: tuple[Provenance, ...] = get_args(Provenance)


def write_finish(finish: Finish) -> tuple[RecordedReason, dict[str, Any]]:
    """The finish reason of the format, and the keys beside it."""
    extra: dict[str, Any] = {} if finish.detail is None else {"detail": finish.detail}
    match finish.reason:
        case "cancelled":
            return "error", {"cancelled": True, **extra}
        case "refusal":
            return "content_filter", {"refusal": True, **extra}
        case reason:
            return reason, extra


def read_finish(candidate: RecordedCandidate) -> Finish:
    """The end as it was. A stream that was cancelled comes back as an error: replaying further
    than it was recorded is not possible."""
    detail = candidate.extra.get("detail")
    detail = detail if isinstance(detail, str) else None
    reason: FinishReason = candidate.finish_reason
    if reason == "content_filter" and candidate.extra.get("refusal") is True:
        reason = "refusal"
    if reason == "error" and candidate.extra.get("cancelled") is True:
        detail = "the stream was cancelled when it was recorded, so its end is unknown"
    elif reason == "error" and detail is None:
        detail = "the stream failed when it was recorded"
    return Finish(reason, detail)


def write_usage(usage: Usage | None) -> dict[str, Any] | None:
    """What is known of a usage."""
    if usage is None:
        return None
    return {key: value for key, value in asdict(usage).items() if value is not None}


def read_usage(candidate: RecordedCandidate) -> Usage | None:
    """The usage as it was recorded, or else a count of the pieces where their tokens are known."""
    recorded = candidate.usage
    if recorded is not None:
        counts = {key: recorded[key] for key in COUNTS if type(recorded.get(key)) is int}
        words = [word for word in _PROVENANCES if word == recorded.get("provenance")]
        return Usage(**counts, provenance=words[0] if words else "reported")
    known = [tokens for at in range(len(candidate.tokens)) if (tokens := candidate.tokens_of(at))]
    counted = candidate.pieces_known and None not in (candidate.piece_tokens or ())
    return Usage(output_tokens=sum(known), provenance="counted") if counted else None


def full_tokens(candidate: RecordedCandidate) -> int | None:
    """The output tokens of the complete stream, ``None`` where the recording cannot tell: only
    its text was kept, or it was cancelled."""
    usage = read_usage(candidate)
    cancelled = candidate.extra.get("cancelled") is True
    return None if usage is None or cancelled else usage.output_tokens
