from __future__ import annotations

import asyncio
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clients.errors import RecordingError, SpecError
from clients.recorded import RecordedClient
from clients.recording import (
    RecordedCandidate,
    RecordedStudy,
    RecordingWriter,
    Reference,
    read_recording,
)
from sdr_decode import SDRDecoder
from sdr_decode.embeddings import read_embeddings
from sdr_decode.errors import DecodeError
from sdr_decode.launch import launch_plans
from sdr_decode.load import load_studies, open_measure
from sdr_decode.pruning import policies
from sdr_decode.replay import ReplayStudy, Row, choose, replay, run
from sdr_decode.selection import selectors
from tests.data import real_data
from tests.fake_encoder import FakeEncoder
from tests.scripted_client import words

PRUNES = (
    *("none", "margin:0.02", "margin:0,warmup=2", "lossless:chamfer,max_tokens=40"),
    "any:halving:2+repetition:times=2",
)
LAUNCHES = ("parallel", "shared", "warm-first", "staged:1,accept=0.2", "staged:3")

SENTENCES = (
    "The lungs are clear.",
    "Heart size is normal.",
    "No acute disease.",
    "Purple elephants.",
    "They sing",
    "A 1.5 cm nodule",
    "\nImpression: Odd.",
    "\n",
    "Findings:",
)


def write(path: Path, studies: list[RecordedStudy]) -> Path:
    with RecordingWriter(path) as writer:
        for study in studies:
            writer.write(study)
    return path


async def assert_live_equals_replay(index: Path, recording: Path, k: int, studies: int) -> None:
    """Every study, decoded live in lockstep and replayed, under every policy and plan."""
    with open_measure(index, encoder=FakeEncoder()) as measure:
        loaded = load_studies(recording, measure, k=k)[:studies]
    for prune in PRUNES:
        for launch in LAUNCHES:
            client = RecordedClient(recording)
            decoder = SDRDecoder(
                client,
                index,
                encoder=FakeEncoder(),
                prune=prune,
                select="corpus",
                launch=launch,
            )
            for study in loaded:
                race = run(study.tracks, policies.make(prune), launch_plans.make(launch))
                expected = choose(
                    race, selectors.make("corpus"), measure, seed=0, study=study.study
                )
                try:
                    result = await decoder.agenerate(k=k, study=study.study)
                except DecodeError:
                    assert expected.choice is None
                    continue
                what = f"{study.study} {prune} {launch}"
                assert result.winner == expected.winner, what
                states = [(str(c.state), c.ended) for c in expected.candidates]
                assert [(c.state, c.ended) for c in result.candidates] == states, what
                tokens = [c.tokens.value for c in result.candidates]
                assert tokens == list(expected.generated), what
                full = sum(each.track.total for each in study.tracks)
                ledger = result.ledger
                assert (ledger.generated.value or 0) + (ledger.avoided.value or 0) == full, what
            await decoder.aclose()


async def test_a_replay_is_what_the_decoder_does_on_the_real_recording(index: Path) -> None:
    await assert_live_equals_replay(
        index, real_data("traces/standin_val.jsonl.gz"), k=5, studies=12
    )


candidates = st.builds(
    RecordedCandidate,
    st.lists(st.sampled_from([*SENTENCES, *words(SENTENCES[0]), " ", "."]), max_size=8).map(tuple),
    st.sampled_from(["stop", "stop", "length", "content_filter", "error"]),
)


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(candidates, min_size=1, max_size=4))
def test_a_replay_is_what_the_decoder_does_on_any_recording(
    index: Path, tmp_path_factory: pytest.TempPathFactory, streams: list[RecordedCandidate]
) -> None:
    path = tmp_path_factory.mktemp("any") / "any.jsonl"
    write(path, [RecordedStudy("one", "", None, tuple(streams))])
    asyncio.run(assert_live_equals_replay(index, path, k=len(streams), studies=1))


CLEAR = "Findings: The lungs are clear. Heart size is normal.\nImpression: No acute disease."
ODD = "Findings: Purple elephants. They sing loudly to all.\nImpression: Nonsense beyond words."


@pytest.fixture(scope="module")
def rows(index: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str, str], Row]:
    """Two studies: the first candidate drifts in one and is perfect in the other."""
    reference = Reference("The lungs are clear. Heart size is normal.", "No acute disease.")
    odd, clear = (RecordedCandidate(tuple(words(text))) for text in (ODD, CLEAR))
    path = write(
        tmp_path_factory.mktemp("rows") / "two.jsonl.gz",
        [
            RecordedStudy("A", "", reference, (odd, clear)),
            RecordedStudy("B", "", reference, (clear, odd)),
        ],
    )
    with open_measure(index, encoder=FakeEncoder()) as measure:
        studies = load_studies(path, measure, k=2)
    made = replay(
        studies,
        measure,
        {spec: policies.make(spec) for spec in ("none", "margin:0.02")},
        {"corpus": selectors.make("corpus")},
        {spec: launch_plans.make(spec) for spec in ("parallel", "shared", "staged:1,accept=0")},
        k=2,
    )
    return {(row.prune, row.select, row.launch): row for row in made}


def test_full_best_of_n_saves_nothing_and_is_its_own_winner(
    rows: dict[tuple[str, str, str], Row],
) -> None:
    row = rows["none", "corpus", "parallel"]
    length = len(words(CLEAR)) + len(words(ODD))
    assert (row.studies, row.k, row.tokens_full, row.tokens_generated) == (
        2,
        2,
        2 * length,
        2 * length,
    )
    assert (row.saved, row.same_winner, row.same_distance) == (0.0, 1.0, 1.0)
    assert row.token_f1 == row.token_f1_full == 1.0
    assert row.sdr == row.sdr_full == pytest.approx(1.0)
    assert (row.prompts_launched, row.prompts_full) == (4, 4)


def test_a_random_candidate_is_the_mean_over_the_valid_ones(
    rows: dict[tuple[str, str, str], Row],
) -> None:
    row = rows["none", "corpus", "parallel"]
    assert row.token_f1_random is not None
    assert 0.5 <= row.token_f1_random < 0.6


def test_pruning_keeps_the_winner_and_counts_what_it_saved(
    rows: dict[tuple[str, str, str], Row],
) -> None:
    row = rows["margin:0.02", "corpus", "parallel"]
    # The odd one is pruned when "Heart" shows that the other one's first sentence is over.
    heard = len(words("Findings: The lungs are clear. Heart"))
    assert row.tokens_generated == 2 * (heard + len(words(CLEAR)))
    assert row.same_winner == 1.0


def test_a_shared_launch_sends_one_prompt_and_prunes_in_vain(
    rows: dict[tuple[str, str, str], Row],
) -> None:
    row = rows["margin:0.02", "corpus", "shared"]
    assert row.prompts_launched == 2
    # The odd one writes on until the other one has ended.
    longest = min(len(words(ODD)), len(words(CLEAR)))
    assert row.tokens_generated == 2 * (longest + len(words(CLEAR)))
    assert row.same_winner == 1.0


def test_a_replay_has_no_client_for_auto() -> None:
    with pytest.raises(SpecError, match="auto goes by the prices of a client"):
        run((), policies.make("none"), launch_plans.make("auto"))


def test_staged_launch_sends_fewer_prompts(rows: dict[tuple[str, str, str], Row]) -> None:
    row = rows["none", "corpus", "staged:1,accept=0"]
    # Study A needs both candidates, study B is content with its first.
    assert row.prompts_launched == 3
    assert row.same_winner == 1.0


def test_a_recording_with_too_few_candidates_is_refused(index: Path, tmp_path: Path) -> None:
    path = write(
        tmp_path / "few.jsonl", [RecordedStudy("A", "", None, (RecordedCandidate(("Hm.",)),))]
    )
    with open_measure(index, encoder=FakeEncoder()) as measure:
        with pytest.raises(RecordingError, match=r"A .*holds 1 candidates, k is 2"):
            load_studies(path, measure, k=2)
        with pytest.raises(DecodeError, match="k is 0"):
            load_studies(path, measure, k=0)


def test_without_references_the_overlaps_are_unknown(index: Path, tmp_path: Path) -> None:
    path = write(
        tmp_path / "bare.jsonl", [RecordedStudy("A", "", None, (RecordedCandidate(("Hm.",)),))]
    )
    with open_measure(index, encoder=FakeEncoder()) as measure:
        studies = load_studies(path, measure, k=1)
    everything = ({"none": policies.make("none")}, {"corpus": selectors.make("corpus")})
    (row,) = replay(studies, measure, *everything, {"parallel": launch_plans.make("parallel")}, k=1)
    assert row.token_f1 is None
    assert row.sdr_random is None
    assert row.same_winner == 1.0


def test_lone_surrogates_in_a_reference_are_replaced(index: Path, tmp_path: Path) -> None:
    path = tmp_path / "surrogate.jsonl"
    path.write_text(
        '{"study": "A", "prompt": "",'
        ' "reference": {"findings": "x \\ud800 y.", "impression": "z."},'
        '"candidates": [{"text": "x \\ud800 y.", "finish_reason": "stop"}]}\n'
    )
    with open_measure(index, encoder=FakeEncoder()) as measure:
        (study,) = load_studies(path, measure, k=1)
    assert study.sdr is not None


def test_what_was_embedded_is_kept_when_a_replay_is_interrupted(
    index: Path, tmp_path: Path
) -> None:
    kept = tmp_path / "kept.parquet"

    def interrupted() -> None:
        with open_measure(index, encoder=FakeEncoder(), embeddings=kept) as measure:
            measure.measure_now([measure.query("Unheard of.", None)])
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert read_embeddings(kept).texts == ["unheard of."]


def test_each_distinct_sentence_is_embedded_once(index: Path) -> None:
    seen: list[str] = []

    class Counting(FakeEncoder):
        def encode(self, texts: list[str]) -> object:  # type: ignore[override]
            seen.extend(texts)
            return super().encode(texts)

    recording = real_data("traces/standin_val.jsonl.gz")
    first = [study.study for study in islice(read_recording(recording), 3)]
    with open_measure(index, encoder=Counting()) as measure:
        studies: list[ReplayStudy] = load_studies(recording, measure, k=2)
    assert [study.study for study in studies[:3]] == first
    assert len(seen) == len(set(seen)) > 0
