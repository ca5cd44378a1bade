from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sdr_decode.sentences import as_embedded, is_sentence, normalise
from tests.sdr_decode.report_texts import INVISIBLE, report_texts


@given(st.one_of(st.text(), report_texts))
@example("a . .")
@example("\u0345\u0301")
@example("\u1e9b\u0323")
@example("\u037a")
@example("x \u037e")
def test_normalise_is_idempotent(text: str) -> None:
    once = normalise(text)
    assert normalise(once) == once


@given(st.one_of(st.text(), report_texts))
def test_normalise_ignores_case_space_and_the_last_stop(text: str) -> None:
    assert normalise(f"  {text} . ") == normalise(text)


@given(st.text(), st.sampled_from(INVISIBLE), st.data())
def test_normalise_ignores_what_shows_nothing(text: str, char: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(text)))
    assert normalise(text[:at] + char + text[at:]) == normalise(text)


@pytest.mark.parametrize(
    ("text", "normalised"),
    [
        ("No  Pneumothorax .", "no pneumothorax"),
        ("\uff2e\uff2f \ufb01ndings", "no findings"),
        ("Heart , lungs ; clear ?", "heart, lungs; clear?"),
        ("Stra\u00dfe", "strasse"),
        (" ... ", ""),
        ("a 3.5 cm mass.", "a 3.5 cm mass"),
        ("No\u200b pneumo\u00adthorax\u2060.\ufeff", "no pneumothorax"),
        ("\x00No\u200c \u200eeffusion\x7f", "no effusion"),
    ],
)
def test_normalise(text: str, normalised: str) -> None:
    assert normalise(text) == normalised


@pytest.mark.parametrize(
    ("normalised", "embedded"), [("no effusion", "no effusion."), ("effusion?", "effusion?")]
)
def test_as_embedded(normalised: str, embedded: str) -> None:
    assert as_embedded(normalised) == embedded


@pytest.mark.parametrize(
    "text",
    [
        "Stable.",
        "No effusion.",
        "XXXX-year-old with cough.",
        "XXXX opacity.",
        "mild edema",
        "Œdème",
    ],
)
def test_a_text_that_says_something_is_a_sentence(text: str) -> None:
    assert is_sentence(text)


@pytest.mark.parametrize(
    "text",
    ["", " ", ".", "XXXX.", "XXXX XXXX/XXXX and XXXX.", "___", "___ .", "2.", "1/2",
     "XXXX, XX a.m.",
     "3.5 cm.", "(?)", "A.", "T12", "Dr. XXXX", "-----", "\u2022"],
)  # fmt: skip
def test_blanks_numbers_and_marks_are_no_sentence(text: str) -> None:
    assert not is_sentence(text)
