"""The 14 observations of CheXpert, and what a text can say of one."""

from __future__ import annotations

from enum import StrEnum


class Observation(StrEnum):
    """An observation of CheXpert (Irvin et al. 2019, arXiv:1901.07031), in its order. The value
    is the name that CheXpert writes."""

    NO_FINDING = "No Finding"
    ENLARGED_CARDIOMEDIASTINUM = "Enlarged Cardiomediastinum"
    CARDIOMEGALY = "Cardiomegaly"
    LUNG_OPACITY = "Lung Opacity"
    LUNG_LESION = "Lung Lesion"
    EDEMA = "Edema"
    CONSOLIDATION = "Consolidation"
    PNEUMONIA = "Pneumonia"
    ATELECTASIS = "Atelectasis"
    PNEUMOTHORAX = "Pneumothorax"
    PLEURAL_EFFUSION = "Pleural Effusion"
    PLEURAL_OTHER = "Pleural Other"
    FRACTURE = "Fracture"
    SUPPORT_DEVICES = "Support Devices"


class Mention(StrEnum):
    """What a text says of an observation."""

    POSITIVE = "positive"
    UNCERTAIN = "uncertain"
    NEGATIVE = "negative"
    NOT_MENTIONED = "not mentioned"


_STRENGTH = {
    Mention.NOT_MENTIONED: 0,
    Mention.NEGATIVE: 1,
    Mention.UNCERTAIN: 2,
    Mention.POSITIVE: 3,
}


def stronger(one: Mention, other: Mention) -> Mention:
    """The one that prevails: positive over uncertain over negative over not mentioned."""
    return one if _STRENGTH[one] >= _STRENGTH[other] else other


def doubted(mention: Mention) -> Mention:
    """The mention after a word of doubt: what was positive is uncertain."""
    return Mention.UNCERTAIN if mention is Mention.POSITIVE else mention
