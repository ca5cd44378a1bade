"""pysbd as an oracle: every disagreement over the Open-i corpus is of a kind that was reviewed."""

from __future__ import annotations

import tarfile
from collections import Counter
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path

import pysbd
from defusedxml import ElementTree

from sdr_decode.segmenter import Segmenter
from tests.data import real_data
from tests.sdr_decode.pysbd_disagreements import KINDS, Place


def sections(archive: Path) -> Iterator[str]:
    """The texts of all findings and impressions."""
    with tarfile.open(archive) as tar:
        for member in tar:
            file = tar.extractfile(member)
            if file is None or not member.name.endswith(".xml"):
                continue
            for section in ElementTree.parse(file).iter("AbstractText"):
                if section.get("Label") in ("FINDINGS", "IMPRESSION") and section.text:
                    yield section.text


def disagreements(text: str, oracle: pysbd.Segmenter) -> Iterator[Place]:
    solid = list(accumulate((char.isalnum() for char in text), initial=0))
    segmenter = Segmenter()
    sentences = [*segmenter.feed(text), *segmenter.finish()]
    headings = {solid[at] for heading in segmenter.headings for at in (heading.start, heading.end)}
    ours = {solid[sentence.end] for sentence in sentences} | headings
    theirs = set()
    end = 0
    for piece in oracle.segment(text):
        end = text.index(piece.strip(), end) + len(piece.strip())
        theirs.add(solid[end])
    for count in sorted((ours ^ theirs) - {0, solid[-1]}):
        at = solid.index(count)
        yield Place(
            seen_by="ours" if count in ours else "pysbd",
            before=text[:at],
            after=text[at:],
            heading=count in headings,
        )


def test_every_disagreement_with_pysbd_is_of_one_reviewed_kind() -> None:
    oracle = pysbd.Segmenter(language="en", clean=False)
    places: Counter[str] = Counter()
    texts = 0
    for text in sections(real_data("openi/NLMCXR_reports.tgz")):
        texts += 1
        for place in disagreements(text, oracle):
            kinds = [kind.name for kind in KINDS if kind.holds(place)]
            shown = f"{place.seen_by}: {place.before[-40:]!r} | {place.after[:40]!r}"
            assert len(kinds) == 1, f"{kinds or 'no kind'} for a boundary seen by {shown}"
            places.update(kinds)
    assert texts == 7_346
    assert places == {kind.name: kind.places for kind in KINDS}
