"""Loops and padding, in whole texts and while they stream."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clients import Piece
from clients.errors import SpecError
from index_build.readers.openi import OpenIReader
from index_build.report import CorpusReport
from sdr_decode.candidate import Candidate, MeasuredSentence
from sdr_decode.loops import LoopWatch
from sdr_decode.pruning import policies
from sdr_decode.repetition import consistency
from sdr_decode.sentences import normalise
from sdr_decode.transcript import Transcript
from tests.data import real_data

CLEAN = (
    "Findings: The heart is normal in size. The lungs are clear. No effusion.\n"
    "Impression: The lungs are clear. No effusion."
)


def candidate_of(text: str, *, finish: bool = False) -> Candidate:
    transcript, candidate = Transcript(), Candidate(0)
    closed = transcript.write(Piece(text, 1))
    for sentence in [*closed, *(transcript.finish() if finish else ())]:
        candidate.close(MeasuredSentence(sentence, normalise(sentence.text), 0.0, None, 1))
    candidate.loop = transcript.loop
    return candidate


def reason(text: str, spec: str = "repetition") -> str | None:
    found = list(policies.make(spec).prune([candidate_of(text)]))
    return found[0].reason if found else None


@pytest.mark.parametrize("text", ["", "...", "Stable.", "XXXX. XXXX. XXXX.", CLEAN])
def test_a_clean_text_is_at_1(text: str) -> None:
    assert consistency(text) == 1.0


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("No effusion.\nNo effusion", 0.6),
        ("no no no no no no no no no no", 0.2),
        (CLEAN + "\n\n\n" + "." * 44, 0.32),
    ],
)
def test_what_repeats_or_pads_is_taken_off(text: str, expected: float) -> None:
    assert consistency(text) == pytest.approx(expected, abs=0.02)


@given(st.text(alphabet="ab .。\nX1", max_size=60), st.integers(1, 5))
def test_it_is_a_share_and_falls_as_a_text_is_repeated(text: str, times: int) -> None:
    whole = consistency((text + ".\n") * times)
    assert 0.0 <= whole <= 1.0
    assert consistency(("The lungs are clear. " + text + "\n") * (times + 1)) < 1.0


def test_the_third_time_in_one_section_is_one_too_many() -> None:
    text = "Findings: No effusion. Clear lungs. No Effusion . Normal heart. No effusion. "
    assert reason(text + "X") == "it says 'no effusion' for the third time"
    assert reason(text.replace("Normal heart.", "Impression:")) is None
    assert reason("XXXX. XXXX. XXXX. XXXX. ") is None


def test_a_block_that_comes_again_at_once() -> None:
    block = "The heart is normal. The lungs are clear. "
    assert reason(block + block) == "it repeats 2 sentences in a row, from 'the heart is normal'"
    assert reason(block + "No effusion. " + block) is None


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("There is no no no no no no no no", "'no'"),
        ("of the left, " * 6, "'of the left ,'"),
        ("肺野" * 8, "'肺 野'"),
        ("-" * 80, "'-', 64 times"),
        ("Clear" + "\n" * 80, "white space, 64 times"),
    ],
)
def test_an_open_sentence_that_goes_round_is_seen(text: str, what: str) -> None:
    found = reason("Findings: " + text + " a")
    assert found is not None
    assert what in found


@given(st.sampled_from(["no ", "of the left, ", "肺野", "a b c "]), st.lists(st.integers(1, 9)))
def test_a_loop_does_not_depend_on_the_pieces(stretch: str, cuts: list[int]) -> None:
    text = "The lungs are " + stretch * 12
    whole, parts = LoopWatch(), LoopWatch()
    whole.feed(text)
    at = 0
    for cut in [*cuts, len(text)]:
        parts.feed(text[at : at + cut])
        at += cut
    assert whole.found == parts.found is not None


def test_blanks_and_numbers_are_no_loop() -> None:
    watch = LoopWatch()
    watch.feed("XXXX, " * 20 + "1 " * 20 + "___ " * 20 + "very, very, very, very large ")
    assert watch.found is None


@pytest.mark.parametrize("blank", ["XXXX", "XXXX.", "_", "7,"])
def test_blanks_and_numbers_without_end_are_a_loop(blank: str) -> None:
    watch = LoopWatch()
    watch.feed(f"Lungs are clear. {f'{blank} ' * 100}")
    assert watch.found is not None
    assert consistency(f"Lungs are clear. {f'{blank} ' * 1000}") < 0.1
    assert consistency(f"Lungs are clear. {f'{blank} ' * 10}Normal heart.") == 1.0


def test_a_spec_that_cannot_be_used_is_refused() -> None:
    for spec in ("repetition:3", "repetition:times=1", "repetition:warmup=2"):
        with pytest.raises(SpecError):
            policies.make(spec)


def whole(report: CorpusReport) -> str:
    return f"Findings: {report.findings or ''}\nImpression: {report.impression or ''}"


def test_no_real_report_is_stopped_and_nearly_all_are_clean() -> None:
    archive: Path = real_data("openi/NLMCXR_reports.tgz")
    texts = [whole(report) for report in OpenIReader().read(archive)]
    repetition, language = policies.make("repetition"), policies.make("language")
    candidates = [candidate_of(text, finish=True) for text in texts]
    assert len(candidates) > 3_900
    assert not list(repetition.prune(candidates))
    assert not list(language.prune(candidates))
    assert sum(consistency(text) < 1.0 for text in texts) < 0.003 * len(texts)
