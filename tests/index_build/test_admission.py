from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from index_build.admission import Admission
from index_build.report import CorpusReport
from sdr_decode.errors import CorpusError

BOTH = CorpusReport("both", "F.", "I.")
FINDINGS = CorpusReport("findings", "F.", None)
IMPRESSION = CorpusReport("impression", " ", "I.")
TEXT = CorpusReport("text", None, None, "Clear lungs.")
NOTHING = CorpusReport("nothing", None, "", "  ")
ALL = [BOTH, FINDINGS, IMPRESSION, TEXT, NOTHING]


def ids(reports: Iterable[CorpusReport]) -> list[str]:
    return [report.id for report in reports]


@pytest.mark.parametrize(
    ("require", "kept"),
    [
        ("both", ["both"]),
        ("any", ["both", "findings", "impression"]),
        ("text", ["both", "findings", "impression", "text"]),
    ],
)
def test_what_is_required(require: str, kept: list[str]) -> None:
    reports = [BOTH, FINDINGS, IMPRESSION, NOTHING] + ([TEXT] if require == "text" else [])
    admission = Admission(require=require)  # type: ignore[arg-type]
    assert ids(admission.filter(reports)) == kept
    assert admission.incomplete == len(reports) - len(kept)


@given(
    st.sets(st.integers(0, 30), min_size=1),
    st.lists(st.sets(st.integers(0, 30), min_size=1), max_size=2),
    st.lists(st.sets(st.integers(0, 30), min_size=1), max_size=2),
)
def test_every_report_is_counted_once_and_excluded_ones_never_enter(
    corpus: set[int], include: list[set[int]], exclude: list[set[int]]
) -> None:
    def named(lists: list[set[int]], kind: str) -> dict[str, frozenset[str]]:
        return {f"{kind}{n}": frozenset(map(str, names)) for n, names in enumerate(lists)}

    admission = Admission("any", named(include, "in"), named(exclude, "out"))
    reports = [CorpusReport(str(n), "F.", None) for n in sorted(corpus)]
    allowed = set.union(*include) if include else corpus
    expected = (corpus & allowed) - set().union(*exclude)
    if any(not names & corpus for names in include + exclude) or not expected:
        with pytest.raises(CorpusError):
            list(admission.filter(reports))
        return
    assert {int(r.id) for r in admission.filter(reports)} == expected
    counted = admission.kept + admission.excluded + admission.not_included + admission.incomplete
    assert admission.read == len(corpus) == counted
    for name, listed in {**admission.include, **admission.exclude}.items():
        assert admission.unmatched.get(name, 0) == len(listed - set(map(str, corpus)))


def test_a_list_that_matches_nothing_is_an_error_that_shows_both_forms() -> None:
    admission = Admission("any", exclude={"splits.json#test": frozenset({"50414267"})})
    with pytest.raises(
        CorpusError, match=r"none of the 1 ids of splits\.json#test.*'50414267'.*'s5'"
    ):
        list(admission.filter([CorpusReport("s5", "F.", None)]))


def test_an_id_with_two_texts_is_an_error_and_a_copy_counts_once() -> None:
    admission = Admission("any")
    assert ids(admission.filter([FINDINGS, FINDINGS, BOTH])) == ["findings", "both"]
    assert (admission.repeated, admission.read) == (1, 2)
    other = CorpusReport("findings", "Other.", None, None, "line 9 of t.csv")
    with pytest.raises(CorpusError, match=r"id 'findings' twice.*line 9 of t\.csv"):
        list(Admission("any").filter([FINDINGS, other]))


def test_an_empty_corpus_says_why() -> None:
    with pytest.raises(CorpusError, match=r"left of 2: 2 are without both .*--require any"):
        list(Admission().filter([FINDINGS, IMPRESSION]))
    lists = {"x": frozenset({"both"})}
    with pytest.raises(CorpusError, match="left of 1: 1 are excluded"):
        list(Admission(exclude=lists).filter([BOTH]))
