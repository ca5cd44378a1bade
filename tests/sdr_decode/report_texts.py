"""Texts for the rules of segmentation, made up of what such rules look at."""

from __future__ import annotations

from hypothesis import strategies as st

PIECES = (
    ". .. ... ? ! … * ** # ## : ; , ( ) [ ] \" ' ’ - – • _ __ ___ XXXX / & < > | ` 1 2 10 3.5 2010"
    " cm mm x Dr No no a.m p.m e.g vs etc approx J K M.D T L2 Findings FINDINGS findings Impression"
    " IMPRESSION impression and AND wet read Final Report Comparison my The the heart Lungs it é 漢字"
    " ٣ ² 😀 ß ŉ"
).split() + [
    "\n", "\r", "\r\n", "\n\n", "\t", " ", "  ", "\x0b", "\x1c", "\u2028", "\u00a0", "\u200b", "\ufeff",
    "e\u0301", "\u0301", "word" * 12,
]  # fmt: skip

_spaced = st.tuples(st.sampled_from(PIECES), st.sampled_from(["", "", " ", "\n"])).map("".join)

report_texts = st.one_of(
    st.lists(_spaced, max_size=25).map("".join),
    st.text(max_size=40),
    st.text(alphabet=". \n\r*#:X_-1a•A", max_size=40),
)
