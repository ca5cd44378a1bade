"""Corpus readers: one small file a kind of corpus."""

from __future__ import annotations

from index_build.readers.base import CorpusReader
from index_build.readers.registry import open_reader

__all__ = ["CorpusReader", "open_reader"]
