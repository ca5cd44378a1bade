"""The linker over scispaCy, with a pipeline that stands in for its own."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from clients.errors import SpecError
from sdr_decode.concepts import linkers
from sdr_decode.errors import ConceptError
from sdr_decode.findings import Mention

ENTITIES = {
    "pleural effusion": [("C1", 0.99), ("C2", 0.9)],
    "heart": [("C2", 0.5)],
    "left": [("C3", 1.0)],
}
TYPES = {"C1": ["T047"], "C2": ["T023"], "C3": ["T082"]}


class Pipeline:
    def __init__(self) -> None:
        self.added: dict[str, Any] = {}
        self.read: list[str] = []

    def add_pipe(self, name: str, config: dict[str, Any]) -> None:
        self.added[name] = config

    def get_pipe(self, name: str) -> Any:
        assert name in self.added
        known = {cui: SimpleNamespace(types=types) for cui, types in TYPES.items()}
        return SimpleNamespace(kb=SimpleNamespace(cui_to_entity=known))

    def pipe(self, texts: Iterable[str]) -> Iterator[Any]:
        for text in texts:
            self.read.append(text)
            yield SimpleNamespace(text=text, ents=list(entities(text)))


def entities(text: str) -> Iterator[Any]:
    for name, candidates in ENTITIES.items():
        start = text.casefold().find(name)
        if start >= 0:
            yield SimpleNamespace(
                start_char=start,
                end_char=start + len(name),
                _=SimpleNamespace(kb_ents=candidates),
            )


@pytest.fixture
def pipeline(monkeypatch: pytest.MonkeyPatch) -> Pipeline:
    made = Pipeline()
    spacy = ModuleType("spacy")
    spacy.load = lambda model: made  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "spacy", spacy)
    monkeypatch.setitem(sys.modules, "scispacy", ModuleType("scispacy"))
    monkeypatch.setitem(sys.modules, "scispacy.linking", ModuleType("scispacy.linking"))
    return made


def test_the_best_candidate_of_each_entity_is_linked(pipeline: Pipeline) -> None:
    (concepts,) = linkers.make("scispacy").link(["Heart: left-sided (PLEURAL effusion)."])
    assert [(c.identifier, c.text, c.mention) for c in concepts] == [
        ("C1", "pleural effusion", Mention.POSITIVE)
    ]
    assert pipeline.added["scispacy_linker"]["linker_name"] == "umls"


def test_negation_is_read_as_by_the_others(pipeline: Pipeline) -> None:
    (concepts,) = linkers.make("scispacy").link(["No pleural effusion."])
    assert [c.mention for c in concepts] == [Mention.NEGATIVE]


def test_each_sentence_is_read_once_a_call(pipeline: Pipeline) -> None:
    linked = linkers.make("scispacy").link(["Pleural effusion.", "Pleural effusion.", ""])
    assert [len(concepts) for concepts in linked] == [1, 1, 0]
    assert len(pipeline.read) == 1


def test_without_scispacy_the_install_line_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "spacy", None)
    with pytest.raises(ConceptError, match=r"environment of its own.*pip install scispacy"):
        linkers.make("scispacy").link(["Text."])


def test_without_the_model_it_says_where_models_are(
    pipeline: Pipeline, monkeypatch: pytest.MonkeyPatch
) -> None:
    def load(model: str) -> None:
        raise OSError(f"[E050] no model {model}")

    monkeypatch.setattr(sys.modules["spacy"], "load", load)
    with pytest.raises(ConceptError, match=r"'en_core_sci_lg'.*not on PyPI"):
        linkers.make("scispacy:en_core_sci_lg").link(["Text."])


def test_a_threshold_beyond_one_is_refused() -> None:
    with pytest.raises(SpecError, match="from 0 to 1"):
        linkers.make("scispacy:model,threshold=2")
