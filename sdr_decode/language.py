"""Whether a text stays in its language, judged by the scripts of its sentences.

A sentence that is not in the expected script is a slip; two slips in a row mean that the text has
left its language, a single one does not: a term, a code or a quotation may stand alone.

Japanese (``ja``): the text is split at ``。``, and a sentence without any hiragana or katakana
(U+3040 to U+30FF) is a slip, so that Chinese is one and a disease name in kanji passes by itself.

Every other language is known by its scripts: a sentence is a slip when more than half of its
letters are of others. Sentences without letters are none. So it tells Russian from English but not
French.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from sdr_decode.errors import SDRDecodeError
from sdr_decode.segmenter import split_sentences
from sdr_decode.stops import IDEOGRAPHIC_STOPS

JAPANESE = "ja"
_KANA = re.compile("[\u3040-\u30ff]")
_STOP = re.compile(f"[{''.join(sorted(IDEOGRAPHIC_STOPS))}]")

SCRIPTS = frozenset(
    """ARABIC ARMENIAN BENGALI CJK CYRILLIC DEVANAGARI GEORGIAN GREEK HANGUL HEBREW HIRAGANA
    KATAKANA KHMER LAO LATIN TAMIL TELUGU THAI""".split()
)
"""The scripts that can be expected, as the names of Unicode's characters begin."""

_LATIN = """af ca cs da de en es et fi fr hr hu id is it lt lv ms nl no pl pt ro sk sl sv sw tr
    vi"""
_LANGUAGES: dict[str, frozenset[str]] = {
    **dict.fromkeys(_LATIN.split(), frozenset({"LATIN"})),
    **dict.fromkeys("be bg kk mk ru sr uk".split(), frozenset({"CYRILLIC"})),
    **dict.fromkeys("ar fa ur".split(), frozenset({"ARABIC"})),
    **dict.fromkeys("hi mr ne".split(), frozenset({"DEVANAGARI"})),
    "bn": frozenset({"BENGALI"}),
    "el": frozenset({"GREEK"}),
    "he": frozenset({"HEBREW"}),
    "hy": frozenset({"ARMENIAN"}),
    "ka": frozenset({"GEORGIAN"}),
    "km": frozenset({"KHMER"}),
    "ko": frozenset({"HANGUL", "CJK"}),
    "lo": frozenset({"LAO"}),
    "ta": frozenset({"TAMIL"}),
    "te": frozenset({"TELUGU"}),
    "th": frozenset({"THAI"}),
    "zh": frozenset({"CJK"}),
}


@dataclass(frozen=True, slots=True)
class Language:
    """An expected language or script, ``name``, and the ``scripts`` that it is written in."""

    name: str
    scripts: frozenset[str]

    def is_slip(self, sentence: str) -> bool:
        """Whether a sentence that holds a letter or a digit is not in this language."""
        if self.name == JAPANESE:
            return _KANA.search(sentence) is None
        scripts = [script_of(char) for char in sentence if char.isalpha()]
        return 2 * sum(script not in self.scripts for script in scripts) > len(scripts)

    def is_all_of(self, text: str) -> bool:
        """Whether no sentence of a text can be a slip, seen at a glance."""
        if self.name == JAPANESE:
            return False
        if text.isascii():
            return "LATIN" in self.scripts
        return all(script_of(char) in self.scripts for char in text if char.isalpha())

    def left(self, sentences: Iterable[str]) -> tuple[str, str] | None:
        """The first two slips in a row among sentences in order, ``None`` without. Those without
        a letter or digit are passed over."""
        written = (sentence for sentence in sentences if any(map(str.isalnum, sentence)))
        for before, after in pairwise(written):
            if self.is_slip(before) and self.is_slip(after):
                return before, after
        return None

    def sentences(self, text: str) -> Sequence[str]:
        """The sentences that a whole text is judged by."""
        if self.name == JAPANESE:
            return _STOP.split(text)
        return [sentence.text for sentence in split_sentences(text)]

    def closed(self, sentences: Iterable[str]) -> Sequence[str]:
        """Of a text that goes on, the sentences that it is judged by so far, from those that the
        segmenter closed."""
        if self.name == JAPANESE:
            return _STOP.split("\n".join(sentences))[:-1]
        return list(sentences)


def expected_language(word: str = "en") -> Language:
    """The language of a code (``ja``, ``en``, ``ru``) or of a script's name (``latin``, ``thai``).

    Raises ``SDRDecodeError``, naming what is known.
    """
    if word.casefold() == JAPANESE:
        return Language(JAPANESE, frozenset({"HIRAGANA", "KATAKANA", "CJK"}))
    if word.casefold() in _LANGUAGES:
        return Language(word.casefold(), _LANGUAGES[word.casefold()])
    if word.upper() in SCRIPTS:
        return Language(word.casefold(), frozenset({word.upper()}))
    raise SDRDecodeError(
        f"found {word!r} as the language; expected a code ({', '.join(sorted(known_languages()))}) "
        f"or a script ({', '.join(sorted(SCRIPTS)).lower()})"
    )


def known_languages() -> frozenset[str]:
    """The codes of the languages that can be expected."""
    return frozenset({JAPANESE, *_LANGUAGES})


def language_consistency(text: str, language: str | Language = "en") -> float:
    """1.0 when the text stays in its language, 0.0 when it has two slips in a row."""
    expected = expected_language(language) if isinstance(language, str) else language
    if expected.is_all_of(text):
        return 1.0
    return 1.0 if expected.left(expected.sentences(text)) is None else 0.0


@lru_cache(maxsize=4096)
def script_of(char: str) -> str | None:
    """The script of a letter, as its Unicode name begins; ``None`` of a letter without a name."""
    name = unicodedata.name(char, "")
    return name.removeprefix("FULLWIDTH ").removeprefix("HALFWIDTH ").split(" ")[0] or None
