"""How much the segmenter works: the same for every character of every text."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdr_decode.open_sentence import OpenSentence
from sdr_decode.segmenter import Segmenter
from sdr_decode.sentences import Sentence
from tests.sdr_decode.report_texts import report_texts


def fed(chunks: Iterable[str]) -> list[Sentence]:
    segmenter = Segmenter()
    sentences = [sentence for chunk in chunks for sentence in segmenter.feed(chunk)]
    return sentences + segmenter.finish()


class Inspected:
    """Counts the characters that the segmenter looks at or copies."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.count = 0
        step, source = Segmenter._step, OpenSentence.source
        letters, words = OpenSentence.grow_letters, OpenSentence.grow_words

        def counted_step(segmenter: Segmenter, char: str) -> None:
            self.count += 1
            step(segmenter, char)

        def counted_source(sentence: OpenSentence, start: int, end: int) -> str:
            self.count += end - start
            return source(sentence, start, end)

        def counted_letters(sentence: OpenSentence, run: str) -> None:
            self.count += len(run)
            letters(sentence, run)

        monkeypatch.setattr(Segmenter, "_step", counted_step)
        monkeypatch.setattr(OpenSentence, "source", counted_source)

        def counted_words(sentence: OpenSentence, whole: str, begun: str) -> None:
            self.count += len(whole) + len(begun)
            words(sentence, whole, begun)

        monkeypatch.setattr(OpenSentence, "grow_letters", counted_letters)
        monkeypatch.setattr(OpenSentence, "grow_words", counted_words)


MOST_PER_CHARACTER = 8


@settings(max_examples=100)
@given(report_texts, st.integers(1, 40))
def test_work_per_character_is_bounded(text: str, times: int) -> None:
    with pytest.MonkeyPatch.context() as monkeypatch:
        inspected = Inspected(monkeypatch)
        fed(text * times)
    assert inspected.count <= MOST_PER_CHARACTER * len(text * times)


@pytest.mark.parametrize(
    "unit",
    ["no effusion ", "word", " ", "\n ", ".", ". ", "*", "#", "1", "1. ", "a 1. ", "Dr. ", "No.  ",
     "___ ",
     "Final ", "FINDINGS ", "(1", "? ", "x: ", "\u2022", "- ", "p.m.   ", "5. 5 "],
)  # fmt: skip
def test_work_is_linear_in_long_texts(unit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "A" + unit * (40_000 // len(unit))
    inspected = Inspected(monkeypatch)
    fed([text[n : n + 3] for n in range(0, len(text), 3)])
    assert inspected.count <= MOST_PER_CHARACTER * len(text)


@pytest.mark.parametrize(
    ("before", "after"), [("p.m.", "x. Y"), ("FINDINGS", "The"), ("Chest:", "1. A"), ("a 1.", "B")]
)
def test_work_is_linear_in_wide_gaps(
    before: str, after: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (before + " " * 20_000 + after) * 3
    inspected = Inspected(monkeypatch)
    fed([text])
    assert inspected.count <= MOST_PER_CHARACTER * len(text)


def test_a_megabyte_without_a_terminator(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "no pneumothorax seen and " * 40_000
    inspected = Inspected(monkeypatch)
    sentences = fed([text])
    assert len(sentences) == 1
    assert inspected.count <= 3 * len(text)


def test_most_of_a_text_is_taken_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    step, steps = Segmenter._step, []

    def counted(segmenter: Segmenter, char: str) -> None:
        steps.append(char)
        step(segmenter, char)

    monkeypatch.setattr(Segmenter, "_step", counted)
    text = "The heart is normal in size, shape and position. No effusion is seen. " * 20
    fed([text])
    assert len(steps) < len(text) / 6
