"""Which sentences of a text are read."""

from __future__ import annotations

from sdr_decode.segmenter import split_sentences


def read_sentences(text: str) -> list[str]:
    """The sentences of a text that say what was found: all of them, and where one stands under
    findings, only those of findings and impression (an indication finds nothing)."""
    sentences = split_sentences(text)
    sectioned = any(sentence.section == "findings" for sentence in sentences)
    return [s.text for s in sentences if s.section is not None or not sectioned]
