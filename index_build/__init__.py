"""A corpus in, an index directory out."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from index_build.builder import BuildSummary, build
    from index_build.report import CorpusReport

# Imported when first asked for, so that the command hears Ctrl-C from its first moment.
_HOMES = {
    "BuildSummary": "index_build.builder",
    "CorpusReport": "index_build.report",
    "build": "index_build.builder",
}

__all__ = ["BuildSummary", "CorpusReport", "build"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
