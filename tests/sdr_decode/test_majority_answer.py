"""Choosing the answer that most candidates give."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from clients.errors import SpecError
from sdr_decode import SDRDecoder
from sdr_decode.candidate import Candidate
from sdr_decode.measure import CorpusMeasure
from sdr_decode.selection import Choice, Field, selectors
from tests.fake_encoder import FakeEncoder
from tests.scripted_client import ScriptedClient, words

NO_MEASURE = cast("CorpusMeasure", None)


def choose(*texts: str) -> Choice:
    field = [Candidate(number, text=text) for number, text in enumerate(texts, 3)]
    return selectors.make("majority-answer").choose(field, Field(field, NO_MEASURE))


def test_equal_sets_vote_together_in_any_order() -> None:
    choice = choose("[ans]b[/ans]", "[ans]c, a[/ans]", "so [ANS]A,C[/ANS]")
    assert choice.winner == 4
    assert choice.reason == "2 of 3 candidates answer a,c"
    assert choice.values == {3: 2.0, 4: 1.0, 5: 1.0}


def test_ties_go_to_the_first_launched() -> None:
    assert choose("[ans]b[/ans]", "[ans]a[/ans]", "[ans]a[/ans]", "[ans]b[/ans]").winner == 3


def test_one_without_an_answer_is_passed_over_while_another_has_one() -> None:
    choice = choose("none", "[ans],[/ans]", "[ans]a[/ans]")
    assert choice.winner == 5
    assert choice.reason == "1 of 3 candidates answer a"
    assert set(choice.values) == {5}


def test_without_any_answer_the_first_launched_is_taken() -> None:
    choice = choose("none", "nor here")
    assert (choice.winner, choice.values) == (3, {})


def test_it_takes_no_value() -> None:
    with pytest.raises(SpecError):
        selectors.make("majority-answer:3")


@pytest.mark.parametrize("tag", ["[ans]b[/ans]", "[ans]\nb\n[/ans]"])
async def test_a_decode_counts_whole_texts(index: Path, tag: str) -> None:
    scripts = [words(f"I think so. {each}") for each in ("[ans]a[/ans]", tag, tag)]
    decoder = SDRDecoder(
        ScriptedClient(*scripts, lockstep=True),
        index,
        encoder=FakeEncoder(),
        prune="none",
        select="majority-answer",
        gates=["answer-format"],
    )
    assert (await decoder.agenerate(k=3)).winner == 1
