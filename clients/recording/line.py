"""One study to one JSON line, and back. Errors do not name the file: the reader adds that."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Mapping
from typing import Any, NoReturn, get_args

from clients.errors import RecordingError
from clients.recording.study import (
    COUNTS,
    RecordedCandidate,
    RecordedReason,
    RecordedStudy,
    Reference,
    word_pieces,
)

_REASONS: tuple[RecordedReason, ...] = get_args(RecordedReason)
_STUDY_KEYS = ("study", "prompt", "reference", "candidates")
_REFERENCE_KEYS = ("findings", "impression")
_PER_PIECE = ("times", "logprobs", "piece_tokens", "running_tokens")
_CANDIDATE_KEYS = ("tokens", "text", "finish_reason", *_PER_PIECE, "usage", "source")
MOST_TOKENS = 10**12
_KIND_NAMES = {
    str: "a string",
    dict: "an object",
    list: "a list",
    bool: "true or false",
    int: "a number",
    float: "a number",
    type(None): "null",
}


def study_from_line(line: str) -> RecordedStudy:
    """Read one line. Raises ``RecordingError``."""
    try:
        value = json.loads(line, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise RecordingError(
            f"found broken JSON ({error.msg} at column {error.colno}); expected one study as one "
            "JSON object; repair or remove the line"
        ) from None
    except (ValueError, RecursionError) as error:
        raise RecordingError(f"found JSON that cannot be read ({error}); remove the line") from None
    study = _typed(value, dict, "the line")
    candidates = _required(study, "candidates", list)
    if not candidates:
        raise RecordingError("found no candidates; expected one or more")
    identity = _required(study, "study", str)
    if not identity:
        raise RecordingError("found an empty 'study'; expected the study's id")
    return RecordedStudy(
        study=identity,
        prompt=_required(study, "prompt", str),
        reference=_reference(study.get("reference")),
        candidates=tuple(_candidate(item, at) for at, item in enumerate(candidates)),
        extra=_extra(study, _STUDY_KEYS),
    )


def line_from_study(study: RecordedStudy, *, canonical: bool = False) -> bytes:
    """The line of a study, without a line end. ``canonical`` sorts the keys.

    Raises ``RecordingError`` where the line could not be read again.
    """
    try:
        value = _study_value(study)
        line = json.dumps(
            value,
            ensure_ascii=False,
            allow_nan=False,
            sort_keys=canonical,
            separators=(",", ":") if canonical else None,
        )
    except (TypeError, ValueError) as error:
        raise RecordingError(
            f"the study {study.study!r} holds what JSON cannot ({error}); "
            "expected strings, finite numbers, lists and objects"
        ) from None
    try:
        return line.encode()
    except UnicodeEncodeError:  # half a surrogate pair: JSON can escape it, UTF-8 cannot hold it
        return json.dumps(value, sort_keys=canonical, separators=(",", ":")).encode()


def _study_value(study: RecordedStudy) -> dict[str, Any]:
    value: dict[str, Any] = {"study": study.study, "prompt": study.prompt}
    if study.reference is not None:
        known = {"findings": study.reference.findings, "impression": study.reference.impression}
        value["reference"] = known | _foreign(study.reference.extra, _REFERENCE_KEYS)
    value |= _foreign(study.extra, _STUDY_KEYS)
    value["candidates"] = [_candidate_value(candidate) for candidate in study.candidates]
    return value


def _candidate_value(candidate: RecordedCandidate) -> dict[str, Any]:
    value: dict[str, Any] = (
        {"tokens": candidate.tokens} if candidate.pieces_known else {"text": candidate.text}
    )
    value["finish_reason"] = candidate.finish_reason
    for key in (*_PER_PIECE, "usage", "source"):
        known = getattr(candidate, key)
        if known is not None:
            value[key] = dict(known) if key == "usage" else known
    return value | _foreign(candidate.extra, _CANDIDATE_KEYS)


def _foreign(extra: Mapping[str, Any], known: tuple[str, ...]) -> dict[str, Any]:
    for key in extra:
        if key in known:
            raise RecordingError(f"the extra key {key!r} is a key of the format; use the field")
    return dict(extra)


def _usage(candidate: dict[str, Any], where: str) -> dict[str, Any] | None:
    usage: dict[str, Any] | None = _optional(candidate, "usage", dict, where)
    for key in COUNTS:
        count = (usage or {}).get(key)
        if count is not None and not (type(count) is int and 0 <= count <= MOST_TOKENS):
            raise RecordingError(
                f"{where}: found {count!r:.40} as {key!r} of 'usage'; expected a whole number of "
                "tokens"
            )
    return usage


def _candidate(value: object, at: int) -> RecordedCandidate:
    where = f"candidate {at}"
    candidate = _typed(value, dict, where)
    reason = _required(candidate, "finish_reason", str, where)
    if reason not in _REASONS:
        raise RecordingError(
            f"{where}: found the finish_reason {reason!r}; expected {', '.join(_REASONS)}"
        )
    pieces_known = "tokens" in candidate
    if pieces_known:
        tokens = _tokens(candidate, where)
    elif "text" in candidate:
        tokens = word_pieces(_required(candidate, "text", str, where))
    else:
        raise RecordingError(f"{where}: found neither 'tokens' nor 'text'; expected one of them")
    lists = {key: _per_piece(candidate, key, where, pieces_known) for key in _PER_PIECE}
    return RecordedCandidate(
        tokens=tokens,
        finish_reason=reason,
        usage=_usage(candidate, where),
        source=_optional(candidate, "source", str, where),
        pieces_known=pieces_known,
        extra=_extra(candidate, _CANDIDATE_KEYS),
        **lists,
    )


def _tokens(candidate: dict[str, Any], where: str) -> tuple[str, ...]:
    tokens = _required(candidate, "tokens", list, where)
    for at, token in enumerate(tokens):
        if type(token) is not str:
            _typed(token, str, f"{where}: token {at}")
    text = candidate.get("text")
    if text is not None and text != "".join(tokens):
        raise RecordingError(f"{where}: 'text' and 'tokens' tell different reports; drop one")
    return tuple(map(sys.intern, tokens))


def _per_piece(
    candidate: dict[str, Any], key: str, where: str, pieces_known: bool
) -> tuple[Any, ...] | None:
    values = _optional(candidate, key, list, where)
    if values is None:
        return None
    if not pieces_known:
        raise RecordingError(f"{where}: found {key!r} without 'tokens'; it has one entry a token")
    if len(values) != len(candidate["tokens"]):
        raise RecordingError(
            f"{where}: found {len(values)} {key} for {len(candidate['tokens'])} tokens; "
            "expected one each"
        )
    if key in ("piece_tokens", "running_tokens"):
        if all(value is None or (type(value) is int and value >= 0) for value in values):
            return tuple(values)
        raise RecordingError(f"{where}: {key} expects whole numbers of at least 0, or null")
    numbers = tuple(None if value is None else _finite(value) for value in values)
    if key == "logprobs":
        if all(number is None or number == number for number in numbers):  # noqa: PLR0124
            return numbers
        raise RecordingError(f"{where}: logprobs expects finite numbers, or null")
    last = 0.0
    for number in numbers:
        if number is None or not number >= last:
            raise RecordingError(
                f"{where}: times expects seconds from the request, from 0 and never falling"
            )
        last = number
    return numbers


def _finite(value: object) -> float:
    """The number, or NaN where it is none."""
    if type(value) not in (int, float):
        return math.nan
    try:
        number = float(value)  # type: ignore[arg-type]
    except OverflowError:
        return math.nan
    return number if math.isfinite(number) else math.nan


def _reference(value: object) -> Reference | None:
    if value is None:
        return None
    reference = _typed(value, dict, "'reference'")
    findings, impression = (
        _optional(reference, key, str, "the reference") or "" for key in _REFERENCE_KEYS
    )
    return Reference(findings, impression, _extra(reference, _REFERENCE_KEYS))


def _extra(value: dict[str, Any], known: tuple[str, ...]) -> dict[str, Any]:
    return {key: item for key, item in value.items() if key not in known}


def _required(value: dict[str, Any], key: str, kind: type, where: str | None = None) -> Any:
    prefix = f"{where}: " if where else ""
    if key not in value:
        raise RecordingError(f"{prefix}found no {key!r}; expected {_KIND_NAMES[kind]}")
    return _typed(value[key], kind, f"{prefix}{key!r}")


def _optional(value: dict[str, Any], key: str, kind: type, where: str) -> Any:
    return None if value.get(key) is None else _typed(value[key], kind, f"{where}: {key!r}")


def _typed(value: object, kind: type, what: str) -> Any:
    if type(value) is not kind:
        found = _KIND_NAMES[type(value)]
        raise RecordingError(f"{what} is {found}; expected {_KIND_NAMES[kind]}")
    return value


def _refuse_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is not JSON")
