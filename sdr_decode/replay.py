"""Replay recorded candidates under any policy and selector, exactly as a decode in lockstep would
have gone, and compare with full best-of-N and a random candidate."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import product
from statistics import fmean

from sdr_decode.candidate import Candidate
from sdr_decode.distances import TOLERANCE, EmbeddedSet, chamfer
from sdr_decode.launch import LaunchPlan
from sdr_decode.launch.parallel import Parallel
from sdr_decode.measure import CorpusMeasure
from sdr_decode.metrics import token_f1
from sdr_decode.pruning import PrunePolicy
from sdr_decode.pruning.none import NoPruning
from sdr_decode.race import Race
from sdr_decode.result import Report
from sdr_decode.segmenter import split_sentences
from sdr_decode.selection import Choice, Field, Selector, eligible
from sdr_decode.sentences import SECTIONS, Section, normalise, well_formed
from sdr_decode.track import MeasuredTrack


@dataclass(frozen=True, slots=True)
class Reference:
    """The reference report of a study: its text and its sentences as a set."""

    text: str
    sentences: EmbeddedSet


@dataclass(frozen=True, slots=True)
class ReplayStudy:
    """One study of a recording, measured. ``token_f1`` and ``sdr`` hold one value per candidate,
    in [0, 1], higher is better; ``None`` without a reference."""

    study: str
    tracks: tuple[MeasuredTrack, ...]
    token_f1: tuple[float, ...] | None
    sdr: tuple[float, ...] | None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a policy and a selector made of one study.

    ``generated`` are the output tokens of each candidate up to its end or its pruning, in a shared
    launch up to the end of the race. ``choice`` is ``None`` when no candidate has a sentence.
    """

    candidates: tuple[Candidate, ...]
    generated: tuple[int, ...]
    choice: Choice | None

    @property
    def winner(self) -> int | None:
        return self.choice.winner if self.choice else None

    @property
    def winning_value(self) -> float | None:
        return self.choice.values.get(self.choice.winner) if self.choice else None


def run(tracks: Sequence[MeasuredTrack], policy: PrunePolicy, plan: LaunchPlan) -> Race:
    """Race the tracks in lockstep, one piece per running candidate and step.

    Only steps in which something happens are visited: a first token, a sentence that closes, an
    end. Between them a decode changes nothing but its token counts, so that every step is visited
    for a policy that watches those. In a shared launch the pruned write on until the race is over.
    """
    race = Race(policy, len(tracks))
    starts: list[int] = []
    heard = [0] * len(tracks)
    agenda: list[tuple[int, int]] = []
    step = 0
    while True:
        for _ in range(plan.due(race.candidates, race.k)):
            number = race.launch().number
            starts.append(step)
            for piece in _moments(tracks[number], policy):
                heappush(agenda, (step + piece, number))
        if not race.running:
            race.steps = step
            if plan.shared:
                _write_on(race.candidates, tracks, step - 1)
            return race
        step = agenda[0][0]
        moved = []
        while agenda and agenda[0][0] == step:
            moved.append(heappop(agenda)[1])
        for candidate in race.running:
            at = step - starts[candidate.number]
            candidate.tokens = tracks[candidate.number].track.tokens_by(at)
            candidate.mean_logprob = tracks[candidate.number].track.mean_logprob_by(at)
        for number in moved:
            if race.candidates[number].running:
                at = step - starts[number]
                heard[number] = _hear(race.candidates[number], tracks[number], heard[number], at)
        race.settle()
        step += 1


def _moments(each: MeasuredTrack, policy: PrunePolicy) -> Iterable[int]:
    return range(each.track.last + 1) if policy.watches_tokens else each.moments


def _write_on(candidates: Sequence[Candidate], tracks: Sequence[MeasuredTrack], step: int) -> None:
    """Count what a request for all candidates, sent at step 0, has brought with this step."""
    for candidate in candidates:
        candidate.tokens = tracks[candidate.number].track.tokens_by(step)


def _hear(candidate: Candidate, each: MeasuredTrack, heard: int, piece: int) -> int:
    """Close what closes with this piece, and end what ends. Returns how much was closed so far."""
    closings = each.track.closings
    while heard < len(closings) and closings[heard].piece == piece:
        candidate.close(each.measured[heard])
        heard += 1
    loop = each.track.loop
    if loop is not None and piece >= loop[0]:
        candidate.loop = loop[1]
    if piece == each.track.last:
        candidate.text = each.track.report.text
        flaw = each.track.flaw
        if flaw is None:
            candidate.finish()
        else:
            candidate.fail(flaw.flaw, flaw.detail)
    return heard


def choose(
    race: Race, selector: Selector, measure: CorpusMeasure, *, seed: int, study: str
) -> Outcome:
    """Select among what the race left."""
    choosable = eligible(race.candidates)
    field = Field(race.candidates, measure, seed=seed, study=study)
    return Outcome(
        tuple(race.candidates),
        tuple(candidate.tokens for candidate in race.candidates),
        selector.choose(choosable, field) if choosable else None,
    )


@dataclass(frozen=True, slots=True)
class Row:
    """One policy with one selector over a recording: means over its studies.

    Tokens are output tokens; ``saved`` is the share of full best-of-N's that were not generated;
    ``same_winner`` and ``same_distance`` are shares of studies. ``token_f1`` and ``sdr``
    (1 - symmetric Chamfer to the reference) are means over the studies that have a reference,
    ``_random`` for a random valid candidate and ``_full`` for full best-of-N with the same
    selector; ``None`` where no study has a reference.
    """

    k: int
    prune: str
    select: str
    launch: str
    studies: int
    tokens_full: int
    tokens_generated: int
    saved: float | None
    same_winner: float
    same_distance: float | None
    token_f1: float | None
    token_f1_random: float | None
    token_f1_full: float | None
    sdr: float | None
    sdr_random: float | None
    sdr_full: float | None
    prompts_launched: int
    prompts_full: int


def replay(
    studies: Sequence[ReplayStudy],
    measure: CorpusMeasure,
    prunes: dict[str, PrunePolicy],
    selects: dict[str, Selector],
    launches: dict[str, LaunchPlan],
    *,
    k: int,
    seed: int = 0,
) -> list[Row]:
    """A row for every policy with every launch plan and selector, on the first ``k`` candidates
    of each study."""
    full = [run(study.tracks[:k], NoPruning(), Parallel()) for study in studies]
    rows = []
    limit = token_limit(studies)
    bound = {
        prune: (policy if limit is None else policy.within(limit)).against(measure)
        for prune, policy in prunes.items()
    }
    for (prune, policy), (launch, plan) in product(bound.items(), launches.items()):
        races = [run(study.tracks[:k], policy, plan) for study in studies]
        for select, selector in selects.items():
            pairs = [
                (
                    choose(pruned, selector, measure, seed=seed, study=study.study),
                    choose(complete, selector, measure, seed=seed, study=study.study),
                )
                for pruned, complete, study in zip(races, full, studies, strict=True)
            ]
            prompts = len(races) if plan.shared else sum(len(race.candidates) for race in races)
            rows.append(_row(studies, pairs, k, prompts, prune, select, launch))
    return rows


def token_limit(studies: Sequence[ReplayStudy]) -> int | None:
    """The output tokens that a stream of the recording could have at most, which one that was cut
    off there shows; ``None`` when the longest was not."""
    tracks = [each.track for study in studies for each in study.tracks]
    longest = max((each.total for each in tracks), default=0)
    cut = (each.total for each in tracks if each.flaw and each.flaw.flaw == "truncated")
    return longest if longest and longest in cut else None


def _row(
    studies: Sequence[ReplayStudy],
    pairs: Sequence[tuple[Outcome, Outcome]],
    k: int,
    prompts: int,
    prune: str,
    select: str,
    launch: str,
) -> Row:
    tokens_full = sum(sum(full.generated) for _, full in pairs)
    tokens = sum(sum(pruned.generated) for pruned, _ in pairs)
    same = [
        abs(pruned.winning_value - full.winning_value) <= TOLERANCE
        for pruned, full in pairs
        if pruned.winning_value is not None and full.winning_value is not None
    ]
    f1 = [study.token_f1 for study in studies]
    sdr = [study.sdr for study in studies]
    pruned_outcomes = [pruned for pruned, _ in pairs]
    full_outcomes = [full for _, full in pairs]
    return Row(
        k=k,
        prune=prune,
        select=select,
        launch=launch,
        studies=len(studies),
        tokens_full=tokens_full,
        tokens_generated=tokens,
        saved=1.0 - tokens / tokens_full if tokens_full else None,
        same_winner=fmean(pruned.winner == full.winner for pruned, full in pairs),
        same_distance=fmean(same) if same else None,
        token_f1=_of_winner(f1, pruned_outcomes),
        token_f1_random=_of_random(f1, full_outcomes),
        token_f1_full=_of_winner(f1, full_outcomes),
        sdr=_of_winner(sdr, pruned_outcomes),
        sdr_random=_of_random(sdr, full_outcomes),
        sdr_full=_of_winner(sdr, full_outcomes),
        prompts_launched=prompts,
        prompts_full=k * len(studies),
    )


Quality = Sequence[tuple[float, ...] | None]


def _of_winner(quality: Quality, outcomes: Sequence[Outcome]) -> float | None:
    values = [
        0.0 if outcome.winner is None else of[outcome.winner]
        for of, outcome in zip(quality, outcomes, strict=True)
        if of is not None
    ]
    return fmean(values) if values else None


def _of_random(quality: Quality, full: Sequence[Outcome]) -> float | None:
    """The expectation over a uniform choice among the eligible candidates, without noise."""
    values = []
    for of, outcome in zip(quality, full, strict=True):
        if of is None:
            continue
        numbers = [candidate.number for candidate in eligible(outcome.candidates)]
        values.append(fmean(of[number] for number in numbers) if numbers else 0.0)
    return fmean(values) if values else None


def reference_sentences(
    findings: str | None, impression: str | None
) -> list[tuple[str, Section | None]]:
    """The sentences of a reference report as (normalised text, section)."""
    sections = zip(SECTIONS, (findings, impression), strict=True)
    return [
        (normalise(sentence.text), section)
        for section, text in sections
        if text
        for sentence in split_sentences(well_formed(text))
    ]


def study_quality(
    each: MeasuredTrack, reference: Reference, measure: CorpusMeasure
) -> tuple[float, float]:
    """Token-F1 and 1 - symmetric Chamfer distance of a candidate against the reference."""
    report = measure.embedded_set(
        (measured.normalised, measured.sentence.section) for measured in each.measured
    )
    return (
        token_f1(prose_of(each.track.report), reference.text),
        1.0 - chamfer(report, reference.sentences),
    )


def prose_of(report: Report) -> str:
    """The words of a report without its headings, as a reference has none."""
    parts = [part for part in (report.findings, report.impression) if part]
    return " ".join(parts) if parts else report.text
