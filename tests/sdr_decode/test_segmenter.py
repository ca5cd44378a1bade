from __future__ import annotations

import codecs
import csv
import gzip
import json
from collections.abc import Iterable

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sdr_decode.invisible import visible
from sdr_decode.segmenter import Segmenter, split_sentences
from sdr_decode.sentences import Sentence
from tests.data import real_data
from tests.sdr_decode.report_texts import prose, report_texts


def texts(text: str) -> list[str]:
    return [sentence.text for sentence in split_sentences(text)]


def fed(chunks: Iterable[str]) -> tuple[list[Sentence], Segmenter]:
    segmenter = Segmenter()
    sentences = [sentence for chunk in chunks for sentence in segmenter.feed(chunk)]
    return sentences + segmenter.finish(), segmenter


def shown(text: str) -> str:
    return visible(text).strip()


def assert_nothing_lost(text: str) -> None:
    """The spans are in order, apart, within the text, and hold all that shows."""
    sentences, segmenter = fed([text])
    spans = [(item.start, item.end) for item in (*sentences, *segmenter.headings)]
    spans = sorted([*spans, *segmenter.skipped])
    outside = text
    for start, end in reversed(spans):
        assert 0 <= start < end <= len(outside)
        assert shown(outside[start])
        assert shown(outside[end - 1])
        outside = outside[:start]
        gap = text[end : next((s for s, _ in spans if s >= end), len(text))]
        assert not shown(gap)
    assert not shown(outside)
    assert [s.start for s in sentences] == sorted(s.start for s in sentences)


# -- what holds for every text


@settings(max_examples=200)
@given(report_texts, st.data())
def test_chunks_make_no_difference(text: str, data: st.DataObject) -> None:
    whole, segmenter = fed([text])
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    chunks = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    for pieces in (list(text), chunks):
        sentences, other = fed(pieces)
        assert sentences == whole
        assert (other.headings, other.skipped) == (segmenter.headings, segmenter.skipped)


@settings(max_examples=200)
@example("( findings : clear, no mass.")
@example("Findings and, impression : clear")
@example(f"Seen {'word' * 8}, {'word' * 7}wor, {'word' * 9} here. The vs, no. 2 vs. mass")
@given(st.one_of(report_texts, prose))
def test_what_is_taken_at_once_is_as_if_taken_one_by_one(text: str) -> None:
    at_once, segmenter = fed([text])
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(Segmenter, "_take_at_once", lambda *_: 0)
        one_by_one, other = fed([text])
    assert at_once == one_by_one
    assert (segmenter.headings, segmenter.skipped) == (other.headings, other.skipped)


@settings(max_examples=100)
@given(report_texts)
def test_one_byte_at_a_time(text: str) -> None:
    text = text.encode("utf-8", "replace").decode()
    decoder = codecs.getincrementaldecoder("utf-8")()
    pieces = [decoder.decode(bytes([byte])) for byte in text.encode()]
    assert fed(pieces)[0] == split_sentences(text)


@settings(max_examples=150)
@given(report_texts, st.data())
def test_a_closed_sentence_is_never_taken_back(text: str, data: st.DataObject) -> None:
    prefix = text[: data.draw(st.integers(0, len(text)))]
    closed = Segmenter().feed(prefix)
    assert split_sentences(text)[: len(closed)] == closed


@settings(max_examples=200)
@example("#\r.0")
@given(report_texts)
def test_nothing_is_lost(text: str) -> None:
    assert_nothing_lost(text)


@settings(max_examples=150)
@example("_\u20220")
@given(report_texts)
def test_the_scored_text_is_clean(text: str) -> None:
    for sentence in split_sentences(text):
        assert sentence.text == " ".join(sentence.text.split())
        assert any(char.isalnum() for char in sentence.text)
        assert not sentence.text.startswith(("#", "\u2022", "**"))


# -- when a sentence closes


@pytest.mark.parametrize(
    ("pieces", "closing"),
    [
        ([" Clear", ".", " No"], 2),
        ([" Clear", ".", " no"], 2),
        ([" Clear", ".", "\n"], 2),
        ([" Clear", ".", "No"], 2),
        ([" Clear", " .", " heart"], 2),
        (["Is", " it", "?", " No"], 3),
        (["rib", " 7", ".", " No"], 3),
        (["rib", " 7", ".", " there", " is"], 4),
        (["about", " 1", ".", " 5", " cm", ".", " A"], 6),
        (["at", " 3", " p.m", ".", " The"], 4),
        (["at", " 3", " p.m", ".", " the", " heart"], 5),
        (["Clear", "...", " Heart"], 2),
        (["Clear", "\n", "Heart"], 2),
        (["Clear", "\n", "\n"], 2),
        (["Clear", "\n", "-", " Heart"], 3),
        (["Clear", "\n", "2", ".", " Heart"], 4),
        (["Clear", "\n", "**", "Heart"], 2),
        (["Clear", " Impression", ":"], 2),
        (["(", "Clear", ".)", " No"], 3),
    ],
)  # fmt: skip
def test_a_sentence_closes_as_soon_as_it_is_certain(pieces: list[str], closing: int) -> None:
    segmenter = Segmenter()
    closed = [bool(segmenter.feed(piece)) for piece in pieces]
    assert closed.index(True) == closing


def test_the_last_sentence_closes_at_the_end() -> None:
    segmenter = Segmenter()
    assert segmenter.feed("Lungs clear.") == []
    assert [sentence.text for sentence in segmenter.finish()] == ["Lungs clear."]
    assert segmenter.finish() == []
    with pytest.raises(ValueError, match="new Segmenter"):
        segmenter.feed("More.")


def test_offsets_count_code_points() -> None:
    text = "- \u00c9pine \u5929\U0001f600.\n- **Two**  words"
    first, second = split_sentences(text)
    assert text[first.start : first.end] == "\u00c9pine \u5929\U0001f600."
    assert (text[second.start : second.end], second.text) == ("Two**  words", "Two words")


# -- what is a sentence


@pytest.mark.parametrize(
    "text",
    ["The mass is 1.5 cm.", "It measures 2 x 3.1 cm in size.", "A nodule of .5 cm.",
     "About 1. 5 cm above.",
     "Cut No. 2 of the series.", "Seen by Dr. Smith.", "Seen by Dr.\nSmith.", "J. K. Doe was told.",
     "Told to J. K. Doe, M.D. by phone.", "At 3 p.m. on Monday.", "At 3 p.m. XXXX by phone.",
     "E.g. a mass.", "A scar, i.e. no mass.", "Scar vs. mass.", "Approx. 3 in number.",
     "A fracture at T. 12 is old.", "XXXX is XXXX.", "Compared to ___ : moderate edema.",
     "right - sided effusion .", "normal... but small.", "normal\u2026 but small.",
     "Edema; no effusion.",
     "Clear (see above.) and dry.", "The marker \"L.\" is seen.", "? pneumonia at the base.",
     "A nodule (?scar) is seen.", "Size 5 mm. in the base.", "See www.example.com now.",
     "A\twide   gap.", "No terminator at all", "Dr. XXXX was paged.", "Seen at 10:30 a.m. today."],
)  # fmt: skip
def test_one_sentence(text: str) -> None:
    assert texts(text) == [" ".join(text.split())]


@pytest.mark.parametrize(
    "text",
    ["Clear.|No mass.", "no mass .|heart is normal .|", "clear.|no mass.", "XXXX.|XXXX.",
     "Told to XXXX.|XXXX.",
     "Seen in ___ .|No mass.", "At 3 p.m.|The film.", "at 3 p.m.|the film.", "Of 1.5 cm.|No mass.",
     "Of 3 cm.|no mass.", "At rib 7.|No mass.", "At rib 7.|no mass.", "Since 2010.|5 mm nodule.",
     "Any mass?|No.|Clear!|Good.", "Clear..|No mass.", "Clear...|No mass.", "Clear\u2026|No mass.",
     "\"Clear.\"|No mass.", "(Clear.)|No mass.", "Hepatitis C.|No mass.", "Scars etc.|No mass.",
     "No.|Clear.", "Is at T12.|No mass.", "In the SVC.|No mass.", "Told Dr. Smith.|Clear."],
)  # fmt: skip
def test_several_sentences(text: str) -> None:
    expected = [part for part in text.split("|") if part]
    for gap in (" ", "  ", "\n", "\r\n", "\n\n"):
        assert texts(text.replace("|", gap)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Clear.No mass.", ["Clear.", "No mass."]),
        ("within normal limits.the rest", ["within normal limits.", "the rest"]),
        ("In the SVC.No mass.", ["In the SVC.", "No mass."]),
        ("Clear.2. No mass", ["Clear.", "No mass"]),
        ("Seen on 10 June.Clear.", ["Seen on 10 June.", "Clear."]),
    ],
)
def test_sentences_glued_together(text: str, expected: list[str]) -> None:
    assert texts(text) == expected


ITEMS = ["No acute disease", "Effusion, 3.2 cm", "5 mm nodule"]


@pytest.mark.parametrize("stop", ["", "."])
@pytest.mark.parametrize("gap", ["\n", "\r\n", "\n\n", "\n  "])
@pytest.mark.parametrize(
    "markers",
    ["1. |2. |3. ", "1) |2) |3) ", "(1) |(2) |(3) ", "1.) |2.) |3.) ", "- |- |- ", "* |* |* ",
     "\u2022 |\u2022|\u2022 ",
     "\u2013 |\u2013 |\u2013 ", "10. |11. |12. ", "1.\t|2.\t|3.\t", "**1.** |**2.** |**3.** "],
)  # fmt: skip
def test_lists(markers: str, gap: str, stop: str) -> None:
    lines = [mark + item + stop for mark, item in zip(markers.split("|"), ITEMS, strict=True)]
    assert texts(gap.join(lines)) == [item + stop for item in ITEMS]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1. Clear. 2. No mass. 3. Scar", ["Clear.", "No mass.", "Scar"]),
        ("1. Clear 2. No mass 3. Scar", ["Clear", "No mass", "Scar"]),
        ("1. clear. 2. no mass.", ["clear.", "no mass."]),
        ("1.Clear. 2.No mass.", ["Clear.", "No mass."]),
        (
            "The findings are as follows: 1. Clear. 2. Scar.",
            ["The findings are as follows:", "Clear.", "Scar."],
        ),
        ("Right foot 1. No fracture.", ["Right foot", "No fracture."]),
        ("1. Fracture of rib 2. No mass.", ["Fracture of rib 2.", "No mass."]),
        ("- Clear. - Scar.", ["Clear.", "Scar."]),
        ("\u2022 Clear \u2022 Scar", ["Clear", "Scar"]),
        ("Seen at rib 7.\n2. Scar", ["Seen at rib 7.", "Scar"]),
        ("right\n-sided and\n2.5 cm wide", ["right -sided and 2.5 cm wide"]),
        ("-No mass\n-Clear", ["No mass", "Clear"]),
    ],
)
def test_lists_within_lines(text: str, expected: list[str]) -> None:
    assert texts(text) == expected


LONG = "The catheter ends in the right atrium, below the junction, with the tip at"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("No mass\nor scar.", ["No mass or scar."]),
        ("No mass\r\nor scar.", ["No mass or scar."]),
        ("No mass\n3 cm wide.", ["No mass 3 cm wide."]),
        ("No mass\nClear", ["No mass", "Clear"]),
        ("No mass\r\nClear\rDry", ["No mass", "Clear", "Dry"]),
        ("No mass\n\nor scar", ["No mass", "or scar"]),
        ("No mass of the\nLingula.", ["No mass of the Lingula."]),
        ("No mass,\nScar.", ["No mass, Scar."]),
        (f"{LONG[:-3]}\nSwan mark.", [f"{LONG[:-3]} Swan mark."]),
        (f"{LONG} the wall, as before\nNo mass", [f"{LONG} the wall, as before", "No mass"]),
        ("No mass\n> Scar", ["No mass > Scar"]),
    ],
)
def test_line_ends(text: str, expected: list[str]) -> None:
    assert texts(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("**No** *acute* `x` __disease__.", ["No acute `x` disease."]),
        ("2 * 3 and 2*3 and ___ blank.", ["2 * 3 and 2*3 and ___ blank."]),
        ("# No mass.", ["No mass."]),
        ("- **No mass.**\n- Clear", ["No mass.", "Clear"]),
    ],
)
def test_markdown_is_not_scored(text: str, expected: list[str]) -> None:
    assert texts(text) == expected


@pytest.mark.parametrize(
    "text", ["", " \n ", ".", ". .", "...", "---", "\u2022", "**", "1.", "___", "#"]
)
def test_fragments_without_letters_or_digits_are_skipped(text: str) -> None:
    assert texts(text) == []
    assert texts(f"No mass. {text}\nClear.") == ["No mass.", "Clear."]
    assert_nothing_lost(text)


# -- real reports


def test_reports_of_seven_models() -> None:
    with real_data("candidates/rexrank_nih10.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    reports = {
        (row["subject_id"], column): row[column]
        for row in rows
        for column in row
        if column.endswith("prediction")
    }
    assert len(reports) == 70
    for text in reports.values():
        assert_nothing_lost(text)
        sentences, segmenter = fed([text])
        assert [heading.text for heading in segmenter.headings] in (
            ["Findings", "Impression"],
            ["Findings"],
            [],
        )
        for sentence in sentences:
            assert ". " not in sentence.text.replace("1. 5 cm", "")
            assert "mpression:" not in sentence.text


def test_sentences_of_sampled_reports_close_one_token_after_their_stop() -> None:
    delays = []
    with gzip.open(real_data("traces/standin_val.jsonl.gz"), "rt") as lines:
        studies = [json.loads(line) for _, line in zip(range(40), lines, strict=False)]
    for candidate in (candidate for study in studies for candidate in study["candidates"]):
        segmenter, ends = Segmenter(), []
        for token in candidate["tokens"]:
            closed = segmenter.feed(token)
            ends.append((ends[-1] if ends else 0) + len(token))
            for sentence in closed:
                delays.append(sum(end >= sentence.end for end in ends) - 1)
    assert len(delays) > 3_000
    assert sum(delays) / len(delays) < 1.05
