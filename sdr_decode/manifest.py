"""The manifest of an index directory: what is in it, and whether the files are those written."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any, Literal, NoReturn

from pydantic import BaseModel, ConfigDict, NonNegativeInt, ValidationError

from sdr_decode.encoder import Fingerprint
from sdr_decode.encoder_files import LFS_POINTER
from sdr_decode.errors import IndexFormatError

FORMAT_VERSION = 1
METRIC = "cosine distance (1 - a·b)/2"
MANIFEST = "manifest.json"
SENTENCES = "sentences.parquet"
REPORTS = "reports.parquet"
VECTORS = "vectors.faiss"
FILES = (SENTENCES, REPORTS, VECTORS)

Precision = Literal["float32", "float16"]


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class FileRecord(_Model):
    """What a file of the index must be."""

    sha256: str
    bytes: NonNegativeInt


class Counts(_Model):
    """What the index holds.

    ``findings``, ``impression`` and ``unsectioned`` count sentences with repetition and add up to
    ``sentences_total``. ``fragments_dropped`` were no sentences (blanks, marks, numbers alone).
    ``over_long`` counts distinct sentences of which the encoder saw only the beginning.
    """

    reports: NonNegativeInt
    reports_without_section: NonNegativeInt
    sentences_distinct: NonNegativeInt
    sentences_total: NonNegativeInt
    findings: NonNegativeInt
    impression: NonNegativeInt
    unsectioned: NonNegativeInt
    fragments_dropped: NonNegativeInt
    over_long: NonNegativeInt


class Manifest(_Model):
    """``manifest.json``. ``options`` are those of the build, kept as they were given."""

    format_version: int
    created_by: str
    created: str
    encoder: Fingerprint
    dimension: NonNegativeInt
    metric: str
    precision: Precision
    counts: Counts
    options: dict[str, Any]
    files: dict[str, FileRecord]

    def to_json(self) -> str:
        """The manifest as written: with ``sha256``, which is of the rest of it."""
        content = self.model_dump(mode="json")
        content["sha256"] = _hash_of(content)
        return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def _hash_of(content: dict[str, Any]) -> str:
    rest = {key: value for key, value in content.items() if key != "sha256"}
    canonical = json.dumps(rest, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()


def hash_file(path: Path) -> str:
    """The sha256 of a file, in hexadecimal."""
    with path.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def read_manifest(path: Path) -> Manifest:
    """Read the manifest of the index directory ``path``.

    Raises ``IndexFormatError`` when there is no index, or its manifest is missing, damaged, or of
    a format that is not known here.
    """
    _require_directory(path)
    file = path / MANIFEST
    if not file.is_file():
        raise IndexFormatError(
            f"found no {MANIFEST} in {path}; expected an index directory as "
            "`sdr-index build SOURCE -o NAME.sdr` writes it"
        )
    try:
        raw = file.read_bytes()
    except OSError as error:
        raise IndexFormatError(f"{file} cannot be read: {error.strerror or error}") from error
    refuse_lfs_pointer(file, raw)
    try:
        content = json.loads(raw)
    except ValueError as error:
        _damaged(file, f"not JSON ({error})", error)
    version = content.get("format_version") if isinstance(content, dict) else None
    if isinstance(version, bool) or not isinstance(version, int):
        _damaged(file, "without a format_version")
    if version != FORMAT_VERSION:
        raise IndexFormatError(
            f"{path} is in index format {version}; this version of sdr-decode reads format "
            f"{FORMAT_VERSION}: "
            + (
                "upgrade sdr-decode (pip install -U sdr-decode)"
                if version > FORMAT_VERSION
                else "build the index again"
            )
        )
    if content.get("sha256") != _hash_of(content):
        _damaged(file, "other than what was written (its sha256 differs)")
    try:
        manifest = Manifest.model_validate(content)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        _damaged(file, f"wrong at {where}: {first['msg']}", error)
    if manifest.metric != METRIC:
        _damaged(file, f"for the metric {manifest.metric!r} instead of {METRIC!r}")
    if manifest.dimension != manifest.encoder.dimension:
        _damaged(file, "of two minds about the dimension")
    return manifest


def verify_files(path: Path, manifest: Manifest, *, hashes: bool = True) -> None:
    """Raise ``IndexFormatError`` unless every file of the index has its recorded size and, with
    ``hashes``, its recorded sha256."""
    for name in FILES:
        record = manifest.files.get(name)
        if record is None:
            _damaged(path / MANIFEST, f"silent about {name}")
        file = path / name
        try:
            with file.open("rb") as opened:
                refuse_lfs_pointer(file, opened.read(len(LFS_POINTER)))
            found = file.stat().st_size
            if found != record.bytes:
                _damaged(file, f"{found} bytes long, and {record.bytes} were written")
            if hashes and hash_file(file) != record.sha256:
                _damaged(file, "other than what was written (its sha256 differs)")
        except FileNotFoundError as error:
            raise IndexFormatError(
                f"{name} is missing from the index {path}: copy the index again or build it again"
            ) from error
        except OSError as error:
            raise IndexFormatError(f"{file} cannot be read: {error.strerror or error}") from error


def refuse_lfs_pointer(file: Path, beginning: bytes) -> None:
    """Raise ``IndexFormatError`` when a file begins as Git LFS pointers do."""
    if beginning.startswith(LFS_POINTER):
        raise IndexFormatError(
            f"{file} is a Git LFS pointer, not the index itself: run `git lfs pull` where it is "
            "checked out, and copy the index again"
        )


def _require_directory(path: Path) -> None:
    if path.is_dir():
        return
    if not path.exists():
        raise IndexFormatError(
            f"found no index at {path}: build one with `sdr-index build SOURCE -o {path.name}`"
        )
    try:
        with path.open("rb") as opened:
            refuse_lfs_pointer(path, opened.read(len(LFS_POINTER)))
    except OSError as error:
        raise IndexFormatError(f"{path} cannot be read: {error.strerror or error}") from error
    raise IndexFormatError(
        f"found the file {path}; expected an index directory as "
        "`sdr-index build SOURCE -o NAME.sdr` writes it"
    )


def _damaged(file: Path, how: str, cause: Exception | None = None) -> NoReturn:
    raise IndexFormatError(
        f"{file} is damaged: it is {how}; copy the index again or build it again"
    ) from cause
