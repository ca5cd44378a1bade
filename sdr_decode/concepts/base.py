"""What every linker does: it names the concepts that a text mentions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from sdr_decode.findings import Mention


@dataclass(frozen=True, slots=True)
class Concept:
    """One mention of a concept in a text.

    ``identifier`` is canonical: two synonyms have the same, a class and its member never do.
    ``text`` is what the text says, case-folded. ``mention`` is what the text makes of it: positive,
    uncertain ("possible"), negative ("no"), or not mentioned where it is only asked for or of
    another time ("evaluate for", "history of").
    """

    identifier: str
    text: str
    mention: Mention


class Linker(ABC):
    """Turns texts into concepts.

    A linker loads what it needs at the first text, once, and may be called from several threads.
    """

    name: str
    """The linker's spec, such as ``hpo``."""

    @abstractmethod
    def link(self, texts: Sequence[str]) -> list[tuple[Concept, ...]]:
        """The concepts of each text, in order of mention, repeated as often as they are mentioned.

        Any text is valid; one that mentions nothing gives an empty tuple. In a report with
        findings, a sentence outside findings and impression is not read, as in
        ``findings.label_report``. Raises ``ConceptError`` when the vocabulary cannot be loaded.
        """
