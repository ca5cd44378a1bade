"""The contract of a corpus reader."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from pathlib import Path

from index_build.report import CorpusReport


class CorpusReader(ABC):
    """Reads the reports of one kind of corpus, one at a time.

    ``name`` is the word under which the registry knows the reader. ``expects`` describes the
    sources that it reads, for messages. ``passed_over`` counts the files that the last reading took
    for no report because of their names.
    """

    name: str
    expects: str
    passed_over: int = 0

    @abstractmethod
    def recognises(self, source: Path) -> bool:
        """Whether an existing ``source`` looks like this reader's kind. Reads little of it."""

    @abstractmethod
    def read(self, source: Path) -> Iterator[CorpusReport]:
        """Every report of ``source``, in an order that is the same at every reading.

        Empty sections are ``None``. Nothing is written to disk. Raises ``CorpusError`` that names
        the file, member, line or row that cannot be read.
        """
