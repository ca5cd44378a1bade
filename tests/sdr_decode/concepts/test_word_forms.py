"""Which words are the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdr_decode.concepts.word_forms import folded, singular, spelled


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Pleural effusions", "pleural effusion"),
        ("ground-glass opacities", "Ground glass opacity"),
        ("masses", "mass"),
        ("pneumothoraces", "pneumothorax"),
        ("metastases", "metastasis"),
        ("stenoses", "stenosis"),
        ("diseases", "disease"),
        ("biopsies", "biopsy"),
        ("effu\u00adsion", "effusion"),
    ],
)
def test_case_plural_and_hyphen_say_nothing(one: str, other: str) -> None:
    assert folded(spelled(one)) == folded(spelled(other))


@pytest.mark.parametrize("word", ["pelvis", "abscess", "thrombus", "atelectasis", "gas", "is"])
def test_a_word_that_only_ends_like_a_plural_is_left_alone(word: str) -> None:
    assert singular(word) == word


def test_related_words_are_not_the_same() -> None:
    assert folded(["hypertensive"]) != folded(["hypertension"])


@given(st.text(max_size=40))
def test_folding_keeps_every_word_in_its_place(text: str) -> None:
    words = spelled(text)
    assert len(folded(words)) == len(words)
    assert all(folded(words))
