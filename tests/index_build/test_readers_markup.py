from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from index_build.readers import open_reader
from index_build.readers.markup import without_markup
from sdr_decode.segmenter import split_sentences


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        ("Clear<br>Dry<BR/>Warm<br />End", "Clear\nDry\nWarm\nEnd"),
        ("<p>Heart &lt; 5 &amp; ok.</p><p>No <b>mass</b>&nbsp;seen</p>", "Heart < 5 & ok.\n\n\n\n"
        "No mass\xa0seen"),
        ("<ul><li>Clear<li class='x'>No mass</li></ul>", "- Clear\n- No mass"),
        ("<h2>Findings</h2>Clear", "Findings\n\nClear"),
        ("under 5 &#62; 3 &amp; 2", "under 5 > 3 & 2"),
        ("Seen <the lesion><br>A < b, c > d<!-- note -->", "Seen <the lesion>\nA < b, c > d"),
        ("a<br>b <unclosed", "a\nb <unclosed"),
    ],
)  # fmt: skip
def test_a_cell_reads_as_on_a_page(cell: str, text: str) -> None:
    assert without_markup(cell) == text


@pytest.mark.parametrize(
    "cell",
    ["A < b and c > d", "<5 mm, >3 mm", "<the lesion>", "P&L; a & b", "a <b c> d", "&unknown;",
     " Clear.\n\n Dry. "],
)  # fmt: skip
def test_what_is_no_markup_stays_as_it_is(cell: str) -> None:
    assert without_markup(cell) == cell


@given(st.text(alphabet="<>/&;brpli= ab\n#6", max_size=30))
def test_no_letter_outside_tags_is_lost(cell: str) -> None:
    for letter in "xyz":
        marked = f"{letter} {cell} <br> {letter}"
        assert without_markup(marked).count(letter) == 2


def test_a_table_of_pages(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("id,report,note\nR&amp;D,<b>FINDINGS:</b><br>Clear<br>Heart &gt; 5.,<br>\n")
    (report,) = open_reader(path).read(path)
    assert report.id == "R&amp;D"
    assert report.text is not None
    assert [(s.section, s.text) for s in split_sentences(report.text)] == [
        ("findings", "Clear"),
        ("findings", "Heart > 5."),
    ]
