"""Whether a reward tells a finding from its negation.

Probes are pairs of sentences that differ only by a negation: a sentence of the corpus and what a
rule makes of it by putting in or taking out "no". A pair is kept when the labeller
(``sdr_decode.findings``) reads in one that exactly one observation is present and in the other
that it is absent.

A probe is put to a reference sentence that states the same observation alone: which of the two
does a reward prefer, the one that agrees with the reference or the one that denies it? Once the
sentences stand alone, and once in the whole reference report, with the probe in place of the
sentence. Reference sentences that a probe repeats word by word are left out.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from clients.recording import Reference
from sdr_decode.corpus import Corpus
from sdr_decode.findings import Observation
from sdr_decode.rewards.polarity import asserted
from sdr_decode.segmenter import split_sentences
from sdr_decode.sentences import normalise

PROBES_EACH = 3
"""How many probes are put to a reference sentence."""

POOL = 40
"""Of the probes of an observation, the most frequent in the corpus."""

LONGEST = 6
"""Words of a corpus sentence that makes a probe: what is longer says more than one finding."""

# A reference seldom says that there are none, and "no leads" is no finding.
_DEVICES = 1 << list(Observation).index(Observation.SUPPORT_DEVICES)

_NO = re.compile(
    r"(?i)(?P<there>there (?:is|are) )?no (?:evidence of |evidence for |signs of )?(?P<rest>\S.*)"
)
_THERE = re.compile(r"(?i)(?P<there>there (?:is|are) )(?:an? )?(?P<rest>\S.*)")


@dataclass(frozen=True, slots=True)
class Probe:
    """Two sentences on one observation, ``bit``, that differ only by a negation."""

    bit: int
    present: str
    absent: str


@dataclass(frozen=True, slots=True)
class Trial:
    """A reference with a probe put to one of its sentences.

    ``right`` agrees with the ``reference`` and ``wrong`` denies it, as whole reports;
    ``sentences`` are these three alone. ``present`` is whether the reference states the finding as
    present.
    """

    study: int
    present: bool
    right: str
    wrong: str
    reference: str
    sentences: tuple[str, str, str]


def negated(sentence: str) -> str | None:
    """What a rule makes of a sentence by putting in or taking out one "no"; ``None`` where the
    rule does not hold.

    >>> negated("There is no pleural effusion."), negated("Small left effusion.")
    ('There is pleural effusion.', 'No small left effusion.')
    """
    if re.search(r"(?i)\b(?:no|not|without)\b", sentence):
        match = _NO.fullmatch(sentence)
        if match is None:
            return None
        return _capitalised((match["there"] or "") + match["rest"])
    match = _THERE.fullmatch(sentence)
    if match is not None:
        return _capitalised(f"{match['there']}no {match['rest']}")
    if re.search(r"(?i)\b(?:is|are|was|were|has|have)\b", sentence):
        return None
    return f"No {sentence[0].lower()}{sentence[1:]}"


def _capitalised(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


def probes(corpus: Corpus) -> dict[int, list[Probe]]:
    """The probes of each observation, the most frequent sentences first."""
    made: dict[int, dict[Probe, None]] = {}
    for row in sorted(range(len(corpus)), key=lambda row: (-corpus.count(row), row)):
        sentence = corpus.text(row)
        other = negated(sentence) if _plain(sentence) else None
        if other is None:
            continue
        here, there = asserted(normalise(sentence)), asserted(normalise(other))
        bit = here[0] | here[1]
        single = bit.bit_count() == 1 and 0 in here and bit != _DEVICES
        if here != (there[1], there[0]) or not single:
            continue
        present, absent = (sentence, other) if here[0] else (other, sentence)
        of_bit = made.setdefault(bit, {})
        if len(of_bit) < POOL:
            of_bit[Probe(bit, present, absent)] = None
    return {bit: list(of_bit) for bit, of_bit in made.items()}


def trials(
    references: Sequence[Reference], pool: dict[int, list[Probe]], *, seed: int = 0
) -> Iterator[Trial]:
    """Every probe that is put to a reference, drawn with a fixed seed."""
    draw = random.Random(seed)
    for study, reference in enumerate(references):
        parts = [
            [sentence.text for sentence in split_sentences(text or "")]
            for text in (reference.findings, reference.impression)
        ]
        for part, sentences in enumerate(parts):
            for place, sentence in enumerate(sentences):
                present, absent = asserted(normalise(sentence))
                bit = present | absent
                if bit not in pool or (present and absent):
                    continue
                fitting = [probe for probe in pool[bit] if not _repeats(probe, sentence)]
                for probe in draw.sample(fitting, min(PROBES_EACH, len(fitting))):
                    right, wrong = probe.present, probe.absent
                    if absent:
                        right, wrong = wrong, right
                    yield Trial(
                        study,
                        bool(present),
                        _changed(parts, part, place, right),
                        _changed(parts, part, place, wrong),
                        as_report(parts),
                        (right, wrong, sentence),
                    )


def _changed(parts: Sequence[Sequence[str]], part: int, place: int, said: str) -> str:
    changed = [list(each) for each in parts]
    changed[part][place] = said
    return as_report(changed)


def as_report(parts: Sequence[Sequence[str]]) -> str:
    """Findings and impression as a report, a sentence a line."""
    findings, impression = ("\n".join(map(_closed, part)) for part in parts)
    return f"FINDINGS:\n{findings}\nIMPRESSION:\n{impression}"


def _closed(sentence: str) -> str:
    return sentence if sentence.endswith((".", "?", "!")) else f"{sentence}."


def _plain(sentence: str) -> bool:
    """Whether a sentence is short, without blanks, and says one thing."""
    words = sentence.casefold().rstrip(".").split()
    odd = {"a", "an", "the", "may", "maybe", "xxxx", "and", "or"}
    return len(words) <= LONGEST and not odd & set(words) and "," not in sentence


def _repeats(probe: Probe, sentence: str) -> bool:
    return normalise(sentence) in {normalise(probe.present), normalise(probe.absent)}
