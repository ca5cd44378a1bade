"""The words that the rules of segmentation know."""

from __future__ import annotations


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


UNITS = _words("cc cm cms ft hr hrs hu in kg kv lb lbs mas mg ml mm mms oz sec yr yrs")

NEEDS_ANOTHER = _words(
    "approx attn ca cf dr drs e.g eg fig figs i.e ie messrs mr mrs ms prof st viz vs v.s"
)
"""Abbreviations that never end a sentence."""

MAY_END = _words(
    """abd al ant apr aug bilat co dec dept esp est etc ext feb hosp inc incl inf jan jr lat ltd lt
    nov oct ph.d post poss prob pt pts resp rt sep sept sr sup susp tel"""
)
"""Abbreviations that may."""

BEFORE_INITIALS = _words(
    "and by dictated doctor dr drs from mr mrs ms nurse physician prof to with"
)

OPENS_SENTENCE = _words("heart it lungs no the there these this")
"""Words that open a sentence, in lower case, where an abbreviation may end the one before."""

GOES_ON_AFTER_UNIT = _words(
    """above and at below beyond between by calcified cavitary diameter distal from high in inferior
    into lateral lesion long lytic mass medial nodular nodule nodules of opacity or proximal
    superior thick to wide with within x"""
)

BEFORE_NUMBERS = _words(
    """and approximately at by c day days figure for from grade image in is l lead level lobe
    measures measuring number of or phase rib ribs s segment series stage t than the through to
    type under vertebra view views x zone"""
)
"""Words whose number is their own: "rib 2." ends a sentence and opens no list item."""

NEVER_LAST = _words(
    """a an and are as at be but by for from has have in into is may no of on or over per than that
    the to versus vs was were which with within without"""
)

PROSE_BEFORE_HEADING = _words(
    """a an and any acute all clinical for her his in initial its my new no of on or other our
    overall positive prior previous significant that the their these this those with your"""
)
"""Words that make "Impression:" and its like prose, capitals or not: "My Impression: ..."."""

NOT_ALONE = _words(
    "am an and are as at by cm dr for from in is mm mr mrs ms of on or per pm the to was were with"
)
"""Words that say nothing without others."""
