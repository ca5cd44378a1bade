"""What the concepts of ``hpo`` find in Open-i, and how the reward goes with other measures.

    python -m benchmarks.concept_coverage NLMCXR_reports.tgz [--recording RECORDING]

Coverage is the number of distinct concepts in a report. Agreement is that with
``sdr_decode.findings`` for the observations that have a concept: which reports both call positive
or uncertain. With a recording it also gives Spearman's correlation of the reward of each candidate
with its Token-F1, over all candidates and, as GRPO sees it, within each study.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.openi_tags import tagged_reports
from benchmarks.statistics.spearman import spearman
from clients.recording import read_recording
from sdr_decode.concepts import Concept, Linker, linkers
from sdr_decode.findings import Mention, Observation, label_report
from sdr_decode.metrics import token_f1
from sdr_decode.rewards.concepts import ConceptReward, Negated
from sdr_decode.segmenter import split_sentences

SAID = (Mention.POSITIVE, Mention.UNCERTAIN)

# Names of the concepts that are an observation, in the words of the vocabulary.
NAMED = {
    Observation.CARDIOMEGALY: "cardiomegaly",
    Observation.LUNG_OPACITY: "pulmonary opacity. pulmonary infiltrates. scarring. "
    "ground-glass opacification. pulmonary fibrosis. interstitial lung disease",
    Observation.LUNG_LESION: "pulmonary nodule. mass. neoplasm",
    Observation.EDEMA: "pulmonary edema. edema. congestive heart failure",
    Observation.CONSOLIDATION: "consolidation",
    Observation.PNEUMONIA: "pneumonia. aspiration",
    Observation.ATELECTASIS: "atelectasis. platelike atelectasis",
    Observation.PNEUMOTHORAX: "pneumothorax",
    Observation.PLEURAL_EFFUSION: "pleural effusion. hemothorax",
    Observation.FRACTURE: "fracture. rib fracture. compression fracture. humerus fracture",
}


def identifiers(concepts: Sequence[Concept], mentions: Sequence[Mention]) -> set[str]:
    return {each.identifier for each in concepts if each.mention in mentions}


def coverage(linked: Sequence[Sequence[Concept]]) -> None:
    for name, mentions in {
        "affirmed or suspected": SAID,
        "negated too": (*SAID, Mention.NEGATIVE),
    }.items():
        sizes = [len(identifiers(concepts, mentions)) for concepts in linked]
        none = sum(size == 0 for size in sizes) / len(sizes)
        print(f"{name}: {np.mean(sizes):.2f} concepts a report, {none:.1%} of reports with none")


def agreement(linker: Linker, texts: Sequence[str], linked: Sequence[Sequence[Concept]]) -> None:
    """Precision and recall of the concepts against the finding labels."""
    labels = [label_report(split_sentences(text)) for text in texts]
    total = np.zeros(3, dtype=np.int64)
    for observation, names in NAMED.items():
        concepts = identifiers(linker.link([names])[0], tuple(Mention))
        ours = [not concepts.isdisjoint(identifiers(each, SAID)) for each in linked]
        theirs = [label[observation] in SAID for label in labels]
        both = sum(a and b for a, b in zip(ours, theirs, strict=True))
        total += (both, sum(ours), sum(theirs))
        print(f"{observation.value:>18}: {_agreed(both, sum(ours), sum(theirs))}")
    print(f"{'all':>18}: {_agreed(*map(int, total))}")


def _agreed(both: int, ours: int, theirs: int) -> str:
    if not ours or not theirs:
        return f"labelled {theirs}, linked {ours}"
    return (
        f"labelled {theirs}, precision {both / ours:.3f}, recall {both / theirs:.3f}, "
        f"F1 {2 * both / (ours + theirs):.3f}"
    )


def correlation(recording: Path, negated: Negated) -> None:
    reward = ConceptReward(negated=negated)
    values: list[float] = []
    overlaps: list[float] = []
    within: list[float] = []
    for study in read_recording(recording):
        if study.reference is None:
            continue
        texts = ["".join(candidate.tokens) for candidate in study.candidates]
        reference = study.reference
        report = f"Findings: {reference.findings}\nImpression: {reference.impression}"
        valued = reward(completions=texts, reference=[report] * len(texts))
        known = [
            (value, token_f1(text, report))
            for value, text in zip(valued, texts, strict=True)
            if value is not None
        ]
        values += [value for value, _ in known]
        overlaps += [overlap for _, overlap in known]
        ranked = spearman(*zip(*known, strict=True)) if known else None
        if ranked is not None:
            within.append(ranked)
    pooled = spearman(values, overlaps)
    print(
        f"negated={negated}: Spearman with Token-F1 {pooled or float('nan'):.3f} over "
        f"{len(values)} candidates, {np.mean(within):.3f} within a study ({len(within)} studies "
        f"where it differs); mean reward {np.mean(values):.3f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("reports", type=Path)
    parser.add_argument("--recording", type=Path)
    options = parser.parse_args()
    texts = [report.text for report in tagged_reports(options.reports)]
    linker = linkers.make("hpo")
    linked = linker.link(texts)
    print(f"{len(texts)} reports")
    coverage(linked)
    agreement(linker, texts, linked)
    if options.recording is not None:
        correlation(options.recording, "exclude")
        correlation(options.recording, "mark")


if __name__ == "__main__":
    main()
