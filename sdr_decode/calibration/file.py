"""The file that ``sdr-decode calibrate`` writes: a policy, what it promises, and why."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any, NoReturn

from pydantic import BaseModel, ConfigDict, Field, NonNegativeInt, PositiveInt, ValidationError

from sdr_decode.calibration.losses import Loss
from sdr_decode.encoder import Fingerprint
from sdr_decode.errors import CalibrationError

FORMAT_VERSION = 1

Share = Field(ge=0.0, le=1.0)


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class Source(_Model):
    """A file or folder by its name and the sha256 of what it holds."""

    name: str
    sha256: str


class Tried(_Model):
    """A policy on the recorded studies.

    ``risk`` is its mean loss there, ``tokens`` what it generated and ``saved`` the share of full
    best-of-N's. ``level`` is what its p-value was held against where it is certified, ``None``
    where it is not, and 0 where it loses nothing by proof.
    """

    spec: str
    risk: float = Share
    p_value: float = Share
    tokens: NonNegativeInt
    saved: float
    level: float | None = Field(ge=0.0, le=1.0)


class TestedSequence(_Model):
    """Specs in the order in which they were tested, and the sequence's weight among the others."""

    specs: tuple[str, ...]
    weight: float = Field(gt=0.0)


class Calibration(_Model):
    """A calibrated policy.

    ``prune`` is its spec and ``promise`` what it promises, in a sentence. ``client`` is what the
    recorded candidates came from, ``None`` where nobody said. ``sequences`` hold the specs in the
    order in which they were tested, and how the level was shared out.
    """

    format_version: int = FORMAT_VERSION
    created_by: str
    prune: str
    promise: str
    loss: Loss
    risk: float = Field(gt=0.0, lt=1.0)
    confidence: float = Field(gt=0.0, lt=1.0)
    clip: float = Field(gt=0.0, le=1.0)
    test: str
    proved: bool
    k: PositiveInt
    select: str
    launch: str
    sections: bool
    max_tokens: PositiveInt
    client: str | None
    recording: Source
    studies: PositiveInt
    index: Source
    encoder: Fingerprint
    tokens_full: NonNegativeInt
    sequences: tuple[TestedSequence, ...]
    policies: tuple[Tried, ...]

    def to_json(self) -> str:
        """The calibration as written: with ``sha256``, which is of the rest of it."""
        content = self.model_dump(mode="json")
        content["sha256"] = _hash_of(content)
        return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def _hash_of(content: dict[str, Any]) -> str:
    rest = {key: value for key, value in content.items() if key != "sha256"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()


def read_calibration(path: str | Path) -> Calibration:
    """Read a calibration. Raises ``CalibrationError`` when there is none, it is damaged or was
    changed, or it is of a format that is not known here."""
    file = Path(path)
    try:
        raw = file.read_text("utf-8")
    except FileNotFoundError:
        raise CalibrationError(
            f"found no calibration at {file}: make one with `sdr-decode calibrate RECORDING "
            f"--index NAME.sdr -o {file.name}`"
        ) from None
    except OSError as error:
        raise CalibrationError(f"{file} cannot be read: {error.strerror or error}") from error
    except ValueError as error:
        _refuse(file, f"not UTF-8 ({error})", error)
    try:
        content = json.loads(raw)
    except (ValueError, RecursionError) as error:
        _refuse(file, f"not JSON ({error})", error)
    version = content.get("format_version") if isinstance(content, dict) else None
    if type(version) is not int:
        _refuse(file, "without a format_version")
    if version != FORMAT_VERSION:
        raise CalibrationError(
            f"{file} is in calibration format {version}; this version of sdr-decode reads format "
            f"{FORMAT_VERSION}: upgrade sdr-decode, or calibrate again"
        )
    if content.get("sha256") != _hash_of(content):
        _refuse(file, "other than what was written (its sha256 differs)")
    try:
        return Calibration.model_validate(content)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        _refuse(file, f"wrong at {where}: {first['msg']}", error)


def _refuse(file: Path, how: str, cause: Exception | None = None) -> NoReturn:
    raise CalibrationError(
        f"{file} is not a calibration as `sdr-decode calibrate` writes it: it is {how}; calibrate "
        "again"
    ) from cause
