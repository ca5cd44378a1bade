"""Reading what ``sdr-decode generate --json`` wrote."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Literal

import pydantic_core
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    JsonValue,
    ValidationError,
    model_validator,
)

from sdr_decode.errors import ResultFormatError
from sdr_decode.result import FORMAT_VERSION

MAX_BYTES = 32 * 1024 * 1024
"""The largest file that is read. A result of 64 long candidates takes half a megabyte."""

MAX_CANDIDATES = 1000
"""How many candidates are read: nobody looks at more on one page."""

_AGAIN = "write it again with sdr-decode generate --json"

Distance = Annotated[float, Field(ge=0.0, le=1.0)]
Tokens = Annotated[int, Field(ge=0, le=1_000_000_000)]
Amount = Annotated[Decimal, Field(strict=False, ge=-(10**12), le=10**12)]


class _Saved(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True, extra="ignore")


class SavedCount(_Saved):
    """A number of tokens, ``None`` where unknown, and its provenance."""

    value: Tokens | None
    provenance: Literal["reported", "counted", "estimated", "unknown"]

    @model_validator(mode="after")
    def _unknown_has_no_value(self) -> SavedCount:
        if (self.value is None) != (self.provenance == "unknown"):
            raise ValueError(f"a count of {self.value} cannot be {self.provenance}")
        return self


class SavedDollars(_Saved):
    """US dollars from low to high, ``None`` where unknown."""

    low: Amount | None
    high: Amount | None


def _amount(value: Any) -> Any:
    """A count or dollars, told by their keys; any other JSON as it is."""
    if isinstance(value, dict):
        if "provenance" in value:
            return SavedCount.model_validate(value)
        if value.keys() == {"low", "high"}:
            return SavedDollars.model_validate(value)
    return value


Entry = Annotated[Any, BeforeValidator(_amount)]
"""``SavedCount``, ``SavedDollars`` or other JSON."""


class SavedNearest(_Saved):
    """A corpus sentence and how often it stands in the corpus."""

    text: str
    count: Annotated[int, Field(ge=0)]


class SavedSentence(_Saved):
    """A closed sentence: where it stands in its candidate's text (code points), its distance to
    the nearest corpus sentence in [0, 1], and the candidate's tokens when it closed."""

    text: str
    section: str | None
    start: int
    end: int
    distance: Distance
    nearest: SavedNearest | None
    tokens: Tokens


class SavedReport(_Saved):
    """The chosen report; a section that it does not have is ``None``."""

    text: str
    findings: str | None
    impression: str | None


class SavedCandidate(_Saved):
    """One candidate; its sentences stand in its text, in order and apart."""

    number: Annotated[int, Field(ge=0)]
    state: str
    ended: str | None
    text: str
    sentences: list[SavedSentence]
    chamfer: Distance | None
    hausdorff: Distance | None
    tokens: SavedCount
    selected_by: float | None

    @model_validator(mode="after")
    def _sentences_stand_in_the_text(self) -> SavedCandidate:
        behind = 0
        for number, sentence in enumerate(self.sentences, 1):
            if not behind <= sentence.start <= sentence.end <= len(self.text):
                raise ValueError(f"sentence {number} does not stand where start and end say")
            behind = sentence.end
        return self


class SavedRow(_Saved):
    """One line of the ledger. Its numbers are whatever counts and dollars stand in it."""

    model_config = ConfigDict(frozen=True, strict=True, extra="allow")
    __pydantic_extra__: dict[str, Entry]

    candidate: Annotated[int, Field(ge=0)]
    state: str


class SavedLedger(_Saved):
    """What was spent. Sums stand beside ``rows`` under the names of the columns."""

    model_config = ConfigDict(frozen=True, strict=True, extra="allow")
    __pydantic_extra__: dict[str, Entry]

    asked: Annotated[int, Field(ge=0)]
    launched: Annotated[int, Field(ge=0)]
    rows: list[SavedRow]
    money: dict[str, Entry]
    saved: Annotated[float, Field(ge=0.0, le=1.0)] | None = None


class SavedResult(_Saved):
    """A decode as it was written; see ``sdr_decode.Result`` for what the fields mean."""

    report: SavedReport
    winner: int
    valid: bool
    reason: str
    quantity: str
    candidates: Annotated[list[SavedCandidate], Field(max_length=MAX_CANDIDATES)]
    ledger: SavedLedger
    warnings: list[str]
    settings: dict[str, JsonValue]
    study: str | None = None

    @model_validator(mode="after")
    def _the_winner_is_there_once(self) -> SavedResult:
        numbers = [candidate.number for candidate in self.candidates]
        if len(set(numbers)) < len(numbers):
            raise ValueError("two candidates have the same number")
        if self.winner not in numbers:
            raise ValueError(f"the winner {self.winner} is none of the candidates")
        return self


def read_result(path: str | Path) -> SavedResult:
    """Read a result file.

    Raises ``ResultFormatError`` when it is not one, is damaged, too large or of another version,
    and ``OSError`` when it cannot be read.
    """
    with Path(path).open("rb") as file:
        data = file.read(MAX_BYTES + 1)
    return parse_result(data, str(path))


def parse_result(data: str | bytes, name: str = "the result") -> SavedResult:
    """Read a result from JSON, such as ``Result.to_json`` gives. ``name`` is for messages."""
    if len(data) > MAX_BYTES:
        raise ResultFormatError(
            f"{name} is larger than {MAX_BYTES // 1024**2} MiB, which no result of one study is; "
            "expected a file that sdr-decode generate --json wrote"
        )
    try:
        content = pydantic_core.from_json(data, allow_inf_nan=False)
    except ValueError as error:
        raise ResultFormatError(f"{name} is not whole JSON ({error}); {_AGAIN}") from None
    _check_version(content, name)
    try:
        return SavedResult.model_validate(content)
    except ValidationError as error:
        raise ResultFormatError(
            f"{name} is damaged: {_first(error)}; expected what sdr-decode generate --json "
            f"writes: {_AGAIN}"
        ) from None


def _check_version(content: Any, name: str) -> None:
    version = content.get("format_version") if isinstance(content, dict) else None
    if type(version) is not int:
        raise ResultFormatError(
            f"{name} has no format_version, so it is not a result of sdr-decode generate --json or "
            f"one of an older sdr-decode; {_AGAIN}"
        )
    if version != FORMAT_VERSION:
        found = version if abs(version) < 1_000_000 else "a nonsense number"
        advice = "update sdr-decode" if version > FORMAT_VERSION else _AGAIN
        raise ResultFormatError(
            f"{name} is in result format {found}; this sdr-decode reads {FORMAT_VERSION}: {advice}"
        )


def _first(error: ValidationError) -> str:
    """The first thing found wrong, with its place."""
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    place = ".".join(str(part)[:40] for part in first["loc"])
    message = first["msg"].removeprefix("Value error, ")
    return f"{place}: {message}" if place else message
