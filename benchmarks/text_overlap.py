"""Overlap of a report with its reference beside Token-F1. Higher is better, in [0, 1]."""

from __future__ import annotations

from difflib import SequenceMatcher

from sdr_decode.metrics import words


def exact_match(text: str, reference: str) -> float:
    """1 when both say the same words in the same order, else 0 (SQuAD, arXiv 1606.05250, articles
    included): case, punctuation and white space do not count."""
    return float(words(text) == words(reference))


def sequence_match(text: str, reference: str) -> float:
    """``difflib``'s ratio over words: 2 M / T, where M words stand in matching runs (Ratcliff and
    Obershelp, 1988) and T is the number of words of both. Unlike Token-F1 it heeds order. Two
    texts without words are equal."""
    # Without the heuristic that takes frequent words for noise: "no" is not noise here.
    return SequenceMatcher(None, words(text), words(reference), autojunk=False).ratio()
