from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from clients import Piece, Usage
from sdr_decode.counts import Count
from sdr_decode.sentences import well_formed
from sdr_decode.transcript import Transcript


def written(*pieces: str) -> str:
    transcript = Transcript()
    for piece in pieces:
        transcript.write(Piece(piece))
    transcript.finish()
    return transcript.text


def test_a_surrogate_pair_split_between_pieces_is_one_character() -> None:
    assert written("Nodule \ud83d", "\ude00.") == "Nodule \N{GRINNING FACE}."


def test_a_lone_surrogate_is_replaced_wherever_it_stands() -> None:
    assert written("a\ud800b", "\udc00", "c\ud83d") == "a\ufffdb\ufffdc\ufffd"


@given(st.lists(st.text(st.characters(codec=None), max_size=6), max_size=6))
def test_a_transcript_can_always_be_written_to_a_file(pieces: list[str]) -> None:
    text = written(*pieces)
    assert text == well_formed("".join(pieces))
    text.encode()


def test_the_best_count_is_told() -> None:
    transcript = Transcript()
    transcript.write(Piece("Clear", tokens=2))
    assert transcript.tokens == Count(2, "counted")
    transcript.write(Piece(" lungs", tokens=None))
    assert transcript.tokens == Count(3, "estimated")
    transcript.write(Piece(".", tokens=None, running_tokens=9))
    assert transcript.tokens == Count(9, "reported")
    transcript.finish(Usage(output_tokens=10, provenance="counted"))
    assert transcript.tokens == Count(10, "counted")
