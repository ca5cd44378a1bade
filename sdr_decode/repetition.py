"""How free a text is of repetition and padding, from 0 to 1.

Counted as redundant, in words and marks:

- a sentence that stood in the same section before;
- ``_NGRAM`` words and marks in a row that stood in the same section before;
- what goes on with a loop: a stretch of up to ``loops.LONGEST_LOOP`` words and marks, from the
  third time in a row on;
- trailing filler: what stands behind the last letter or digit, beyond ``_AT_END`` characters.

De-identification blanks (``XXXX``), marks and numbers alone are redundant only in a loop of more
than ``WORDLESS_LEAST`` of them, and an impression may repeat the findings. Sentences end at full
stops and line ends here, and sections begin at their plain headings: whole texts are judged by the
thousand, and where exactly a sentence ends matters little when the next says the same.
"""

from __future__ import annotations

import re
from collections import Counter
from operator import eq

from sdr_decode.loops import LONGEST_LOOP, WORDLESS_LEAST, says_something, words_of

_NGRAM = 12
_AT_END = 4
_TAIL = re.compile(r"[\W_]*\Z")
_SECTION = re.compile(r"(?i)\b(?:findings|impression)\b[\s*#]*(?::|$)", re.MULTILINE)
_SENTENCE = re.compile(r"(?<=[.!?])\s+|[\u3002\uff61\n\r]+")


def consistency(text: str) -> float:
    """The share of the text that is neither repetition nor padding, in [0, 1]; 1 is clean.

    An empty text repeats nothing: 1.
    """
    redundant = total = 0
    for section in _SECTION.split(text):
        marked = _marked(section)
        redundant += sum(marked)
        total += len(marked)
    tail = _TAIL.search(text)
    filler = max(0, len(tail.group()) - _AT_END) if tail is not None else 0
    return 1.0 - (redundant + filler) / (total + filler) if total + filler else 1.0


def _marked(section: str) -> list[bool]:
    """For each word and mark of a section, whether it is redundant."""
    words: list[str] = []
    marked: list[bool] = []
    said: set[tuple[str, ...]] = set()
    for sentence in _SENTENCE.split(section.rstrip(".\u3002_ \n\r")):
        of_sentence = words_of(sentence)
        key = tuple(word for word in of_sentence if word[0].isalnum())
        again = key in said and any(map(says_something, key))
        marked += [again] * len(of_sentence)
        words += of_sentence
        said.add(key)
    _mark_again(words, marked)
    _mark_loops(words, marked)
    return marked


def _mark_again(words: list[str], marked: list[bool]) -> None:
    """Mark the n-grams that stood before. A word that stands once is in none of them."""
    counts = Counter(words)
    seen: set[tuple[str, ...]] = set()
    familiar = 0  # how many words in a row stand more than once
    for end, word in enumerate(words, 1):
        familiar = familiar + 1 if counts[word] > 1 else 0
        if familiar < _NGRAM:
            continue
        ngram = tuple(words[end - _NGRAM : end])
        if ngram in seen and any(map(says_something, ngram)):
            marked[end - _NGRAM : end] = [True] * _NGRAM
        seen.add(ngram)


def _mark_loops(words: list[str], marked: list[bool]) -> None:
    for period, times in enumerate(_equal_at(words)):
        if times <= period:
            continue
        same = 0
        for place, is_equal in enumerate(map(eq, words[period:], words), period):
            same = same + 1 if is_equal else 0
            if same > period and (
                same >= WORDLESS_LEAST
                or any(map(says_something, words[place - period + 1 : place + 1]))
            ):
                marked[place] = True


def _equal_at(words: list[str]) -> list[int]:
    """How many words equal the one so many before them, by that distance: (LONGEST_LOOP + 1,)."""
    times = [0] * (LONGEST_LOOP + 1)
    places: dict[str, list[int]] = {}
    for place, word in enumerate(words):
        before = places.setdefault(word, [])
        for at in reversed(before):
            if place - at > LONGEST_LOOP:
                break
            times[place - at] += 1
        before.append(place)
    return times
