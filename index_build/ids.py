"""Lists of study ids: which reports may enter an index, and which must not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from index_build.readers.decoding import json_fault, undecodable_byte
from sdr_decode.errors import CorpusError
from sdr_decode.invisible import visible


def read_ids(spec: str) -> frozenset[str]:
    """The ids that ``spec`` names.

    ``FILE`` is a text file of one id a line (blank lines do not count), or a JSON list;
    ``FILE#KEY`` is the list under ``KEY`` of a JSON object, such as ``splits.json#test``. Raises
    ``CorpusError`` when there is no such file or key, when an object of several lists comes
    without a key, and when the list is empty: an empty list of test studies protects nothing.
    """
    path, key = _locate(spec)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeError as error:
        raise CorpusError(
            f"{path} is not a list of ids in UTF-8 text ({undecodable_byte(error)})"
        ) from error
    if text.lstrip()[:1] in ("{", "["):
        found = _from_json(text, path, key)
    elif key is None:
        found = text.splitlines()
    else:
        raise CorpusError(f"{path} is not a JSON object, so it has no key {key!r}; drop #{key}")
    ids = frozenset(name for line in found if (name := visible(line).strip()))
    if not ids:
        raise CorpusError(f"{spec} holds no ids; expected one a line, or a JSON list")
    return ids


def _locate(spec: str) -> tuple[Path, str | None]:
    # A file whose own name holds a # is taken as it is.
    if _is_file(Path(spec)):
        return Path(spec), None
    name, mark, key = spec.rpartition("#")
    path = Path(name if mark else spec)
    if not _is_file(path):
        raise CorpusError(f"found no file of ids at {path}; expected FILE or FILE.json#KEY")
    return path, key if mark else None


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a key can be longer than any file's name
        return False


def _from_json(text: str, path: Path, key: str | None) -> list[str]:
    try:
        whole: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise CorpusError(f"{path} is not JSON ({json_fault(error)})") from error
    if isinstance(whole, dict):
        whole = whole[_one_key(list(whole), path, key)]
    elif key is not None:
        raise CorpusError(f"{path} is a JSON list, so it has no key {key!r}; drop #{key}")
    if not isinstance(whole, list) or not all(
        isinstance(item, str | int) and not isinstance(item, bool) for item in whole
    ):
        place = f"{path}#{key}" if key is not None else str(path)
        raise CorpusError(f"{place} is not a JSON list of ids; expected strings or whole numbers")
    return [str(item) for item in whole]


def _one_key(keys: list[str], path: Path, key: str | None) -> str:
    known = ", ".join(keys) or "none"
    if key is None and len(keys) == 1:
        return keys[0]
    if key is None:
        raise CorpusError(
            f"{path} holds several lists; name one as {path}#KEY. Its keys are {known}"
        )
    if key not in keys:
        raise CorpusError(f"{path} has no key {key!r}; its keys are {known}")
    return key
