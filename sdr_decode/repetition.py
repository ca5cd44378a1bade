"""How free a text is of repetition and padding, from 0 to 1.

Counted as redundant, in words and marks:

- a sentence that stood in the same section before;
- ``_NGRAM`` words and marks in a row that stood in the same section before;
- what goes on with a loop: a stretch of up to ``loops.LONGEST_LOOP`` words and marks, from the
  third time in a row on;
- trailing filler: what stands behind the last letter or digit, beyond ``_AT_END`` characters.

De-identification blanks (``XXXX``) and numbers alone are never redundant, and an impression may
repeat the findings.
"""

from __future__ import annotations

import re
from itertools import groupby

from sdr_decode.loops import LONGEST_LOOP, says_something, words_of
from sdr_decode.segmenter import split_sentences
from sdr_decode.sentences import Sentence, is_sentence, normalise

_NGRAM = 12
_AT_END = 4
_TAIL = re.compile(r"[\W_]*\Z")


def consistency(text: str) -> float:
    """The share of the text that is neither repetition nor padding, in [0, 1]; 1 is clean.

    An empty text repeats nothing: 1.
    """
    sentences = sorted(split_sentences(text), key=lambda sentence: sentence.section or "")
    redundant = total = 0
    for _, section in groupby(sentences, key=lambda sentence: sentence.section):
        marked = _marked(list(section))
        redundant += sum(marked)
        total += len(marked)
    tail = _TAIL.search(text)
    filler = max(0, len(tail.group()) - _AT_END) if tail is not None else 0
    return 1.0 - (redundant + filler) / (total + filler) if total + filler else 1.0


def _marked(section: list[Sentence]) -> list[bool]:
    """For each word and mark of the sentences of a section, whether it is redundant."""
    words: list[str] = []
    marked: list[bool] = []
    said: set[str] = set()
    for sentence in section:
        of_sentence = words_of(sentence.text)
        key = normalise(sentence.text)
        marked += [key in said and is_sentence(key)] * len(of_sentence)
        words += of_sentence
        said.add(key)
    _mark_again(words, marked)
    _mark_loops(words, marked)
    return marked


def _mark_again(words: list[str], marked: list[bool]) -> None:
    seen: set[tuple[str, ...]] = set()
    for end in range(_NGRAM, len(words) + 1):
        ngram = tuple(words[end - _NGRAM : end])
        if ngram in seen and any(map(says_something, ngram)):
            marked[end - _NGRAM : end] = [True] * _NGRAM
        seen.add(ngram)


def _mark_loops(words: list[str], marked: list[bool]) -> None:
    for period in range(1, LONGEST_LOOP + 1):
        same = 0
        for place in range(period, len(words)):
            same = same + 1 if words[place] == words[place - period] else 0
            stretch = words[place - period + 1 : place + 1]
            if same > period and any(map(says_something, stretch)):
                marked[place] = True
