"""No unseen character reaches a reader."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from sdr_decode.visible import on_one_line, visible


@given(st.text())
def test_nothing_shown_is_unseen_but_line_ends_and_tabs(text: str) -> None:
    unseen = {"Cc", "Cf", "Zl", "Zp"}
    shown = set(visible(text)) - {"\n", "\t"}
    assert not {char for char in shown if unicodedata.category(char) in unseen}
    assert not {char for char in on_one_line(text) if unicodedata.category(char) in unseen}


def test_unseen_characters_are_named_and_others_kept() -> None:
    assert visible("a\u202eb\x1b[0m") == "a⟨U+202E⟩b⟨U+001B⟩[0m"
    assert visible("Größe 5 × 4 cm, “clear”\r\nnext\tline\rend") == (
        "Größe 5 × 4 cm, “clear”\nnext\tline\nend"
    )
    assert on_one_line(" two\n words\t ") == "two words"
