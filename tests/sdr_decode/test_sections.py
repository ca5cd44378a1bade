from __future__ import annotations

import pytest

from sdr_decode.sections import HEADINGS
from sdr_decode.segmenter import Segmenter

Read = list[tuple[str | None, str]]


def read(text: str) -> tuple[Read, Read]:
    """The sentences and the headings of a text, each with its section."""
    segmenter = Segmenter()
    sentences = [*segmenter.feed(text), *segmenter.finish()]
    return (
        [(sentence.section, sentence.text) for sentence in sentences],
        [(heading.section, heading.text) for heading in segmenter.headings],
    )


F, I = "findings", "impression"  # noqa: E741


@pytest.mark.parametrize(
    "heading",
    ["Findings:", "FINDINGS:", "findings:", "Findings :", "findings : ", "**Findings:**",
     "**Findings**:",
     "**FINDINGS**\n", "__Findings__:", "_Findings:_", "*Findings*:", "## Findings\n",
     "### **Findings:**\n",
     "#FINDINGS:", "FINDINGS\n", "Findings\n\n", "FINDINGS \r\n", "FINDINGS - ",
     "FINDINGS (CHEST): ",
     "Findings (PA and lateral):\n", "FINDINGS:\n\n", "FINDINGS ", "- **Findings**: ",
     "1. Findings: ",
     "CHEST FINDINGS:", "Radiographic findings:", "FINDINGS. ", "FINDINGS .\n", "FINDINGS.",
     "Findings.\n", "**FINDINGS.** ", "**Findings**. ", "FINDINGS (CHEST). ", "- Findings. "],
)  # fmt: skip
def test_ways_to_write_a_heading(heading: str) -> None:
    sentences, headings = read(heading + "Heart is normal.")
    assert sentences == [(F, "Heart is normal.")]
    assert [section for section, _ in headings] == [F]
    assert "findings" in headings[0][1].casefold()
    assert not set("*_#:.") & set(headings[0][1])


@pytest.mark.parametrize(
    ("heading", "section"),
    [("CONCLUSION", I), ("Opinion", I), ("IMPRESSION AND RECOMMENDATIONS", I), ("Impressions", I),
     ("Final Impression", I), ("FINDINGS AND IMPRESSION", F), ("FINDINGS/IMPRESSION", F),
     ("Findings & Impression", F), ("Impression/Findings", I), ("INDICATION", None),
     ("HISTORY", None),
     ("COMPARISON", None), ("TECHNIQUE", None), ("EXAMINATION", None), ("RECOMMENDATION(S)", None),
     ("WET READ", None), ("ADDENDUM", None), ("NOTIFICATION", None), ("Reason for exam", None),
     ("Clinical history", None)],
)  # fmt: skip
def test_the_section_of_a_heading(heading: str, section: str | None) -> None:
    sentences, headings = read(f"IMPRESSION: Old.\n{heading}: Some text.")
    assert sentences == [(I, "Old."), (section, "Some text.")]
    assert headings[1] == (section, heading)


@pytest.mark.parametrize("words", HEADINGS, ids=" ".join)
def test_every_phrase_of_the_table(words: tuple[str, ...]) -> None:
    _, headings = read(f"{' '.join(words).upper()}: Some text.")
    assert headings == [(HEADINGS[words], " ".join(words).upper())]


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("Ribs intact.Impression:No disease", [(None, "Ribs intact."), (I, "No disease")]),
        ("Ribs intact.impression: none", [(None, "Ribs intact."), (I, "none")]),
        ("Findings:Left-sided device.", [(F, "Left-sided device.")]),
        ("Findings:Clear.Impression:Normal.", [(F, "Clear."), (I, "Normal.")]),
        ("tube in the stomach Impression: 1. stable", [(None, "tube in the stomach"),
        (I, "stable")]),
        ("tube in the stomachImpression: stable", [(None, "tube in the stomach"), (I, "stable")]),
        ("Lungs clear IMPRESSION: Normal", [(None, "Lungs clear"), (I, "Normal")]),
        ("Lungs clear **Impression:** Normal", [(None, "Lungs clear"), (I, "Normal")]),
        ("Lungs clear\nIMPRESSION\n1. Normal", [(None, "Lungs clear"), (I, "Normal")]),
        ("IMPRESSION 1. Normal", [(I, "Normal")]),
        ("FINDINGS: IMPRESSION: Normal.", [(I, "Normal.")]),
        ("FINDINGS. Clear. IMPRESSION. No mass.", [(F, "Clear."), (I, "No mass.")]),
        ("Findings. Dry\nImpression.\n1. Clear\n2. Ok", [(F, "Dry"), (I, "Clear"), (I, "Ok")]),
        ("Clear.IMPRESSION.1. Stable", [(None, "Clear."), (I, "Stable")]),
        ("IMPRESSION. Ok. COMPARISON. None. WET READ. Dry.", [(I, "Ok."), (None, "None."),
        (None, "Dry.")]),
        ("Clear. IMPRESSION.", [(None, "Clear.")]),
        ("ok . findings : clear . impression : ok .", [(None, "ok ."), (F, "clear ."),
        (I, "ok .")]),
    ],
)  # fmt: skip
def test_headings_glued_to_their_neighbours(text: str, sentences: Read) -> None:
    assert read(text)[0] == sentences


@pytest.mark.parametrize(
    "text",
    ["The findings are unchanged.", "Findings are unchanged.", "My impression: all is well.",
     "In my Impression: all is well.", "No acute findings: all is well.", "No Findings: none.",
     "FINDINGS ARE UNCHANGED.", "IMPRESSION IS UNCHANGED.", "Findings consistent with edema.",
     "Comparison with the prior film is made.", "The study: limited.", "Impression of a nodule.",
     "there are no other findings in comparison", "NO ACUTE FINDINGS.", "No new\nfindings.",
     "IMPRESSION... none", "Comparison?"],
)  # fmt: skip
def test_the_same_words_in_prose(text: str) -> None:
    assert read(text) == ([(None, " ".join(text.split()))], [])


def test_a_heading_word_at_the_end_of_a_wrapped_line() -> None:
    assert read("There are no acute\nfindings\nto report.")[0] == [
        (None, "There are no acute findings to report.")
    ]


@pytest.mark.parametrize(
    ("text", "sentences", "headings"),
    [
        ("Lungs: Clear. LINES/TUBES: None.", [(F, "Lungs: Clear."), (F, "LINES/TUBES: None.")], []),
        ("Lungs:\n- Clear\n- No mass", [(F, "Clear"), (F, "No mass")], [(F, "Lungs")]),
        ("Lungs: 1. Clear 2. No mass", [(F, "Clear"), (F, "No mass")], [(F, "Lungs")]),
        ("**Lungs**\nClear", [(F, "Clear")], [(F, "Lungs")]),
        ("## Chest wall\nIntact", [(F, "Intact")], [(F, "Chest wall")]),
        ("- **Lungs:** Clear", [(F, "Lungs: Clear")], []),
        ("**No mass.**\nClear", [(F, "No mass."), (F, "Clear")], []),
    ],
)
def test_sub_headings_keep_the_section(text: str, sentences: Read, headings: Read) -> None:
    found, heads = read("FINDINGS:\n" + text)
    assert found == sentences
    assert heads[1:] == headings


def test_a_report_in_the_style_of_a_hospital() -> None:
    text = """                                 FINAL REPORT
 EXAMINATION:  CHEST (PA AND LAT)

 INDICATION:  ___ year old man with fever

 FINDINGS:

 The catheter ends in the right atrium, 2.5 cm below the junction, as on the
 Previous film.  Dr. ___ was called at 4:15 p.m. on ___ by telephone.

 IMPRESSION:

 1.  Mild edema, worse than
 on ___.
 2.  No pneumonia.

 NOTIFICATION:  Discussed with ___, M.D. by ___, M.D. at 3 PM.
"""
    assert read(text)[0] == [
        (None, "CHEST (PA AND LAT)"),
        (None, "___ year old man with fever"),
        (
            F,
            "The catheter ends in the right atrium, 2.5 cm below the junction, as on the "
            "Previous film.",
        ),
        (F, "Dr. ___ was called at 4:15 p.m. on ___ by telephone."),
        (I, "Mild edema, worse than on ___."),
        (I, "No pneumonia."),
        (None, "Discussed with ___, M.D. by ___, M.D. at 3 PM."),
    ]


def test_a_report_in_the_style_of_a_chat_model() -> None:
    text = (
        "### Chest X-Ray Report\n\n**Findings:**\n- **Lungs:** Clear, *no* mass.\n"
        "- **Heart:** Normal size\n\n**Impression:**\n1. No **acute** disease.\n2. Follow up\n\n"
        "---\n*A draft.*"
    )
    assert read(text)[0] == [
        (F, "Lungs: Clear, no mass."),
        (F, "Heart: Normal size"),
        (I, "No acute disease."),
        (I, "Follow up"),
        (I, "A draft."),
    ]


@pytest.mark.parametrize(
    ("text", "sections"),
    [("Findings: A mass.", [F]), ("Impression: A mass.", [I]), ("A mass.", [None]), ("", [])],
)
def test_reports_with_one_section_or_none(text: str, sections: list[str | None]) -> None:
    assert [section for section, _ in read(text)[0]] == sections


def test_the_section_being_read() -> None:
    segmenter = Segmenter()
    seen = []
    for piece in ("Find", "ings", ":", " Clear", ".", "\n", "Impression", ":", " Ok"):
        segmenter.feed(piece)
        seen.append(segmenter.section)
    assert seen == [None, None, F, F, F, F, F, I, I]


def test_a_heading_says_where_it_stands() -> None:
    text = "Clear.\n**Impression:** Ok"
    segmenter = Segmenter()
    segmenter.feed(text)
    heading = segmenter.headings[0]
    assert text[heading.start : heading.end] == "Impression"
