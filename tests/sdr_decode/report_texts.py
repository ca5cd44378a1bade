"""Texts for the rules of segmentation, made up of what such rules look at."""

from __future__ import annotations

from hypothesis import strategies as st

_WORDS = """
    . .. ... ? ! \u2026 * ** # ## : ; , ( ) [ ] " ' \u2019 - \u2013 \u2022 _ __ ___ XXXX / & < > | `
    1 2 10 3.5 2010 cm mm x Dr No no a.m p.m e.g vs etc approx J K M.D T L2
    Findings FINDINGS findings Impression IMPRESSION impression and AND wet read Final Report
    Comparison my The the heart Lungs it \u00e9 \u6f22\u5b57 \u0663 \u00b2 \U0001f600 \u00df \u0149
"""
_SPACES = ["\n", "\r", "\r\n", "\n\n", "\t", " ", "  ", "\x0b", "\x1c", "\u2028", "\u00a0"]
INVISIBLE = ["\u200b", "\u200d", "\ufeff", "\u2060", "\u00ad", "\0", "\x1b", "\ufe0f"]

PIECES = [*_WORDS.split(), *_SPACES, *INVISIBLE, "\u0301", "e\u0301", "word" * 12]

_spaced = st.tuples(st.sampled_from(PIECES), st.sampled_from(["", "", " ", "\n"])).map("".join)

_PROSE = """
    heart lungs are clear of the mass no effusion vs cm dr findings finding impression and study in
    Heart The No Findings IMPRESSION Dr cm. 1. 2) effusion, mass, seen. clear. lungs: wordwordword
    right-sided x of, no. vs. p.m. (seen XXXX ___ *mild*
"""
prose = st.lists(st.sampled_from(_PROSE.split()), max_size=25).flatmap(
    lambda words: st.lists(
        st.sampled_from([" ", " ", " ", "\n", "  "]), min_size=len(words), max_size=len(words)
    ).map(lambda gaps: "".join(word + gap for word, gap in zip(words, gaps, strict=True)))
)

report_texts = st.one_of(
    st.lists(_spaced, max_size=25).map("".join),
    st.text(max_size=40),
    st.text(alphabet=". \n\r*#:X_-1a\u2022A", max_size=40),
)
