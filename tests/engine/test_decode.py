"""The whole decoder on a real engine: pruning that saves real tokens, and a winner that replays."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest

from clients import Client
from clients.recorded import RecordedClient
from clients.recorder import Recorder
from index_build.builder import build
from index_build.ids import read_ids
from index_build.readers.registry import open_reader
from sdr_decode import SDRDecoder
from sdr_decode.result import Result
from sdr_decode.selection.base import least
from tests.data import real_data
from tests.engine.metrics import once_idle
from tests.engine.targets import Target

pytestmark = [
    pytest.mark.engine,
    pytest.mark.weights,
    pytest.mark.asyncio(loop_scope="session"),
    pytest.mark.timeout(300),
]
K = 8
STEPS = 2
STUDIES = {
    "mild": "Tags: Cardiomegaly/mild; Pleural Effusion/left",
    "clear": "Tags: normal",
}
REPORTS = 500


@pytest.fixture(scope="session")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Some reports of the train split."""
    source = real_data("openi/NLMCXR_reports.tgz")
    splits = real_data("openi/splits.json")
    held_out = read_ids(f"{splits}#val") | read_ids(f"{splits}#test")
    train = (each for each in open_reader(source).read(source) if each.id not in held_out)
    path = tmp_path_factory.mktemp("index") / "train.sdr"
    build(islice(train, REPORTS), path, encoder="all-MiniLM-L6-v2")
    return path


async def decode(client: Client, study: str, index: Path, **options: str) -> Result:
    async with SDRDecoder(
        client, index, prompt=STUDIES[study], max_tokens=200, select="corpus", **options
    ) as decoder:
        return await decoder.agenerate(k=K, study=study, seed=5)


@pytest.mark.parametrize("study", STUDIES)
async def test_pruning_saves_what_the_ledger_says(
    reporter: Target, index: Path, tmp_path: Path, study: str
) -> None:
    recording = tmp_path / "live.jsonl.gz"
    before = await once_idle(reporter.metrics)
    async with Recorder(reporter.open(), recording) as client:
        live = await decode(client, study, index, prune="margin:0.02")
    after = await once_idle(reporter.metrics)

    assert live.valid
    assert {candidate.state for candidate in live.candidates} >= {"finished", "pruned"}
    ledger = live.ledger
    assert ledger.observed.provenance == "reported"
    generated = after.generated - before.generated
    pruned = sum(row.state == "pruned" for row in ledger.rows)
    assert 0 <= generated - ledger.generated.value <= STEPS * pruned
    # A stream that was cancelled need not have told how long its prompt was.
    assert {row.prompt.value for row in ledger.rows} - {None} == {
        (after.prompts - before.prompts) // K
    }
    assert ledger.saved > 0

    again = await decode(RecordedClient(recording), study, index, prune="none")
    # One that ended between the decision to stop it and the stop is whole in the recording.
    finished = [each.number for each in live.candidates if each.state == "finished"]
    assert least({number: again.candidates[number].chamfer for number in finished}) == live.winner
    winner, replayed = live.candidates[live.winner], again.candidates[live.winner]
    assert replayed.text == winner.text
    assert replayed.chamfer == pytest.approx(winner.chamfer, abs=1e-6)


async def test_a_full_decode_equals_the_replay_of_its_recording(
    reporter: Target, index: Path, tmp_path: Path
) -> None:
    recording = tmp_path / "full.jsonl.gz"
    before = await once_idle(reporter.metrics)
    async with Recorder(reporter.open(), recording) as client:
        live = await decode(client, "mild", index, prune="none")
    after = await once_idle(reporter.metrics)
    assert live.ledger.generated.value == after.generated - before.generated

    again = await decode(RecordedClient(recording), "mild", index, prune="none")
    assert again.winner == live.winner
    assert [each.text for each in again.candidates] == [each.text for each in live.candidates]
    assert [each.chamfer for each in again.candidates] == pytest.approx(
        [each.chamfer for each in live.candidates], abs=1e-6
    )
    assert again.ledger.observed.value == live.ledger.observed.value
    pruned = await decode(RecordedClient(recording), "mild", index, prune="margin:0.02")
    assert pruned.ledger.observed.value < again.ledger.observed.value
