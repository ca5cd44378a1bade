"""Findings that a sentence states with a subject and a quality: "heart size is normal".

"Normal" or "clear" denies the observations of its subject, "enlarged" affirms and "borderline"
questions them. ``pairing`` says which quality belongs to which subject.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, auto

from sdr_decode.findings.observations import Observation

_O = Observation


class Quality(Enum):
    """What is said of a subject."""

    NORMAL = auto()
    CLEAR = auto()
    ENLARGED = auto()
    MARKED = auto()
    BORDERLINE = auto()


class Subject(Enum):
    """What a quality is said of."""

    HEART = auto()
    MEDIASTINUM = auto()
    CARDIOMEDIASTINUM = auto()
    LUNGS = auto()
    PLEURA = auto()
    VESSELS = auto()
    INTERSTITIUM = auto()
    BONES = auto()


_SHAPE = "size|contour|contours|silhouette|silhouettes|shadow|border|borders|configuration"

SUBJECTS: Mapping[Subject, str] = {
    Subject.HEART: """
        heart, heart|cardiac size|silhouette|silhouettes|contour|contours|shadow|border,
        cardiac size and contour, size of the heart, cardiac, ventricle, ventricles""",
    Subject.MEDIASTINUM: f"""
        mediastinum, mediastinal {_SHAPE}, mediastinal and hilar contours, mediastinal structures,
        superior|upper mediastinum, mediastinal, hilar and mediastinal contours|silhouette""",
    Subject.CARDIOMEDIASTINUM: f"""
        cardiomediastinum, cardiomediastinal {_SHAPE}, cardiomediastinal,
        cardio mediastinal {_SHAPE}, cardiac mediastinal {_SHAPE}, heart and mediastinum,
        cardiac and mediastinal {_SHAPE}, heart and mediastinal {_SHAPE},
        heart size and mediastinal contour|contours, heart and mediastinal contours,
        cardiac mediastinal silhouette""",
    Subject.LUNGS: """
        lungs, lung, lung fields|field|parenchyma|bases|volumes? are? clear, both lungs,
        left|right lung, lung xxxx, pulmonary parenchyma""",
    Subject.PLEURA: """
        pleural space|spaces|surfaces|reflections|margins, pleura, costophrenic angle|angles|sulci,
        costophrenic xxxx, costophrenic, posterior? sulci|sulcus""",
    Subject.VESSELS: """
        pulmonary vascularity|vasculature|vessels|vascular|circulation, vascularity, vasculature,
        pulmonary vascular markings|pattern|structures, vascular markings,
        lung vascularity|vasculature, central pulmonary vasculature|vascularity,
        pulmonary vascular engorgement""",
    Subject.INTERSTITIUM: """
        interstitial markings|marking|pattern, pulmonary? interstitium,
        bronchovascular interstitial? markings, interstitial lung markings,
        lung|pulmonary markings, interstitial""",
    Subject.BONES: """
        bony|osseous structures|thorax|skeleton|abnormality, bones, ribs, rib, osseous, bony,
        skeletal structures, bony structures, visualized bones, thoracic cage""",
}

QUALITIES: Mapping[Quality, str] = {
    Quality.NORMAL: """
        normal, within? normal limits, unremarkable, intact, normal in size, normal size,
        not remarkable, nonenlarged, non enlarged, within limits of normal,
        within the limits of normal, grossly normal, wnl, unenlarged,
        at? near? the? upper|top limit|limits of? normal, upper|top|high normal, within limits""",
    Quality.CLEAR: "clear, sharp, well expanded, well aerated, clear bilaterally, clear of",
    Quality.ENLARGED: """
        enlarged, enlargement, widened, widening, prominent, prominence, engorged, engorgement,
        increased, congested, indistinct, large, dilated, enlarge, thickened, more prominent,
        cephalized""",
    Quality.MARKED: """
        accentuated, accentuation, crowded, irregular, chronic, coarse, coarsened, reticular""",
    Quality.BORDERLINE: """
        borderline, borderline enlarged|large|prominent|size, slightly prominent,
        normal to mildly enlarged, normal to borderline""",
}

_SUITS: Mapping[Subject, frozenset[Quality]] = {
    Subject.HEART: frozenset({Quality.NORMAL, Quality.ENLARGED, Quality.BORDERLINE}),
    Subject.MEDIASTINUM: frozenset({Quality.NORMAL, Quality.ENLARGED, Quality.BORDERLINE}),
    Subject.CARDIOMEDIASTINUM: frozenset({Quality.NORMAL, Quality.ENLARGED, Quality.BORDERLINE}),
    Subject.LUNGS: frozenset({Quality.NORMAL, Quality.CLEAR}),
    Subject.PLEURA: frozenset({Quality.NORMAL, Quality.CLEAR}),
    Subject.VESSELS: frozenset({Quality.NORMAL, Quality.ENLARGED, Quality.BORDERLINE}),
    Subject.INTERSTITIUM: frozenset({Quality.NORMAL, Quality.ENLARGED, Quality.MARKED}),
    Subject.BONES: frozenset({Quality.NORMAL}),
}

OBSERVED: Mapping[Subject, tuple[Observation, ...]] = {
    Subject.HEART: (_O.CARDIOMEGALY,),
    Subject.MEDIASTINUM: (_O.ENLARGED_CARDIOMEDIASTINUM,),
    Subject.CARDIOMEDIASTINUM: (_O.ENLARGED_CARDIOMEDIASTINUM, _O.CARDIOMEGALY),
    Subject.LUNGS: (_O.LUNG_OPACITY, _O.CONSOLIDATION),
    Subject.PLEURA: (_O.PLEURAL_EFFUSION,),
    Subject.VESSELS: (_O.EDEMA,),
    Subject.INTERSTITIUM: (_O.LUNG_OPACITY,),
    Subject.BONES: (_O.FRACTURE,),
}


def suits(subject: Subject, quality: Quality) -> bool:
    """Whether a quality says something of a subject."""
    return quality in _SUITS[subject]
