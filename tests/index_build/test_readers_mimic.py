from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from index_build.readers import open_reader
from index_build.readers.mimic_sections import split_report
from sdr_decode.errors import CorpusError
from sdr_decode.invisible import visible

FULL = """\
                                 FINAL REPORT
 EXAMINATION:  CHEST (PA AND LAT)

 INDICATION:  ___-year-old woman with cough.  // pneumonia?

 TECHNIQUE:  Chest PA and lateral

 COMPARISON:  ___

 FINDINGS:

 The lungs are well expanded and clear, and the heart is at the upper limit of
 normal in size.  A port catheter ends at the cavoatrial junction.

 IMPRESSION:

 1. No pneumonia.
 2. Port catheter in the expected place.

 NOTIFICATION:  These were telephoned to Dr. ___ at 9:10 AM.
"""


def test_the_usual_report() -> None:
    parts = split_report(FULL)
    assert parts.findings is not None
    assert parts.findings.startswith("The lungs are well expanded")
    assert parts.findings.endswith("cavoatrial junction.")
    assert "size of\n normal" not in parts.findings
    assert "limit of\n normal in size" in parts.findings  # hard wraps stay for the sentence rules
    assert parts.impression == "1. No pneumonia.\n 2. Port catheter in the expected place."
    assert parts.text is None


def test_a_heading_may_end_with_a_full_stop() -> None:
    stopped = FULL.replace("FINDINGS:\n", "FINDINGS.").replace("IMPRESSION:", "Impression .")
    stopped = stopped.replace("NOTIFICATION:", "NOTIFICATION.")
    assert split_report(stopped) == split_report(FULL)
    parts = split_report(FULL.replace("The lungs", "Study. The lungs"))
    assert parts.findings is not None
    assert parts.findings.startswith("Study. The lungs")


def test_a_heading_is_not_hidden() -> None:
    strewn = FULL.replace("FINDINGS:", "\ufeffFIND\u00adINGS\u200b:").replace("IMP", "\u2060IMP")
    assert split_report(strewn) == split_report(FULL)


def test_a_wet_read_is_superseded_by_the_final_report() -> None:
    wet = """\
 WET READ: ___ ___ ___ 9:12 PM
  Possible early pneumonia.
 IMPRESSION: Possible early pneumonia.
 WET READ VERSION #1 ___ ___ ___ 8:50 PM
  Probably normal.
______________________________________________________________________________
"""
    assert split_report(wet + FULL) == split_report(FULL)


def test_a_wet_read_ends_at_the_rule_where_no_final_report_follows() -> None:
    parts = split_report(
        " WET READ: ___ 9:12 PM\n  Probably normal.\n"
        + "_" * 78
        + "\n IMPRESSION:  Normal chest.\n"
    )
    assert (parts.findings, parts.impression) == (None, "Normal chest.")


@pytest.mark.parametrize("heading", ["CONCLUSION", "Impression", "IMPRESSION ", "Conclusions"])
def test_other_names_of_the_impression(heading: str) -> None:
    parts = split_report(f" FINDINGS: Clear lungs.\n \n {heading}: No acute disease.")
    assert (parts.findings, parts.impression) == ("Clear lungs.", "No acute disease.")


@pytest.mark.parametrize("heading", ["FINDINGS AND IMPRESSION", "FINDINGS/IMPRESSION"])
def test_a_heading_of_both_is_the_one_it_names_first(heading: str) -> None:
    parts = split_report(f" {heading}:  Clear lungs.  No acute disease.")
    assert (parts.findings, parts.impression) == ("Clear lungs.  No acute disease.", None)


@pytest.mark.parametrize(
    "heading", ["CHEST, TWO VIEWS", "PA AND LATERAL VIEWS OF THE CHEST", "PORTABLE AP CHEST"]
)
def test_views_in_capitals_head_the_findings(heading: str) -> None:
    parts = split_report(
        f" INDICATION: Cough.\n \n {heading}:  Clear lungs.\n \n IMPRESSION: Normal."
    )
    assert (parts.findings, parts.impression) == ("Clear lungs.", "Normal.")


def test_a_title_above_other_headings_adds_nothing() -> None:
    parts = split_report(
        " CHEST, PA AND LATERAL:\n \n INDICATION: Cough.\n \n FINDINGS: Clear lungs."
    )
    assert parts.findings == "Clear lungs."


def test_sub_headings_stay_in_their_section() -> None:
    parts = split_report(
        " FINDINGS:\n LUNGS: Clear.\n RIGHT CHEST TUBE: In place.\n IMPRESSION: Well."
    )
    assert parts.findings == "LUNGS: Clear.\n RIGHT CHEST TUBE: In place."


def test_a_section_that_comes_twice_is_kept_twice_and_a_copy_once() -> None:
    twice = " IMPRESSION: Normal.\n \n IMPRESSION: Normal.\n \n IMPRESSION: Small nodule."
    assert split_report(twice).impression == "Normal.\n\nSmall nodule."


def test_an_addendum_gives_its_sections_and_not_its_prose() -> None:
    addendum = "\n          FINAL ADDENDUM\n Dr. ___ was told.\n \n IMPRESSION: Rib fracture."
    parts = split_report(FULL.replace(" NOTIFICATION", " NOTE") + addendum)
    assert parts.impression is not None
    assert parts.impression.endswith("Rib fracture.")
    assert "was told" not in parts.impression


def test_without_either_section_the_last_paragraphs_have_no_section() -> None:
    parts = split_report(
        "                                 FINAL REPORT\n CHEST RADIOGRAPH, ___\n \n"
        " COMPARISON:  ___.\n \n The tube was drawn back.  No pneumothorax.\n \n Stable heart.\n"
    )
    assert (parts.findings, parts.impression) == (None, None)
    assert parts.text == "The tube was drawn back.  No pneumothorax.\n\nStable heart."


def test_a_bare_paragraph_is_the_report() -> None:
    assert split_report("Portable chest shows clear lungs.\n").text == (
        "Portable chest shows clear lungs."
    )


@pytest.mark.parametrize(
    "text", ["", "\n \n", " INDICATION: Cough.\n", " WET READ: ___\n  Clear.\n"]
)
def test_nothing_to_read_is_nothing(text: str) -> None:
    parts = split_report(text)
    assert (parts.findings, parts.impression, parts.text) == (None, None, None)


def test_line_ends_do_not_matter() -> None:
    assert split_report(FULL.replace("\n", "\r\n")) == split_report(FULL)


def tree(root: Path) -> Path:
    folder = root / "files" / "p10" / "p10000001"
    folder.mkdir(parents=True)
    (folder / "s50000002.txt").write_text(FULL)
    (folder / "s50000001.txt").write_text(" IMPRESSION: Normal.")
    (root / "LICENSE.txt").write_text("IMPRESSION: not a report")
    return root


def test_a_tree_and_a_zip_of_it_give_the_same(tmp_path: Path) -> None:
    root = tree(tmp_path / "mimic")
    packed = tmp_path / "mimic.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        for path in sorted(root.rglob("*.txt"), reverse=True):
            archive.write(path, path.relative_to(root))
    from_tree = list(open_reader(root).read(root))
    from_zip = list(open_reader(packed).read(packed))
    assert [r.id for r in from_tree] == ["s50000001", "s50000002"]
    assert [(r.id, r.findings, r.impression) for r in from_zip] == [
        (r.id, r.findings, r.impression) for r in from_tree
    ]


def test_without_the_usual_names_every_text_file_is_a_report(tmp_path: Path) -> None:
    (tmp_path / "visit one.txt").write_text("Impression: Normal.")
    assert [r.id for r in open_reader(tmp_path, "mimic").read(tmp_path)] == ["visit one"]


def test_another_encoding_is_named_and_can_be_given(tmp_path: Path) -> None:
    (tmp_path / "s1.txt").write_bytes("IMPRESSION: Pneumothorax of 5 mm².".encode("latin-1"))
    with pytest.raises(
        CorpusError, match=r"s1\.txt is not text in UTF-8 \(byte 0xb2: .*--encoding"
    ):
        list(open_reader(tmp_path).read(tmp_path))
    reader = open_reader(tmp_path, options={"encoding": "latin-1"})
    assert next(reader.read(tmp_path)).impression == "Pneumothorax of 5 mm²."
    with pytest.raises(CorpusError, match="unknown encoding 'klingon'"):
        open_reader(tmp_path, options={"encoding": "klingon"})


def test_nul_bytes_and_broken_zips_are_errors(tmp_path: Path) -> None:
    (tmp_path / "s1.txt").write_bytes(b"IMPRESSION: \0")
    with pytest.raises(CorpusError, match=r"s1\.txt holds NUL bytes"):
        list(open_reader(tmp_path).read(tmp_path))
    broken = tmp_path / "mimic.zip"
    broken.write_bytes(b"PK\x03\x04 no zip")
    with pytest.raises(CorpusError, match="cannot be read as a zip archive"):
        list(open_reader(broken).read(broken))


LINES = st.sampled_from(
    [
        *("", " ", " FINAL REPORT", " WET READ: ___", " ADDENDUM:", "_" * 40, " HEART: Big."),
        *(" FINDINGS:", " Findings: Clear.", " IMPRESSION:", " CONCLUSION: Well.", " CHEST: Dry."),
        *(" INDICATION: Cough.", " Clear lungs and a", " long line.", ":", " WET READ VERSION #1"),
    ]
)


@given(st.lists(LINES, max_size=14), st.text(max_size=30))
def test_nothing_is_invented_or_written_twice(lines: list[str], tail: str) -> None:
    source = "\n".join([*lines, tail])
    parts = split_report(source)
    left = visible(source).replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for text in filter(None, (parts.findings, parts.impression, parts.text)):
        assert text == text.strip() != ""
        for line in filter(None, map(str.strip, text.split("\n"))):
            origin = next(place for place in left if place.strip().endswith(line))
            left.remove(origin)
    assert parts.text is None or (parts.findings, parts.impression) == (None, None)
