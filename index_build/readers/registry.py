"""Turns ``table:findings=Findings`` into a reader, or finds the reader that knows a source."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from clients.spec import Registry, Spec, parse_spec
from index_build.readers import mimic, openi, table
from index_build.readers.base import CorpusReader
from sdr_decode.errors import CorpusError

READERS: Registry[CorpusReader] = Registry("corpus reader")
READERS.register("openi", openi.open_from_spec)
READERS.register("mimic", mimic.open_from_spec)
READERS.register("table", table.open_from_spec)

# The order of asking: a table is known by its suffix alone, so it comes last.
_ASKED = ("openi", "mimic", "table")

_LFS_POINTER = b"version https://git-lfs.github.com/spec/"


def open_reader(
    source: Path, spec: str | Spec | None = None, options: Mapping[str, str] | None = None
) -> CorpusReader:
    """The reader for ``source``.

    ``spec`` names one (``openi``, ``mimic``, ``table:findings=Findings``); without it the reader
    that recognises ``source`` is taken. ``options`` are added to those of the spec. Raises
    ``CorpusError`` when there is no such source or nobody recognises it, and ``SpecError`` for an
    unknown reader or option.
    """
    _check_exists(source)
    options = dict(options or {})
    if spec is None:
        name = _recognised(source)
        return READERS.make(Spec(name, None, options))
    parsed = parse_spec(spec) if isinstance(spec, str) else spec
    return READERS.make(Spec(parsed.name, parsed.value, {**parsed.options, **options}))


def _recognised(source: Path) -> str:
    readers = [READERS.make(Spec(name)) for name in _ASKED]
    for reader in readers:
        if reader.recognises(source):
            return reader.name
    known = "; ".join(f"{reader.name}: {reader.expects}" for reader in readers)
    kind = "folder" if source.is_dir() else "file"
    raise CorpusError(
        f"no corpus reader recognises the {kind} {source}; name one with --reader. Known: {known}"
    )


def _check_exists(source: Path) -> None:
    if not source.exists():
        raise CorpusError(f"found no corpus at {source}; expected a file or a folder")
    if source.is_file():
        with source.open("rb") as file:
            start = file.read(len(_LFS_POINTER))
        if start == _LFS_POINTER:
            raise CorpusError(
                f"{source} is a Git LFS pointer, not the corpus itself; run git lfs pull"
            )
        if not start:
            raise CorpusError(f"{source} is empty; expected a corpus")
