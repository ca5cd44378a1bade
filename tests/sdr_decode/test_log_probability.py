from __future__ import annotations

import math
from pathlib import Path
from typing import cast

import pytest

from clients import Piece
from clients.recorded import RecordedClient
from clients.recording import RecordedCandidate, RecordedStudy
from sdr_decode import SDRDecoder
from sdr_decode.candidate import Candidate
from sdr_decode.measure import CorpusMeasure
from sdr_decode.selection import Choice, Field, selectors
from sdr_decode.track import track
from sdr_decode.transcript import Transcript
from tests.fake_encoder import FakeEncoder
from tests.sdr_decode.test_selection import candidate

NO_MEASURE = cast("CorpusMeasure", None)


def choose(spec: str, *candidates: Candidate) -> Choice:
    return selectors.make(spec).choose(candidates, Field(candidates, NO_MEASURE))


def with_mean(number: int, mean: float | None, *distances: float) -> Candidate:
    made = candidate(number, *(distances or (0.1,)))
    made.mean_logprob = mean
    return made


def test_the_mean_is_over_tokens_not_pieces() -> None:
    transcript = Transcript()
    assert transcript.mean_logprob is None
    transcript.write(Piece("No", logprob=-1.0))
    transcript.write(Piece(" acute disease", tokens=3, logprob=-5.0))
    assert transcript.mean_logprob == pytest.approx(-1.5)
    transcript.write(Piece("", tokens=0))
    assert transcript.mean_logprob == pytest.approx(-1.5)


@pytest.mark.parametrize("unknown", [None, math.nan, -math.inf])
def test_one_piece_without_its_own_makes_the_mean_unknown(unknown: float | None) -> None:
    transcript = Transcript()
    for logprob in (-1.0, unknown, -1.0):
        transcript.write(Piece("word ", logprob=logprob))
    assert transcript.mean_logprob is None


def test_a_track_knows_the_mean_at_every_piece() -> None:
    recorded = RecordedCandidate(("Lungs", " are", " clear."), logprobs=(-1.0, -2.0, -6.0))
    made = track(recorded)
    assert [made.mean_logprob_by(piece) for piece in range(4)] == [-1.0, -1.5, -3.0, -3.0]
    assert track(RecordedCandidate(("Clear.",))).mean_logprob_by(0) is None


def test_the_most_probable_report_wins() -> None:
    choice = choose("log-probability", with_mean(0, -2.0), with_mean(1, -0.5), with_mean(2, None))
    assert choice.winner == 1
    assert choice.values == {0: 2.0, 1: 0.5}
    assert "not known of 1 of 3" in choice.reason


def test_where_it_is_unknown_the_first_is_taken_and_said_so() -> None:
    choice = choose("log-probability", with_mean(2, None), with_mean(3, None))
    assert choice.winner == 2
    assert not choice.values
    assert "logprobs=true" in choice.reason


def test_ties_at_the_corpus_go_where_another_selector_says() -> None:
    field = [with_mean(0, -2.0, 0.0), with_mean(1, -1.0, 0.0), with_mean(2, -0.1, 0.2)]
    assert choose("corpus", *field).winner == 0
    choice = choose("corpus:tie=log-probability", *field)
    assert choice.winner == 1
    assert "of 2 that are equal" in choice.reason
    assert choice.values == choose("corpus", *field).values
    assert choose("corpus-hausdorff:tie=log-probability", *field).winner == 1


async def test_a_decode_carries_it_from_the_stream_to_the_choice(index: Path) -> None:
    def recorded(text: str, logprob: float) -> RecordedCandidate:
        pieces = tuple(text.split(" "))
        spaced = (pieces[0], *(f" {piece}" for piece in pieces[1:]))
        return RecordedCandidate(spaced, logprobs=(logprob,) * len(pieces))

    text = "Findings: The lungs are clear. Impression: No acute disease."
    study = RecordedStudy("s", "p", None, (recorded(text, -2.0), recorded(text, -1.0)))
    client = RecordedClient.from_studies([study])
    for select in ("log-probability", "corpus:tie=log-probability"):
        decoder = SDRDecoder(client, index, encoder=FakeEncoder(), prune="none", select=select)
        result = await decoder.agenerate(k=2, study="s")
        assert result.winner == 1
