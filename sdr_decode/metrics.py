"""How much of a reference report a report says: text overlap. All higher is better, in [0, 1]."""

from __future__ import annotations

import re
from collections import Counter

_WORD = re.compile(r"\w+")


def words(text: str) -> list[str]:
    """The words of a text: runs of letters, digits and underscores, case-folded."""
    return _WORD.findall(text.casefold())


def token_f1(text: str, reference: str) -> float:
    """Harmonic mean of precision and recall over the bags of words of both texts.

    Two texts without words are equal (1); one without words has nothing of the other (0). As in
    SQuAD (arXiv 1606.05250), articles included.
    """
    ours, theirs = Counter(words(text)), Counter(words(reference))
    if not ours or not theirs:
        return float(not ours and not theirs)
    shared = (ours & theirs).total()
    return 2.0 * shared / (ours.total() + theirs.total())
