"""Bytes to text, with an error that says where and what to do."""

from __future__ import annotations

import codecs
import json

from sdr_decode.errors import CorpusError


def check_encoding(encoding: str) -> str:
    """The encoding to decode with; UTF-8 also accepts a byte order mark. Raises ``CorpusError``."""
    try:
        name = codecs.lookup(encoding).name
    except LookupError:
        raise CorpusError(
            f"unknown encoding {encoding!r}; expected one such as utf-8, latin-1 or utf-16"
        ) from None
    return "utf-8-sig" if name == "utf-8" else name


def decode(data: bytes, encoding: str, where: str) -> str:
    """``data`` as text, or a ``CorpusError`` that names the place."""
    try:
        text = data.decode(encoding)
    except UnicodeError as error:
        raise undecodable(error, encoding, where) from error
    if "\0" in text:
        raise null_bytes(where)
    return text


def undecodable(error: UnicodeError, encoding: str, where: str) -> CorpusError:
    name = "UTF-8" if encoding == "utf-8-sig" else encoding
    return CorpusError(
        f"{where} is not text in {name} ({undecodable_byte(error)}); name its encoding with "
        "--encoding, such as latin-1"
    )


def undecodable_byte(error: UnicodeError) -> str:
    """Which byte is wrong, and why. Where it stands is unknown: texts are read in parts."""
    if isinstance(error, UnicodeDecodeError):
        return f"byte 0x{error.object[error.start]:02x}: {error.reason}"
    return str(error)


def null_bytes(where: str) -> CorpusError:
    return CorpusError(
        f"{where} holds NUL bytes, which no report does; the file is damaged, or its encoding is "
        "another (--encoding utf-16)"
    )


def json_fault(error: Exception) -> str:
    """What is wrong with a JSON text, and where in it."""
    if not isinstance(error, json.JSONDecodeError):
        return str(error)
    line = f"line {error.lineno}, " if "\n" in error.doc else ""
    return f"{error.msg} at {line}column {error.colno}"
