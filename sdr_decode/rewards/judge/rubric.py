"""What the judge is asked: a frozen text, with whatever others wrote fenced off in it.

A completion is untrusted: under training it is optimised against this judge. So it stands between
two lines that carry a mark which it cannot contain, instructions come before and after it, and it
is stripped of what a chat template could take for its own control tokens.
"""

from __future__ import annotations

import re
from functools import cache
from hashlib import sha256
from importlib.resources import files

VERSION = "report-judge-1"  # changes whenever a word of the rubric does

NOT_GIVEN = "(not given)"
WITHOUT_REFERENCE = (
    "do the statements support each other, does the conclusion follow from the findings, and could "
    "each be seen in a chest X-ray?"
)
WITH_REFERENCE = (
    "is each statement supported by the reference, and is what the reference finds stated? Other "
    "words for the same finding are as good."
)
REFERENCE = """
What a radiologist reported of the same study, for comparison:
BEGIN REFERENCE {fence}
{reference}
END REFERENCE {fence}
"""

# Such as <|im_start|>, </s>, <start_of_turn> and [/INST], which some servers read as what they say.
_CONTROL_TOKEN = re.compile(r"([<\[])(?=\S)")
_CONTROL_CHARACTER = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]"
)


def judge_prompt(report: str, reference: str | None = None, prompt: str | None = None) -> str:
    """What to ask about ``report``. The same texts give the same words, so that it can be cached.

    ``reference`` is the report that it should agree with; without one it is judged by itself.
    ``prompt`` is what the report was asked for.
    """
    texts = [_harmless(text) for text in (report, reference or "", prompt or "")]
    mark = fence(*texts)
    compared = ""
    if reference is not None:
        compared = REFERENCE.format(fence=mark, reference=texts[1] or NOT_GIVEN)
    return _template().format(
        fence=mark,
        prompt=texts[2] or NOT_GIVEN,
        reference=compared,
        report=texts[0],
        evidence=WITHOUT_REFERENCE if reference is None else WITH_REFERENCE,
    )


def fence(*texts: str) -> str:
    """A mark that stands in none of the texts, and that none of them could have foreseen."""
    mark = sha256("\0".join((VERSION, *texts)).encode()).hexdigest()[:24]
    return mark if not any(mark in text for text in texts) else fence(*texts, mark)


def _harmless(text: str) -> str:
    lines = text.replace("\r\n", "\n").replace("\r", "\n").strip()
    encodable = lines.encode("utf-8", "replace").decode("utf-8")
    return _CONTROL_TOKEN.sub(r"\1 ", _CONTROL_CHARACTER.sub(" ", encodable))


@cache
def _template() -> str:
    return files("sdr_decode.rewards.judge").joinpath("rubric.txt").read_text("utf-8").strip()
