"""A corpus in, an index directory out."""

from __future__ import annotations

from index_build.builder import BuildSummary, build
from index_build.report import CorpusReport

__all__ = ["BuildSummary", "CorpusReport", "build"]
