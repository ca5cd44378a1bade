"""The human tags of Open-i as observations: the reference that finding labels are held against.

Every report of Open-i was tagged by hand with MeSH headings and qualifiers
(``Pleural Effusion/left/small``; Demner-Fushman et al. 2016, doi:10.1093/jamia/ocv080). Eleven of
the 14 observations of CheXpert have a tag of their own. The rest have not: "No Finding" is a
property of the whole report, and the mediastinum and the pleura are tagged by appearance.

========================  ====================================================================
observation               tags
========================  ====================================================================
Cardiomegaly              Cardiomegaly; Cardiac Shadow/enlarged
Lung Opacity              Opacity; Infiltrate; Airspace Disease; Density in the lung or behind
                          the heart; Cicatrix, but of pleura or ribs; Markings, Thickening or
                          Lung if interstitial; Lung Diseases, Interstitial; Pulmonary Fibrosis
Lung Lesion               Nodule; Mass
Edema                     Pulmonary Edema; Pulmonary Congestion; Heart Failure
Consolidation             Consolidation
Pneumonia                 Pneumonia
Atelectasis               Pulmonary Atelectasis
Pneumothorax              Pneumothorax; Hydropneumothorax
Pleural Effusion          Pleural Effusion; Hydropneumothorax; Hemothorax
Fracture                  Fractures, Bone
Support Devices           Catheters, Indwelling; Implanted Medical Device; Medical Device;
                          Stents; Surgical Instruments; Sutures; Tube, Inserted
========================  ====================================================================

What CheXpert counts under an observation decides, also where a tag's word differs: scars and
interstitial markings are Lung Opacity, congestion and heart failure are Edema. A nodule, mass or
density at a place that is also tagged as calcified or as a granuloma is none, as CheXpert does not
count calcified nodules; granulomas alone are none either. A deformity is no fracture; foreign
bodies and breast implants are no support devices. Reports tagged "No Indexing" were not tagged and
are left out.
"""

from __future__ import annotations

import tarfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from defusedxml.ElementTree import fromstring

from benchmarks.halves import Half, half
from index_build.readers.openi import OpenIReader
from sdr_decode.findings import Observation

MAPPED = (
    Observation.CARDIOMEGALY,
    Observation.LUNG_OPACITY,
    Observation.LUNG_LESION,
    Observation.EDEMA,
    Observation.CONSOLIDATION,
    Observation.PNEUMONIA,
    Observation.ATELECTASIS,
    Observation.PNEUMOTHORAX,
    Observation.PLEURAL_EFFUSION,
    Observation.FRACTURE,
    Observation.SUPPORT_DEVICES,
)

_HEADINGS = {
    "Cardiomegaly": Observation.CARDIOMEGALY,
    "Opacity": Observation.LUNG_OPACITY,
    "Infiltrate": Observation.LUNG_OPACITY,
    "Airspace Disease": Observation.LUNG_OPACITY,
    "Lung Diseases, Interstitial": Observation.LUNG_OPACITY,
    "Pulmonary Fibrosis": Observation.LUNG_OPACITY,
    "Nodule": Observation.LUNG_LESION,
    "Mass": Observation.LUNG_LESION,
    "Pulmonary Edema": Observation.EDEMA,
    "Pulmonary Congestion": Observation.EDEMA,
    "Heart Failure": Observation.EDEMA,
    "Consolidation": Observation.CONSOLIDATION,
    "Pneumonia": Observation.PNEUMONIA,
    "Pulmonary Atelectasis": Observation.ATELECTASIS,
    "Pneumothorax": Observation.PNEUMOTHORAX,
    "Pleural Effusion": Observation.PLEURAL_EFFUSION,
    "Hemothorax": Observation.PLEURAL_EFFUSION,
    "Fractures, Bone": Observation.FRACTURE,
    "Catheters, Indwelling": Observation.SUPPORT_DEVICES,
    "Implanted Medical Device": Observation.SUPPORT_DEVICES,
    "Medical Device": Observation.SUPPORT_DEVICES,
    "Stents": Observation.SUPPORT_DEVICES,
    "Surgical Instruments": Observation.SUPPORT_DEVICES,
    "Sutures": Observation.SUPPORT_DEVICES,
    "Tube, Inserted": Observation.SUPPORT_DEVICES,
}
_BENIGN = {"Calcinosis", "Granuloma", "Calcified Granuloma"}
_NOT_TAGGED = "No Indexing"


@dataclass(frozen=True, slots=True)
class TaggedReport:
    """A report with findings and impression, its text under headings, and its tags."""

    id: str
    text: str
    tags: tuple[str, ...]

    @property
    def half(self) -> Half:
        """Where the report belongs."""
        return half(self.id)


def observations_of(tags: Sequence[str]) -> frozenset[Observation]:
    """The observations that a report's tags name."""
    split = [[part.strip() for part in tag.split("/")] for tag in tags]
    benign = {tuple(place[:3]) for heading, *place in split if heading in _BENIGN}
    found: set[Observation] = set()
    for heading, *place in split:
        calcified = tuple(place[:3]) in benign
        if heading in {"Nodule", "Mass"} and calcified:
            continue
        if heading in _HEADINGS:
            found.add(_HEADINGS[heading])
        elif heading == "Hydropneumothorax":
            found |= {Observation.PNEUMOTHORAX, Observation.PLEURAL_EFFUSION}
        elif heading == "Cardiac Shadow" and "enlarged" in place:
            found.add(Observation.CARDIOMEGALY)
        elif _is_opacity(heading, place, calcified=calcified):
            found.add(Observation.LUNG_OPACITY)
    return frozenset(found)


def _is_opacity(heading: str, place: Sequence[str], *, calcified: bool) -> bool:
    if heading == "Density":
        return not calcified and bool({"lung", "retrocardiac"}.intersection(place))
    if heading == "Cicatrix":
        return not {"pleura", "ribs"}.intersection(place)
    return heading in {"Markings", "Thickening", "Lung"} and "interstitial" in place


def tagged_reports(source: Path) -> Iterator[TaggedReport]:
    """The tagged reports of the collection's ``.tgz`` that have findings and impression."""
    tags = _tags(source)
    for report in OpenIReader().read(source):
        told = tags.get(report.id, ())
        if report.findings and report.impression and _NOT_TAGGED not in told:
            text = f"FINDINGS:\n{report.findings}\nIMPRESSION:\n{report.impression}"
            yield TaggedReport(report.id, text, told)


def _tags(source: Path) -> dict[str, tuple[str, ...]]:
    tags: dict[str, tuple[str, ...]] = {}
    with tarfile.open(source) as archive:
        for member in archive:
            file = archive.extractfile(member) if member.name.endswith(".xml") else None
            if file is not None:
                root = fromstring(file.read())
                name = root.find("uId")
                if name is not None:
                    told = (major.text for major in root.iter("major"))
                    tags[name.get("id", "")] = tuple(tag for tag in told if tag)
    return tags
