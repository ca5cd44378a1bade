"""A corpus of a few reports and its index, for tests that need one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from index_build.builder import BuildSummary, build
from index_build.report import CorpusReport
from sdr_decode.sentences import Section, Sentence
from tests.fake_encoder import FakeEncoder

REPORTS = (
    CorpusReport("r1", "The heart is normal in size. Lungs are clear.", "No acute disease."),
    CorpusReport("r2", "Lungs are clear. LUNGS ARE CLEAR. Small left effusion.", "Left effusion."),
    CorpusReport("r3", "Lungs are clear. ____.", "No acute disease. 2."),
    CorpusReport("r4", text="Findings: Lungs are clear. Impression: Small left effusion."),
    CorpusReport("r5", text="Stable chest. Findings: Cardiomegaly."),
)


def split(text: str) -> Sequence[Sentence]:
    """A crude splitter: full stops end sentences, the two headings open sections."""
    section: Section | None = None
    sentences = []
    for match in re.finditer(r"(Findings:|Impression:)|[^.\s][^.]*\.", text):
        if match.group(1):
            section = "findings" if match.group(1) == "Findings:" else "impression"
            continue
        body, _, rest = match.group().rpartition(": ")
        if body:
            section = "findings" if body.endswith("Findings") else "impression"
        sentences.append(Sentence(rest, section, match.start(), match.end()))
    return sentences


def is_sentence(text: str) -> bool:
    return any(letter.isalpha() for letter in text)


def build_small(
    folder: Path, reports: Iterable[CorpusReport] = REPORTS, **options: Any
) -> BuildSummary:
    """Build ``small.sdr`` in ``folder`` with an encoder without a model."""
    options.setdefault("encoder", FakeEncoder())
    return build(reports, folder / "small.sdr", split=split, is_sentence=is_sentence, **options)
