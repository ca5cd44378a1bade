"""Where a text names a concept."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sdr_decode.concepts.vocabulary import Name, Span, Vocabulary
from sdr_decode.concepts.word_forms import spelled

WORDS = ("a", "b", "c")
phrases = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(tuple)


def found(vocabulary: Vocabulary, text: str) -> list[str]:
    return [span.identifier for span in vocabulary.spans(spelled(text))]


def test_the_longest_name_is_found_and_none_within_it() -> None:
    vocabulary = Vocabulary(
        [Name("hypertension", "general"), Name("pulmonary hypertension", "pulmonary")]
    )
    assert found(vocabulary, "pulmonary hypertension") == ["pulmonary"]
    assert found(vocabulary, "Hypertension, pulmonary hypertension") == ["general", "pulmonary"]
    assert found(vocabulary, "pulmonary") == []


def test_a_name_is_found_as_whole_words_only() -> None:
    vocabulary = Vocabulary([Name("mass", "mass")])
    assert found(vocabulary, "massive, biomass") == []
    assert found(vocabulary, "masses") == ["mass"]


def test_an_abbreviation_is_one_as_it_is_written() -> None:
    vocabulary = Vocabulary([Name("MI", "infarction", spelled=True)])
    assert found(vocabulary, "MI.") == ["infarction"]
    assert found(vocabulary, "mi, Mi, MIs") == []


def test_an_abbreviation_within_a_name_is_part_of_it() -> None:
    vocabulary = Vocabulary([Name("old MI", "old"), Name("MI", "infarction", spelled=True)])
    assert found(vocabulary, "old MI") == ["old"]


def test_no_name_is_found_in_a_phrase_that_names_nothing() -> None:
    vocabulary = Vocabulary([Name("mass", "mass"), Name("body mass", "")])
    assert found(vocabulary, "body mass, mass") == ["mass"]


def test_a_name_without_a_word_is_left_out() -> None:
    vocabulary = Vocabulary([Name(" ?", "nothing"), Name("", "nothing")])
    assert vocabulary.names == 0
    assert found(vocabulary, "? ?") == []


@given(st.sets(phrases, max_size=5), st.lists(st.sampled_from(WORDS), max_size=12))
def test_what_is_found_is_the_leftmost_longest_of_all_names(
    names: set[tuple[str, ...]], words: list[str]
) -> None:
    vocabulary = Vocabulary(Name(" ".join(name), " ".join(name)) for name in names)
    expected = []
    at = 0
    while at < len(words):
        here = [name for name in names if tuple(words[at : at + len(name)]) == name]
        longest = max(here, key=len, default=None)
        if longest is not None:
            expected.append(Span(at, at + len(longest), " ".join(longest)))
        at += 1 if longest is None else len(longest)
    assert vocabulary.spans(words) == expected
