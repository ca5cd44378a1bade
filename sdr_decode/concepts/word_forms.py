"""The words of a text, and the form in which two words are the same.

Case, plural and hyphen say nothing: "Ground-glass opacities" and "ground glass opacity" are the
same words. Nothing else is taken away, so "hypertensive" is not "hypertension".
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from sdr_decode.findings.phrases import words_of
from sdr_decode.invisible import visible

_IRREGULAR = dict(
    pair.split(">")
    for pair in """
    thoraces>thorax pneumothoraces>pneumothorax hemothoraces>hemothorax apices>apex cortices>cortex
    hydropneumothoraces>hydropneumothorax vertebrae>vertebra bullae>bulla fistulae>fistula
    pleurae>pleura bronchi>bronchus emboli>embolus thrombi>thrombus calculi>calculus foci>focus
    diverticula>diverticulum atria>atrium septa>septum ganglia>ganglion phalanges>phalanx
    metastases>metastasis atelectases>atelectasis bronchiectases>bronchiectasis teeth>tooth
    """.split()
)
_ES = ("sses", "xes", "ches", "shes", "zes")
_NO_PLURAL = ("ss", "us", "is", "'s")


def readable_form(text: str) -> str:
    """What is visible of a text, in NFKC: wide letters and ligatures as plain ones."""
    return unicodedata.normalize("NFKC", visible(text))


def spelled(text: str) -> list[str]:
    """The words and marks of a text as it spells them, without what is invisible."""
    return words_of(readable_form(text))


def folded(words: Sequence[str]) -> list[str]:
    """The words in the form in which they are compared."""
    return [_folded(word) for word in words]


@lru_cache(maxsize=1 << 16)
def _folded(word: str) -> str:
    return singular(word.casefold())


def singular(word: str) -> str:
    """The singular of a case-folded English word, as far as its end tells it: a light stemmer after
    Harman (1991, "How effective is suffixing?", the S stemmer), with the Latin plurals of
    radiology. A word that is no plural comes back as it is."""
    irregular = _IRREGULAR.get(word)
    if irregular is not None:
        return irregular
    if len(word) <= 3 or not word.endswith("s") or word.endswith(_NO_PLURAL):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y" if len(word) > 4 else word[:-1]
    if word.endswith("oses") and len(word) >= 8:
        return word[:-2] + "is"  # stenoses, fibroses
    return word[:-2] if word.endswith(_ES) else word[:-1]
