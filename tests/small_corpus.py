"""A corpus of a few reports and its index, for tests that need one."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from index_build.builder import BuildSummary, build
from index_build.report import CorpusReport
from tests.fake_encoder import FakeEncoder

REPORTS = (
    CorpusReport("r1", "The heart is normal in size. Lungs are clear.", "No acute disease."),
    CorpusReport("r2", "Lungs are clear. LUNGS ARE CLEAR. Small left effusion.", "Left effusion."),
    CorpusReport("r3", "Lungs are clear. XXXX.", "No acute disease. XXXX XXXX."),
    CorpusReport("r4", text="Findings: Lungs are clear. Impression: Small left effusion."),
    CorpusReport("r5", text="Stable chest. Findings: Cardiomegaly."),
)


def build_small(
    folder: Path, reports: Iterable[CorpusReport] = REPORTS, **options: Any
) -> BuildSummary:
    """Build ``small.sdr`` in ``folder`` with an encoder without a model."""
    options.setdefault("encoder", FakeEncoder())
    return build(reports, folder / "small.sdr", **options)
