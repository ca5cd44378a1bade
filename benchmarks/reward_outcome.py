"""What each reward says of the outcome, on a recording: ranks, and negation.

    python -m benchmarks.reward_outcome RECORDING INDEX --embeddings FILE -o benchmarks/REWARDS.md

Writes Spearman's correlation of every reward with the outcomes of all recorded candidates, and how
often a sentence that denies the reference is preferred to one that agrees with it
(``benchmarks.negation``). ``--reward`` names the rewards, ``--encoder`` where the index's encoder
lies; it embeds the sentences that ``FILE`` does not hold yet.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Awaitable, Mapping, Sequence
from pathlib import Path

import numpy as np

from benchmarks.negation import Trial, probes, trials
from benchmarks.openi_tags import observations_of
from benchmarks.quality import measure_quality
from benchmarks.reward_speed import with_headings
from benchmarks.reward_tables import Correlations, Negation, markdown
from benchmarks.statistics import Resamples, mean_ranks, spearman
from benchmarks.statistics.bootstrap import Numbers
from benchmarks.studies import BenchStudy, load_bench_studies
from clients.recording import Reference, read_recording
from sdr_decode.findings import Mention, Observation, label_report
from sdr_decode.load import open_measure
from sdr_decode.measure import CorpusMeasure
from sdr_decode.rewards import Reward, rewards
from sdr_decode.rewards.base import Values
from sdr_decode.rewards.set_distance import SetDistanceReward, parse_report
from sdr_decode.sentences import as_embedded
from sdr_decode.track import MeasuredTrack

DEFAULT = (
    *("sdr", "sdr:hausdorff", "sdr:polarity=true", "concepts:hpo"),
    *("consistency", "format", "language:en"),
)
_UNTAGGED = frozenset(
    {
        Observation.NO_FINDING,
        Observation.ENLARGED_CARDIOMEDIASTINUM,
        Observation.PLEURAL_OTHER,
    }
)
CORPUS = "1 - corpus distance"


def outcomes(studies: Sequence[BenchStudy]) -> dict[str, Numbers]:
    """Token-F1 and finding F1 of every candidate (studies, K). Finding F1 is over the observations
    stated as positive, 1 where neither report states one."""
    quality = measure_quality(studies)
    hits, extra, missed = np.moveaxis(quality.findings, -1, 0)
    named = 2 * hits + extra + missed
    f1 = np.divide(2 * hits, named, out=np.ones_like(named), where=named > 0)
    return {"finding F1": f1, "Token-F1": quality.token_f1}


def tag_f1(recording: Path, studies: Sequence[BenchStudy]) -> Numbers | None:
    """F1 of what a candidate states as present against the human tags of its study (studies, K),
    1 where there is neither; ``None`` where the recording lacks tags. Only candidates are
    labelled, so that no slip of the labeller is shared by both sides."""
    tags = {each.study: each.extra.get("tags") for each in read_recording(recording)}
    if any(tags[each.study] is None for each in studies):
        return None
    return np.array(
        [
            [_f1(_stated(each), observations_of(tags[study.study] or ())) for each in study.tracks]
            for study in studies
        ]
    )


def _stated(each: MeasuredTrack) -> frozenset[Observation]:
    said = label_report([closing.sentence for closing in each.track.closings])
    return said.stated(Mention.POSITIVE) - _UNTAGGED


def _f1(ours: frozenset[Observation], theirs: frozenset[Observation]) -> float:
    return 2 * len(ours & theirs) / (len(ours) + len(theirs)) if ours or theirs else 1.0


def values_of(reward: Reward, texts: Sequence[str], references: Sequence[str]) -> Numbers:
    """The values (n), NaN where a reward tells none."""
    made = reward(completions=list(texts), reference=list(references))
    values = asyncio.run(_awaited(made)) if isinstance(made, Awaitable) else made
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)


async def _awaited(made: Awaitable[Values]) -> Values:
    return await made


def correlations(
    values: Mapping[str, Numbers], outcome: Mapping[str, Numbers], resamples: Resamples
) -> list[Correlations]:
    """Of every reward with every outcome, both (studies, K): the mean of Spearman's correlation
    within a study, and over all candidates, each with its interval over studies."""
    rows = []
    for reward, given in values.items():
        for name, wanted in outcome.items():
            within = np.array(
                [
                    [np.nan if (rho := _spearman(a, b)) is None else rho]
                    for a, b in zip(given, wanted, strict=True)
                ]
            )
            spread = resamples.mean(within)
            ranks = np.full((2, *given.shape), np.nan)
            told = ~(np.isnan(given) | np.isnan(wanted))
            ranks[:, told] = mean_ranks(given[told]), mean_ranks(wanted[told])
            whole = resamples.correlation(*ranks[:, :, None, :])
            known = ~np.isnan(within)
            rows.append(
                Correlations(
                    reward,
                    name,
                    int(known.sum()),
                    float(within[known].mean()) if known.any() else None,
                    (float(spread.low[0]), float(spread.high[0])),
                    _spearman(given, wanted),
                    (float(whole.low[0]), float(whole.high[0])),
                )
            )
    return rows


def _spearman(given: Numbers, wanted: Numbers) -> float | None:
    """Over the pairs of which both are known."""
    told = ~(np.isnan(given) | np.isnan(wanted))
    return spearman(given[told], wanted[told])


def negation(
    reward: SetDistanceReward,
    label: str,
    put: Sequence[Trial],
    studies: int,
    resamples: Resamples,
) -> list[Negation]:
    """How often the reward prefers the wrong one, of sentences alone and in their reports."""
    rows = []
    settings = {
        "sentence alone": [t.sentences for t in put],
        "in its report": [(t.right, t.wrong, t.reference) for t in put],
    }
    for setting, compared in settings.items():
        right, wrong, reference = map(list, zip(*compared, strict=True))
        gain = values_of(reward, right, reference) - values_of(reward, wrong, reference)
        for present in (False, True):
            chosen = [place for place, trial in enumerate(put) if trial.present is present]
            wrongly, ties, every = np.zeros((3, studies, 1))
            for place in chosen:
                study = put[place].study
                every[study] += 1
                wrongly[study] += gain[place] < -TOLERANCE
                ties[study] += abs(gain[place]) <= TOLERANCE
            interval = resamples.ratio(wrongly, every)
            rows.append(
                Negation(
                    label,
                    setting,
                    present,
                    len(chosen),
                    float(wrongly.sum() / every.sum()) if chosen else None,
                    (float(interval.low[0]), float(interval.high[0])),
                    float(ties.sum() / every.sum()) if chosen else None,
                    float(np.median(gain[chosen])) if chosen else None,
                )
            )
    return rows


TOLERANCE = 1e-6


def remember_corpus(measure: CorpusMeasure, texts: Sequence[str]) -> None:
    """Give the encoder the vectors of the sentences that stand in the corpus."""
    corpus = measure.corpus
    sentences = dict.fromkeys(each for text in texts for each in parse_report(text).sentences)
    known = {each: row for each in sentences if (row := corpus.lookup(each)) is not None}
    if known:
        vectors = corpus.vectors(list(known.values()))
        measure.encoder.remember([as_embedded(each) for each in known], vectors)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("recording", type=Path)
    parser.add_argument("index", type=Path)
    parser.add_argument("--encoder")
    parser.add_argument("--embeddings", type=Path)
    parser.add_argument("--k", type=int, default=16)
    parser.add_argument("--reward", action="append", help="a spec; repeatable")
    parser.add_argument("--output", "-o", type=Path, required=True)
    given = parser.parse_args(arguments)

    known = [spec for spec in DEFAULT if spec.partition(":")[0] in rewards.names]
    with open_measure(given.index, encoder=given.encoder, embeddings=given.embeddings) as measure:
        made = {spec: rewards.make(spec) for spec in given.reward or known}
        for reward in made.values():
            if isinstance(reward, SetDistanceReward):
                reward.encoder = measure.encoder
        studies = [
            study
            for study in load_bench_studies(given.recording, measure, k=given.k)
            if study.reference is not None
        ]
        references = [s.reference for s in studies if isinstance(s.reference, Reference)]
        texts = [each.track.report.text for study in studies for each in study.tracks]
        wanted = [with_headings(each) for each in references for _ in range(given.k)]
        put = list(trials(references, probes(measure.corpus)))
        probed = [text for trial in put for text in (*trial.sentences, trial.right, trial.wrong)]
        remember_corpus(measure, [*texts, *wanted, *probed])

        shape = (len(studies), given.k)
        values = {
            spec: values_of(reward, texts, wanted).reshape(shape) for spec, reward in made.items()
        }
        distances = [t.measured for study in studies for t in study.tracks]
        values[CORPUS] = np.array(
            [1.0 - np.mean([m.distance for m in each] or [1.0]) for each in distances]
        ).reshape(shape)
        resamples = Resamples(len(studies))
        measured = outcomes(studies)
        tagged = tag_f1(given.recording, studies)
        if tagged is not None:
            measured["tag F1"] = tagged
        rows = correlations(
            values,
            measured,
            resamples,
        )
        blind = [
            row
            for spec, reward in made.items()
            if isinstance(reward, SetDistanceReward)
            for row in negation(reward, spec, put, len(studies), resamples)
        ]
    command = " ".join(
        ["python -m benchmarks.reward_outcome", given.recording.name, given.index.name]
        + [f"--reward {spec}" for spec in given.reward or ()]
    )
    unknown = {spec: int(np.isnan(of).sum()) for spec, of in values.items()}
    text = markdown(command, shape, rows, blind, {s: n for s, n in unknown.items() if n})
    given.output.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
