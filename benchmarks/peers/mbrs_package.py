"""The decoder of the ``mbrs`` package, without the metrics that it comes with."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from clients.errors import MissingPackageError


class Mbrs(NamedTuple):
    """The classes ``DecoderMBR`` and ``Metric`` of mbrs."""

    decoder: Any
    metric: Any


@contextmanager
def mbrs() -> Iterator[Mbrs]:
    """mbrs's minimum Bayes risk decoder and the base class of its utilities.

    Its own metrics need old releases of numpy and transformers, which this project cannot have
    beside its own, and importing any part of mbrs imports all of them. The decoder needs their
    base class only, so an empty package stands in for them while this is open. Raises
    ``MissingPackageError`` where mbrs is absent.
    """
    found = find_spec("mbrs")
    if found is None or not found.submodule_search_locations:
        raise MissingPackageError("the mbrs package is absent: pip install --no-deps mbrs")
    metrics: Any = ModuleType("mbrs.metrics")
    metrics.__path__ = [str(Path(found.submodule_search_locations[0]) / "metrics")]
    sys.modules["mbrs.metrics"] = metrics
    try:
        base = import_module("mbrs.metrics.base")
        metrics.__dict__.update({k: v for k, v in vars(base).items() if not k.startswith("_")})
        metrics.__dict__["Metrics"] = StrEnum(
            "Metrics", ["bleu"]
        )  # a default of a selector not used here
        yield Mbrs(import_module("mbrs.decoders.mbr").DecoderMBR, base.Metric)
    finally:
        for name in [name for name in sys.modules if name.partition(".")[0] == "mbrs"]:
            del sys.modules[name]
