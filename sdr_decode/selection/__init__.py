"""Selectors, each a small file, made from specs such as ``corpus`` or ``random:7``."""

from __future__ import annotations

from functools import partial

from clients.spec import Registry
from sdr_decode.selection import (
    blend,
    consensus,
    corpus,
    findings_guard,
    length,
    log_probability,
    majority_answer,
    nearest_report,
    random,
)
from sdr_decode.selection.base import Choice, Field, Selector
from sdr_decode.selection.eligible import eligible

selectors: Registry[Selector] = Registry("selector")
selectors.register("corpus", corpus.chamfer_from_spec)
selectors.register("corpus-hausdorff", corpus.hausdorff_from_spec)
selectors.register("blend", blend.from_spec)
selectors.register("consensus", consensus.from_spec)
selectors.register("findings-guard", partial(findings_guard.from_spec, make=selectors.make))
selectors.register("log-probability", log_probability.from_spec)
selectors.register("majority-answer", majority_answer.from_spec)
selectors.register("nearest-report", nearest_report.from_spec)
selectors.register("longest", length.longest_from_spec)
selectors.register("shortest", length.shortest_from_spec)
selectors.register("random", random.from_spec)

__all__ = ["Choice", "Field", "Selector", "eligible", "selectors"]
