"""The set distance of a generated report to its reference, as a reward (SDR, arXiv 2606.00440).

R = format_weight * R_fmt + semantic_weight * (1 - D), where R_fmt is 1 for a report with both
sections, in order and not empty (``report_format``), else 0, and D is the symmetric Chamfer or
Hausdorff distance between the sentence embeddings of both reports by section (``distances``).

D between an empty and a non-empty report is 1, the largest there is: what says nothing earns
nothing.

With ``polarity`` two sentences that contradict each other are at ``CONTRADICTION`` whatever their
embeddings say, and so is a sentence that the other report denies (``polarity``) from its nearest:
with the pairs alone it would find another sentence that is nearly as near. D stays symmetric, in
[0, 1], and blind to the order of sentences.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import inf
from pathlib import Path
from typing import Any, Literal

import numpy as np

from clients.errors import SpecError
from clients.spec import Spec, allow_options, number, true_or_false
from sdr_decode.batching import BatchedEncoder
from sdr_decode.distances import (
    EmbeddedSet,
    chamfer_of,
    hausdorff_of,
    nearest,
    pairwise,
)
from sdr_decode.encoder import DEFAULT_ENCODER, Encoder, load_encoder
from sdr_decode.errors import RewardError
from sdr_decode.rewards.base import Reward, Values
from sdr_decode.rewards.completions import Completion, completion_text, reference_texts
from sdr_decode.rewards.polarity import contradictions, denied
from sdr_decode.rewards.report_format import has_report_format
from sdr_decode.segmenter import split_sentences
from sdr_decode.sentences import Section, as_embedded, normalise, well_formed

Metric = Literal["chamfer", "hausdorff"]
_METRICS: dict[str, Metric] = {"chamfer": "chamfer", "hausdorff": "hausdorff"}

CONTRADICTION = 1.0
"""The distance between two sentences that contradict each other, the largest there is."""

FORMAT_WEIGHT = 0.2
SEMANTIC_WEIGHT = 0.8

REMEMBERED = 200_000
"""How many embedded sentences are kept, of 3 KiB each with 768 dimensions."""

_PARSED_REPORTS = 1 << 14


@dataclass(frozen=True, slots=True)
class ParsedReport:
    """A report as a set: its sentences in normalised form (n), their sections (n), and whether it
    has the form of a report."""

    sentences: tuple[str, ...]
    sections: tuple[Section | None, ...]
    formatted: bool


@lru_cache(maxsize=_PARSED_REPORTS)
def parse_report(text: str) -> ParsedReport:
    """The set that a report's text stands for."""
    sentences = split_sentences(well_formed(text))
    return ParsedReport(
        tuple(normalise(each.text) for each in sentences),
        tuple(each.section for each in sentences),
        has_report_format(sentences),
    )


def set_distance(
    ours: EmbeddedSet,
    theirs: EmbeddedSet,
    metric: Metric = "chamfer",
    texts: tuple[Sequence[str], Sequence[str]] | None = None,
) -> float:
    """D of two sets of sentences in [0, 1]: 0 where both are empty, 1 where only one is.

    With their ``texts``, the sentences that contradict each other count as such.
    """
    if not len(ours) or not len(theirs):
        return float(len(ours) != len(theirs))
    between = pairwise(ours, theirs)
    if texts is not None:
        between[contradictions(*texts)] = CONTRADICTION
    rows, columns = nearest(between)
    if texts is not None:
        rows[denied(*texts)] = CONTRADICTION
        columns[denied(*reversed(texts))] = CONTRADICTION
    if metric == "hausdorff":
        return max(hausdorff_of(rows), hausdorff_of(columns))
    return (chamfer_of(rows) + chamfer_of(columns)) / 2.0


class SetDistanceReward(Reward):
    """R of each completion against the report in its ``column``, from 0 to the sum of the weights.

    A completion may lack sections: a sentence without one compares with all, and what has no
    counterpart in its section is at distance 1. An empty completion gets 0; ``None`` where there
    is no reference, or one without a sentence.

    ``encoder`` is a name, a folder, an ``Encoder``, or a ``BatchedEncoder`` to share; it is loaded
    with the first report. Each distinct sentence is embedded once over all calls, as long as no
    more than ``remembered`` are known. TRL's ``log_metric`` gets the means of ``sdr/format`` and
    ``sdr/distance``.
    """

    needs_reference = True

    def __init__(
        self,
        encoder: str | Path | Encoder | BatchedEncoder = DEFAULT_ENCODER,
        *,
        metric: Metric = "chamfer",
        polarity: bool = False,
        format_weight: float = FORMAT_WEIGHT,
        semantic_weight: float = SEMANTIC_WEIGHT,
        column: str = "reference",
        remembered: int = REMEMBERED,
        name: str | None = None,
    ) -> None:
        super().__init__(name or ("sdr-polarity" if polarity else "sdr"))
        if metric not in _METRICS:
            raise RewardError(f"found the metric {metric!r}; expected chamfer or hausdorff")
        if not all(0.0 <= weight < inf for weight in (format_weight, semantic_weight)):
            raise RewardError(
                f"found the weights {format_weight} and {semantic_weight}; expected finite numbers "
                "of at least 0"
            )
        self.metric: Metric = metric
        self.polarity = polarity
        self.format_weight = format_weight
        self.semantic_weight = semantic_weight
        self.column = column
        self.encoder = _batched(encoder, remembered)

    def __call__(
        self,
        prompts: Sequence[Any] | None = None,
        completions: Sequence[Completion] = (),
        completion_ids: Sequence[Any] | None = None,
        **columns: Any,
    ) -> Values:
        texts = [completion_text(completion) for completion in completions]
        references = reference_texts(columns, self.column, len(texts), self.name)
        distances = self.distances(texts, references)
        formats = [parse_report(text).formatted for text in texts]
        log = columns.get("log_metric")
        if callable(log):
            self._log(log, formats, distances)
        return [
            None
            if distance is None
            else self.format_weight * formatted + self.semantic_weight * (1.0 - distance)
            for distance, formatted in zip(distances, formats, strict=True)
        ]

    def distances(
        self, texts: Sequence[str], references: Sequence[str | None]
    ) -> list[float | None]:
        """D of each text to its reference (n), in [0, 1]; ``None`` without a reference."""
        pairs = [
            (parse_report(text), None if reference is None else parse_report(reference))
            for text, reference in zip(texts, references, strict=True)
        ]
        compared = [
            report
            for ours, theirs in pairs
            if theirs is not None and ours.sentences and theirs.sentences
            for report in (ours, theirs)
        ]
        sets = self._embedded(compared)
        known: dict[tuple[ParsedReport, ParsedReport], float] = {}
        distances: list[float | None] = []
        for ours, theirs in pairs:
            if theirs is None or not theirs.sentences:
                distances.append(None)
            elif not ours.sentences:
                distances.append(1.0)
            else:
                if (ours, theirs) not in known:
                    known[ours, theirs] = self._distance(ours, theirs, sets)
                distances.append(known[ours, theirs])
        return distances

    def _distance(
        self, ours: ParsedReport, theirs: ParsedReport, sets: dict[ParsedReport, EmbeddedSet]
    ) -> float:
        texts = (ours.sentences, theirs.sentences) if self.polarity else None
        return set_distance(sets[ours], sets[theirs], self.metric, texts)

    def _embedded(self, reports: Sequence[ParsedReport]) -> dict[ParsedReport, EmbeddedSet]:
        """Each report as a set of vectors; all sentences are asked for at once."""
        texts = list(dict.fromkeys(each for report in reports for each in report.sentences))
        vectors = self.encoder.encode_now([as_embedded(text) for text in texts])
        places = {text: place for place, text in enumerate(texts)}
        return {
            report: EmbeddedSet(
                vectors[[places[each] for each in report.sentences]], report.sections
            )
            for report in dict.fromkeys(reports)
        }

    def _log(
        self,
        log: Callable[[str, float], object],
        formats: Sequence[bool],
        distances: Sequence[float | None],
    ) -> None:
        if formats:
            log(f"{self.name}/format", float(np.mean(formats)))
        known = [each for each in distances if each is not None]
        if known:
            log(f"{self.name}/distance", float(np.mean(known)))


def _batched(encoder: str | Path | Encoder | BatchedEncoder, remembered: int) -> BatchedEncoder:
    if isinstance(encoder, BatchedEncoder):
        return encoder
    if isinstance(encoder, str | Path):
        name = str(encoder)
        return BatchedEncoder(lambda: load_encoder(name), cache=remembered)
    return BatchedEncoder(encoder, cache=remembered)


def from_spec(spec: Spec) -> SetDistanceReward:
    """``sdr``, ``sdr:hausdorff``, ``sdr:polarity=true,encoder=FOLDER,format=0.2,semantic=0.8``."""
    allow_options(spec, "encoder", "polarity", "format", "semantic", "column")
    metric = _METRICS.get(spec.value or "chamfer")
    if metric is None:
        raise SpecError(f"sdr found {spec.value!r} as its distance; expected chamfer or hausdorff")
    options = spec.options
    return SetDistanceReward(
        options.get("encoder", DEFAULT_ENCODER),
        metric=metric,
        polarity=true_or_false(spec, "polarity"),
        format_weight=number(spec, options.get("format", str(FORMAT_WEIGHT)), "format"),
        semantic_weight=number(spec, options.get("semantic", str(SEMANTIC_WEIGHT)), "semantic"),
        column=options.get("column", "reference"),
    )
