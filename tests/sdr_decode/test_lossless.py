"""Lossless pruning never changes the winner."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clients.errors import SpecError
from sdr_decode.candidate import Candidate, MeasuredSentence
from sdr_decode.launch import launch_plans
from sdr_decode.pruning import policies
from sdr_decode.replay import choose, run
from sdr_decode.result import Report
from sdr_decode.selection import selectors
from sdr_decode.sentences import Sentence
from sdr_decode.track import Closing, MeasuredTrack, Track
from sdr_decode.validity import Invalid
from tests.sdr_decode.test_selection import NO_MEASURE

MOST = 8

# Few different distances, so that ties are common, some nearer to each other than the tolerance.
distances = st.sampled_from([0.0, 0.0, 0.1, 0.1 + 5e-7, 0.1 + 2e-6, 0.2, 0.3])


def track_of(values: list[float], gaps: list[int], *, valid: bool) -> MeasuredTrack:
    """A track that closes a sentence of ``values[i]`` after ``gaps[i]`` further tokens."""
    sentence = Sentence("Clear.", None, 0, 6)
    closings, measured, at = [], [], 0
    for value, gap in zip(values, gaps, strict=False):
        at += gap
        closings.append(Closing(at - 1, at, sentence))
        measured.append(MeasuredSentence(sentence, "clear", value, None, at))
    flaw = None if valid else Invalid("truncated", "cut off")
    tokens = tuple(range(1, at + 1))
    return MeasuredTrack(
        Track(tuple(closings), tokens, Report("", None, None), flaw), tuple(measured)
    )


tracks = st.builds(
    track_of,
    st.lists(distances, min_size=1, max_size=MOST),
    st.lists(st.integers(2, 9), min_size=MOST, max_size=MOST),
    valid=st.sampled_from([True, True, True, False]),
)


@given(
    st.lists(tracks, min_size=1, max_size=6),
    st.sampled_from(["parallel", "warm-first", "staged:1", "staged:2"]),
    st.sampled_from(
        [
            ("lossless", "corpus"),
            ("lossless:chamfer,max_tokens=72", "corpus"),
            (f"lossless:chamfer,max_sentences={MOST}", "corpus"),
            ("lossless:hausdorff", "corpus-hausdorff"),
        ]
    ),
)
def test_the_winner_is_that_of_full_best_of_n(
    streams: list[MeasuredTrack], launch: str, how: tuple[str, str]
) -> None:
    prune, select = how
    outcomes = [
        choose(
            run(streams, policies.make(policy), launch_plans.make(plan)),
            selectors.make(select),
            NO_MEASURE,
            seed=0,
            study="any",
        )
        for policy, plan in (("none", "parallel"), (prune, launch))
    ]
    full, pruned = outcomes
    # ``staged`` stops launching at a finished candidate at 0, which only later ones could tie.
    assert pruned.winner == full.winner


def candidate(number: int, *values: float, tokens: int = 10, finished: bool = False) -> Candidate:
    made = Candidate(number, tokens=tokens)
    for value in values:
        made.close(MeasuredSentence(Sentence("Clear.", None, 0, 6), "clear", value, None, 5))
    if finished:
        made.finish()
    return made


def pruned(spec: str, *field: Candidate) -> list[int]:
    return [pruning.candidate for pruning in policies.make(spec).prune(field)]


def test_those_launched_after_a_finished_one_at_zero_have_lost_before_their_first_word() -> None:
    assert pruned("lossless", candidate(0), candidate(1, 0.0, finished=True), candidate(2)) == [2]


def test_a_hausdorff_above_a_finished_one_has_lost_wherever_it_was_launched() -> None:
    field = (candidate(0, 0.0, 0.3), candidate(1, 0.2, finished=True), candidate(2, 0.1))
    assert pruned("lossless:hausdorff", *field) == [0]


def test_a_chamfer_is_bounded_by_the_sentences_that_may_follow() -> None:
    # 0.5 over at most 1 + 1 + (18 - 10) / 2 = 6 sentences ends no lower than 0.083.
    for at, expected in ((0.08, [0]), (0.09, [])):
        field = (candidate(0, 0.5), candidate(1, at, finished=True))
        assert pruned("lossless:chamfer,max_tokens=18", *field) == expected


def test_the_decoders_limit_is_taken_unless_one_is_given() -> None:
    field = (candidate(0, 0.5), candidate(1, 0.08, finished=True))
    policy = policies.make("lossless")
    assert not list(policy.prune(field))
    assert len(list(policy.within(18).prune(field))) == 1
    given_one = policies.make("lossless:chamfer,max_tokens=400")
    assert not list(given_one.within(18).prune(field))


@pytest.mark.parametrize(
    "spec", ["lossless:cosine", "lossless:chamfer,max_tokens=0", "lossless:chamfer,x=1"]
)
def test_a_spec_that_cannot_be_used_is_refused(spec: str) -> None:
    with pytest.raises(SpecError):
        policies.make(spec)


@given(
    st.lists(
        st.builds(
            track_of,
            st.lists(st.sampled_from([0.0, 0.1, 0.2, 0.3]), min_size=1, max_size=MOST),
            st.lists(st.integers(2, 9), min_size=MOST, max_size=MOST),
            valid=st.sampled_from([True, True, True, False]),
        ),
        min_size=1,
        max_size=6,
    ),
    st.integers(1, MOST),
    st.sampled_from(["parallel", "staged:1"]),
)
def test_a_winner_within_the_limit_on_sentences_is_kept(
    streams: list[MeasuredTrack], limit: int, launch: str
) -> None:
    full, pruned = (
        choose(
            run(streams, policies.make(policy), launch_plans.make(plan)),
            selectors.make("corpus"),
            NO_MEASURE,
            seed=0,
            study="any",
        )
        for policy, plan in (
            ("none", "parallel"),
            (f"lossless:chamfer,max_sentences={limit}", launch),
        )
    )
    if full.winner is None or len(streams[full.winner].measured) <= limit:
        assert pruned.winner == full.winner


def test_a_candidate_beyond_the_limit_on_sentences_stops() -> None:
    long = Candidate(0)
    for _ in range(3):
        sentence = Sentence("Clear.", None, 0, 6)
        long.close(MeasuredSentence(sentence, "clear", 0.0, None, 3))
    assert list(policies.make("lossless:chamfer,max_sentences=3").prune([long])) == []
    (pruning,) = policies.make("lossless:chamfer,max_sentences=2").prune([long])
    assert pruning.reason == "3 sentences are closed; max_sentences is 2"
