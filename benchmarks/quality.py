"""What every candidate of every study is worth, measured once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.studies import BenchStudy
from benchmarks.text_overlap import exact_match, sequence_match
from clients.recording import Reference
from sdr_decode.findings import Findings, Mention, Observation, label_report
from sdr_decode.replay import prose_of
from sdr_decode.segmenter import split_sentences
from sdr_decode.track import MeasuredTrack

Numbers = NDArray[np.float64]

MEANS = ("token_f1", "exact", "sequence", "sdr", "names_any", "names_same")
"""The qualities that are means over studies; ``Quality`` holds one array of each."""
COUNTS = ("findings", "observations")
"""Those that are counts of hits, extras and misses, for precision, recall and F1 over all."""


_NORMAL = frozenset({Observation.NO_FINDING})


@dataclass(frozen=True, slots=True)
class Quality:
    """Arrays of shape (studies, K), higher is better, NaN where the study has no reference.

    ``token_f1``, ``exact``, ``sequence`` and ``sdr`` (1 - symmetric Chamfer) compare with the
    reference. ``names_any`` is 1 where a candidate names any abnormality, ``names_same`` the share
    of the reference's abnormal observations that it names too; both are NaN where the reference
    names none. ``findings`` (studies, K, 3) counts true positives, false positives and false
    negatives over the 13 observations that are findings, mentioned as positive; ``observations``
    counts "No Finding" too, which a report that names nothing shares with every normal study.
    """

    token_f1: Numbers
    exact: Numbers
    sequence: Numbers
    sdr: Numbers
    names_any: Numbers
    names_same: Numbers
    findings: Numbers
    observations: Numbers

    def of(self, studies: NDArray[np.bool_]) -> Quality:
        """The same for some of the studies."""
        return Quality(*(getattr(self, name)[studies] for name in (*MEANS, *COUNTS)))

    def first(self, k: int) -> Quality:
        """The same for the first ``k`` candidates."""
        return Quality(*(getattr(self, name)[:, :k] for name in (*MEANS, *COUNTS)))


def measure_quality(studies: Sequence[BenchStudy]) -> Quality:
    """Measure all candidates; every study must hold the same number of them."""
    rows = [_study(study) for study in studies]
    return Quality(
        *(
            np.array([[candidate[name] for candidate in row] for row in rows], dtype=np.float64)
            for name in (*MEANS, *COUNTS)
        )
    )


def _study(study: BenchStudy) -> list[dict[str, object]]:
    if study.reference is None:
        unknown: dict[str, object] = dict.fromkeys(MEANS, np.nan)
        return [{**unknown, **dict.fromkeys(COUNTS, (0, 0, 0))} for _ in study.tracks]
    text = " ".join(part for part in (study.reference.findings, study.reference.impression) if part)
    expected = _reference_findings(study.reference)
    assert study.measured.token_f1 is not None
    assert study.measured.sdr is not None
    return [
        {
            "token_f1": f1,
            "exact": exact_match(prose_of(each.track.report), text),
            "sequence": sequence_match(prose_of(each.track.report), text),
            "sdr": sdr,
            **_findings(each, expected),
        }
        for each, f1, sdr in zip(
            study.tracks, study.measured.token_f1, study.measured.sdr, strict=True
        )
    ]


def _reference_findings(reference: Reference) -> Findings:
    text = f"FINDINGS:\n{reference.findings}\nIMPRESSION:\n{reference.impression}"
    return label_report(split_sentences(text))


def _findings(each: MeasuredTrack, reference: Findings) -> dict[str, object]:
    said = label_report([closing.sentence for closing in each.track.closings])
    ours, theirs = said.stated(Mention.POSITIVE), reference.stated(Mention.POSITIVE)
    named, expected = _abnormal(said), _abnormal(reference)
    return {
        "names_any": float(bool(named)) if expected else np.nan,
        "names_same": len(named & expected) / len(expected) if expected else np.nan,
        "findings": _counts(ours - _NORMAL, theirs - _NORMAL),
        "observations": _counts(ours, theirs),
    }


def _counts(ours: frozenset[Observation], theirs: frozenset[Observation]) -> tuple[int, int, int]:
    return len(ours & theirs), len(ours - theirs), len(theirs - ours)


def _abnormal(findings: Findings) -> frozenset[Observation]:
    return findings.abnormal & findings.stated(Mention.POSITIVE)
