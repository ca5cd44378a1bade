"""Whether a text stays in its language, as a reward."""

from __future__ import annotations

from clients.errors import SpecError
from clients.spec import Spec, allow_options
from sdr_decode.errors import SDRDecodeError
from sdr_decode.language import Language, expected_language, language_consistency
from sdr_decode.rewards.base import TextReward


class LanguageReward(TextReward):
    """0.0 for a text with two sentences in a row that are not in its ``language``, else 1.0.

    ``language`` is a code such as ``ja`` or the name of a script (``sdr_decode.language``). In
    Japanese a text is split at ``。``, and a sentence without hiragana and katakana is a slip, so
    that a disease name in kanji passes by itself and two Chinese sentences in a row do not:

    >>> LanguageReward("ja")(completions=["肺炎。", "心影不大。双肺清晰。"])
    [1.0, 0.0]
    """

    def __init__(self, language: str | Language = "en") -> None:
        self.language = expected_language(language) if isinstance(language, str) else language
        super().__init__(f"language-{self.language.name}")

    def value(self, text: str) -> float:
        return language_consistency(text, self.language)


def from_spec(spec: Spec) -> LanguageReward:
    """``language:ja``; ``language`` alone expects English."""
    allow_options(spec)
    try:
        return LanguageReward(spec.value or "en")
    except SDRDecodeError as error:
        raise SpecError(f"language {error}") from None
