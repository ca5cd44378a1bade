from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdr_decode.metrics import token_f1


def test_token_f1_counts_shared_words_with_their_number() -> None:
    # Shared: "no" once, "effusion" once. Ours has 3 words, theirs 4: 2 * 2 / (3 + 4).
    assert token_f1("No effusion, clear.", "no no EFFUSION seen") == pytest.approx(4 / 7)


def test_token_f1_at_its_ends() -> None:
    assert token_f1("Clear lungs.", "lungs clear") == 1.0
    assert token_f1("Clear", "opacity") == 0.0
    assert token_f1("", "") == 1.0
    assert token_f1("...", "word") == token_f1("word", "") == 0.0


@given(st.text(), st.text())
def test_token_f1_is_symmetric_and_bounded(a: str, b: str) -> None:
    assert 0.0 <= token_f1(a, b) == token_f1(b, a) <= 1.0
