"""Bytes to text, with an error that says where and what to do."""

from __future__ import annotations

import codecs

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
    return CorpusError(
        f"{where} is not text in {encoding} ({error}); name its encoding with --encoding, "
        "such as latin-1"
    )


def null_bytes(where: str) -> CorpusError:
    return CorpusError(
        f"{where} holds NUL bytes, which no report does; the file is damaged, or its encoding is "
        "another (--encoding utf-16)"
    )
