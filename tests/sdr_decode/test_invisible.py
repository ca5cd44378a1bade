from __future__ import annotations

import sys
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sdr_decode.invisible import visible
from sdr_decode.segmenter import Segmenter, split_sentences
from sdr_decode.sentences import Sentence
from sdr_decode.validity import looks_like_refusal
from tests.sdr_decode.report_texts import INVISIBLE, report_texts

strewn_texts = report_texts.map(visible).flatmap(
    lambda text: st.tuples(
        st.just(text),
        st.lists(st.tuples(st.integers(0, len(text)), st.sampled_from(INVISIBLE)), max_size=8),
    )
)


def strew(text: str, marks: list[tuple[int, str]]) -> str:
    """``text`` with characters that show nothing, each before the character at its offset."""
    for at, char in sorted(marks, reverse=True):
        text = text[:at] + char + text[at:]
    return text


def read(text: str) -> tuple[list[Sentence], Segmenter]:
    segmenter = Segmenter()
    return [*segmenter.feed(text), *segmenter.finish()], segmenter


@given(strewn_texts)
@example(("Clear. No mass.", [(6, "\u200b")]))
@example(("Ribs intact.Impression: none", [(10, "\u00ad"), (16, "\u200b"), (22, "\ufeff")]))
@example(("1.) Clear", [(1, "\u200b"), (2, "\u200b")]))
def test_what_shows_nothing_changes_no_sentence(
    strewn: tuple[str, list[tuple[int, str]]],
) -> None:
    plain, text = strewn[0], strew(*strewn)
    sentences, segmenter = read(text)
    plain_sentences, plain_segmenter = read(plain)
    assert [(s.text, s.section) for s in sentences] == [
        (s.text, s.section) for s in plain_sentences
    ]
    assert [(h.text, h.section) for h in segmenter.headings] == [
        (h.text, h.section) for h in plain_segmenter.headings
    ]
    spans = [*((s.start, s.end) for s in (*sentences, *segmenter.headings)), *segmenter.skipped]
    plain_spans = [
        *((s.start, s.end) for s in (*plain_sentences, *plain_segmenter.headings)),
        *plain_segmenter.skipped,
    ]
    assert [visible(text[a:b]) for a, b in spans] == [plain[a:b] for a, b in plain_spans]
    assert [len(visible(text[:a])) for a, _ in spans] == [a for a, _ in plain_spans]


@pytest.mark.parametrize("char", INVISIBLE)
def test_a_sentence_end_is_not_hidden(char: str) -> None:
    text = f"No effu{char}sion.{char} The heart{char} is normal{char}."
    first, second = split_sentences(text)
    assert (first.text, second.text) == ("No effusion.", "The heart is normal.")
    assert text[first.start : first.end] == f"No effu{char}sion."
    assert text[second.start : second.end] == f"The heart{char} is normal{char}."


def test_only_what_shows_nothing_is_taken_away() -> None:
    taken = {char for char in map(chr, range(sys.maxunicode + 1)) if not visible(char)}
    assert not [char for char in taken if char.isspace()]
    controls = {chr(code) for code in (*range(32), *range(127, 160))}
    assert taken >= {char for char in controls if not char.isspace()}
    # Letters and marks among them are fillers and variation selectors.
    kinds = {unicodedata.category(char) for char in taken}
    assert kinds == {"Cc", "Cf", "Cn", "Lo", "Mn"}
    named = [unicodedata.name(char, "") for char in taken if unicodedata.category(char) == "Lo"]
    assert all("FILLER" in name for name in named)


def test_a_refusal_is_not_hidden() -> None:
    assert looks_like_refusal("\ufeffI\u2060'm so\u00adrry, I can't help.")
