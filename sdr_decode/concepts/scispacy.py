"""``scispacy``: the entities of a scispaCy model, linked to UMLS.

It needs an environment of its own: scispaCy 0.6 wants numpy below 2, its models are not on PyPI
(what bears their name there is none of them), and the linker fetches a gigabyte of UMLS at first.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property
from importlib import import_module
from typing import Any

from clients.spec import Spec, allow_options, number
from sdr_decode.concepts.base import Concept, Linker
from sdr_decode.concepts.context import mentions
from sdr_decode.concepts.reading import read_sentences
from sdr_decode.concepts.vocabulary import Span
from sdr_decode.concepts.word_forms import readable_form, spelled
from sdr_decode.errors import ConceptError

DEFAULT_MODEL = "en_core_sci_sm"
DEFAULT_THRESHOLD = 0.85
INSTALL = (
    "in an environment of its own (scispacy wants numpy below 2): pip install scispacy, and the "
    "model from the address that scispaCy's page names for it, since it is not on PyPI"
)
# UMLS's semantic group "Concepts & Ideas": severity, laterality, time, amount and the like.
MODIFIERS = frozenset("T071 T077 T078 T079 T080 T081 T082 T089 T102 T169 T170 T171 T185".split())


class ScispacyLinker(Linker):
    """The best UMLS concept of each entity that is at least as similar as ``threshold`` in [0, 1],
    except modifiers. ``model`` is a scispaCy model or its folder."""

    def __init__(self, model: str = DEFAULT_MODEL, *, threshold: float = DEFAULT_THRESHOLD) -> None:
        self.name = f"scispacy:{model}"
        self.model = model
        self.threshold = threshold

    def link(self, texts: Sequence[str]) -> list[tuple[Concept, ...]]:
        read = [list(map(readable_form, read_sentences(text))) for text in texts]
        distinct = list(dict.fromkeys(sentence for sentences in read for sentence in sentences))
        linked = dict(zip(distinct, map(self._concepts, self._documents(distinct)), strict=True))
        return [tuple(c for sentence in sentences for c in linked[sentence]) for sentences in read]

    def _documents(self, sentences: Sequence[str]) -> Iterator[Any]:
        yield from self._pipeline.pipe(sentences) if sentences else ()

    @cached_property
    def _pipeline(self) -> Any:
        try:
            spacy = import_module("spacy")
            import_module("scispacy.linking")  # makes the linker known to spaCy
        except ImportError as error:
            raise ConceptError(
                f"scispacy cannot be imported ({error}); install it {INSTALL}"
            ) from error
        try:
            pipeline = spacy.load(self.model)
            pipeline.add_pipe(
                "scispacy_linker", config={"linker_name": "umls", "threshold": self.threshold}
            )
        except (OSError, ValueError) as error:
            raise ConceptError(
                f"scispacy cannot load the model {self.model!r} with UMLS ({error}); install it "
                f"{INSTALL}"
            ) from error
        return pipeline

    def _concepts(self, document: Any) -> tuple[Concept, ...]:
        words = spelled(document.text)
        ends = _ends(document.text, words)
        spans: list[Span] = []
        for entity in document.ents:
            identifier = self._identifier(entity)
            start = bisect_right(ends, entity.start_char)
            end = bisect_left(ends, entity.end_char) + 1  # whole words: half a one means nothing
            if identifier is not None and (not spans or spans[-1].end <= start < len(words)):
                spans.append(Span(start, min(end, len(words)), identifier))
        return tuple(
            Concept(span.identifier, " ".join(words[span.start : span.end]).casefold(), mention)
            for span, mention in zip(spans, mentions(words, spans), strict=True)
        )

    def _identifier(self, entity: Any) -> str | None:
        """The best candidate of an entity that is no modifier."""
        entities = self._pipeline.get_pipe("scispacy_linker").kb.cui_to_entity
        for cui, similarity in entity._.kb_ents:
            if similarity >= self.threshold:
                return None if MODIFIERS.issuperset(entities[cui].types) else str(cui)
        return None


def _ends(text: str, words: Sequence[str]) -> list[int]:
    """Where each of a text's words ends in it."""
    ends = []
    at = 0
    for word in words:
        at = text.index(word, at) + len(word)
        ends.append(at)
    return ends


def from_spec(spec: Spec) -> ScispacyLinker:
    """``scispacy``, ``scispacy:en_core_sci_lg,threshold=0.9``."""
    allow_options(spec, "threshold")
    word = spec.options.get("threshold", str(DEFAULT_THRESHOLD))
    return ScispacyLinker(
        spec.value or DEFAULT_MODEL, threshold=number(spec, word, "threshold", high=1.0)
    )
