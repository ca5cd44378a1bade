"""The labels against the human tags of Open-i, and the mapping of these tags."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks.findings_agreement import (
    CHOSEN,
    STATED_OR_SUSPECTED,
    abnormal_recall,
    agreements,
    micro_f1,
    outcomes,
)
from benchmarks.openi_tags import MAPPED, TaggedReport, observations_of, tagged_reports
from sdr_decode.findings import Observation
from tests.data import real_data

AGREED = 0.82


@pytest.mark.parametrize(
    ("tags", "observations"),
    [
        (["normal"], set()),
        (["Cardiomegaly/mild"], {Observation.CARDIOMEGALY}),
        (["Cardiac Shadow/enlarged/severe"], {Observation.CARDIOMEGALY}),
        (["Cardiac Shadow/obscured"], set()),
        (["Opacity/lung/base/left"], {Observation.LUNG_OPACITY}),
        (["Density/retrocardiac"], {Observation.LUNG_OPACITY}),
        (["Density/breast"], set()),
        (["Markings/lung/interstitial"], {Observation.LUNG_OPACITY}),
        (["Markings/bronchovascular"], set()),
        (["Cicatrix/lung/apex", "Cicatrix/pleura"], {Observation.LUNG_OPACITY}),
        (["Cicatrix/pleura"], set()),
        (["Nodule/lung/lingula"], {Observation.LUNG_LESION}),
        (["Nodule/lung/lingula", "Calcinosis/aorta"], {Observation.LUNG_LESION}),
        (["Nodule/lung/lingula", "Calcinosis/lung/lingula"], set()),
        (["Calcified Granuloma/lung/lingula"], set()),
        (["Hydropneumothorax"], {Observation.PNEUMOTHORAX, Observation.PLEURAL_EFFUSION}),
        (["Pulmonary Congestion", "Heart Failure/mild"], {Observation.EDEMA}),
        (["Catheters, Indwelling/right"], {Observation.SUPPORT_DEVICES}),
        (["Foreign Bodies/thorax"], set()),
        (["Deformity/ribs"], set()),
        (["Fractures, Bone/ribs/healed"], {Observation.FRACTURE}),
    ],
)
def test_tags_name_observations(tags: list[str], observations: set[Observation]) -> None:
    assert observations_of(tags) == observations


def test_the_halves_are_fixed_by_the_id() -> None:
    halves = [TaggedReport(f"CXR{number}", "", ()).half for number in range(1, 7)]
    assert halves == ["tuning", "tuning", "report", "report", "report", "report"]


def test_outcomes_are_counted() -> None:
    reports = [
        TaggedReport("a", "Cardiomegaly. No effusion.", ("Cardiomegaly",)),
        TaggedReport("b", "Possible edema.", ("Pleural Effusion",)),
    ]
    heart, edema, effusion = (
        MAPPED.index(o)
        for o in (Observation.CARDIOMEGALY, Observation.EDEMA, Observation.PLEURAL_EFFUSION)
    )
    counts = outcomes(reports, STATED_OR_SUSPECTED)
    assert counts.shape == (2, 11, 3)
    assert counts.sum() == 3
    assert counts[0, heart].tolist() == [1, 0, 0]
    assert counts[1, edema].tolist() == [0, 1, 0]
    assert counts[1, effusion].tolist() == [0, 0, 1]
    assert micro_f1(counts) == pytest.approx(0.5)
    assert micro_f1(outcomes(reports[:1], CHOSEN)) == 1.0


def test_the_interval_holds_the_figure_and_unknown_stays_unknown() -> None:
    counts = np.zeros((40, len(MAPPED), 3), dtype=np.int64)
    counts[:30, 0, 0] = 1
    counts[30:, 0, 1] = 1
    rows = agreements(counts, resamples=200)
    first, never = rows[0], rows[1]
    assert first.f1 is not None
    assert first.low is not None
    assert first.high is not None
    assert first.low < first.f1 < first.high
    assert (never.precision, never.recall, never.f1, never.low) == (None, None, None, None)
    assert rows[-1].name == "all"
    assert rows == agreements(counts, resamples=200)


def test_abnormal_recall_counts_abnormal_references_only(tmp_path: Path) -> None:
    def study(name: str, finding: str, *candidates: str) -> str:
        reference = {"findings": finding, "impression": "As above."}
        told = [{"text": text, "finish_reason": "stop"} for text in candidates]
        return json.dumps({"study": name, "prompt": "", "reference": reference, "candidates": told})

    recording = tmp_path / "two.jsonl"
    recording.write_text(
        study("a", "Edema. Left effusion.", "Lungs are clear.", "Edema.", "A fracture.")
        + "\n"
        + study("b", "Lungs are clear.", "Edema.", "Edema.", "Edema.")
        + "\n"
    )
    recall = abnormal_recall(recording, 2, CHOSEN)
    assert (recall.studies, recall.any, recall.same) == (1, 0.5, 0.25)
    recall = abnormal_recall(recording, 3, CHOSEN)
    assert recall.any == pytest.approx(2 / 3)
    assert recall.same == pytest.approx(1 / 6)


def test_the_labels_agree_with_the_human_tags() -> None:
    reports = list(tagged_reports(real_data("openi/NLMCXR_reports.tgz")))
    held_back = [report for report in reports if report.half == "report"]
    assert (len(reports), len(held_back)) == (3329, 1598)
    for stated in (CHOSEN, STATED_OR_SUSPECTED):
        counts = outcomes(held_back, stated)
        everything = agreements(counts, resamples=500)[-1]
        assert everything.low is not None
        assert everything.low >= AGREED
