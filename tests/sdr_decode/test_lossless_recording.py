"""Lossless pruning on real streams: the winner of full best-of-N, at every K and launch plan."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest

from index_build.builder import build
from index_build.readers.openi import OpenIReader
from sdr_decode.launch import launch_plans
from sdr_decode.load import load_studies, open_measure
from sdr_decode.measure import CorpusMeasure
from sdr_decode.pruning import policies
from sdr_decode.replay import ReplayStudy, choose, run, token_limit
from sdr_decode.selection import selectors
from tests.data import real_data
from tests.fake_encoder import FakeEncoder

PLANS = ("parallel", "warm-first", "staged:1", "staged:3")
FORMS = (
    ("lossless", "corpus"),
    ("lossless:chamfer,max_sentences=25", "corpus"),
    ("lossless:hausdorff", "corpus-hausdorff"),
)
EVERY = 4  # of the studies and of the corpus: a quarter takes seconds

Loaded = tuple[list[ReplayStudy], CorpusMeasure]


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Loaded]:
    recording = real_data("traces/standin_val.jsonl.gz")
    archive: Path = real_data("openi/NLMCXR_reports.tgz")
    index = tmp_path_factory.mktemp("lossless") / "openi.sdr"
    build(islice(OpenIReader().read(archive), 0, None, EVERY), index, encoder=FakeEncoder())
    quarter = index.with_name("quarter.jsonl")
    with gzip.open(recording, "rt", encoding="utf-8") as lines:
        quarter.write_text("".join(islice(lines, 0, None, EVERY)), encoding="utf-8")
    with open_measure(index, encoder=FakeEncoder()) as measure:
        yield load_studies(quarter, measure, k=16), measure


@pytest.mark.parametrize("k", [2, 4, 8, 16])
@pytest.mark.parametrize(("prune", "select"), FORMS)
def test_the_winner_is_that_of_full_best_of_n(
    loaded: Loaded, k: int, prune: str, select: str
) -> None:
    studies, measure = loaded
    limit = token_limit(studies)
    assert limit is not None
    policy, selector = policies.make(prune).within(limit), selectors.make(select)
    saved = 0
    for study in studies:
        tracks = study.tracks[:k]
        full = run(tracks, policies.make("none"), launch_plans.make("parallel"))
        wanted = choose(full, selector, measure, seed=0, study=study.study)
        for plan in PLANS:
            race = run(tracks, policy, launch_plans.make(plan))
            found = choose(race, selector, measure, seed=0, study=study.study)
            assert found.winner == wanted.winner, f"{study.study} {plan}"
            saved += sum(wanted.generated) - sum(found.generated)
    assert saved > 0
