from __future__ import annotations

import pytest

from benchmarks.halves import half
from benchmarks.text_overlap import exact_match, sequence_match


def test_case_and_punctuation_do_not_count_in_an_exact_match() -> None:
    assert exact_match("Lungs are CLEAR.", "lungs are clear") == 1.0
    assert exact_match("Clear are lungs.", "lungs are clear") == 0.0


def test_a_sequence_match_heeds_order() -> None:
    assert sequence_match("a b c d", "a b c d") == 1.0
    assert sequence_match("a b c d", "a x c d") == pytest.approx(0.75)
    assert sequence_match("d c b a", "a b c d") == pytest.approx(0.25)
    assert sequence_match("", "") == 1.0


def test_frequent_words_of_a_long_report_still_match() -> None:
    text = "no effusion " * 200
    assert sequence_match(text, text + "seen") > 0.99


def test_both_halves_are_about_as_large() -> None:
    reports = sum(half(f"study {number}") == "report" for number in range(2_000))
    assert 900 < reports < 1_100
