"""Whether an ended candidate can be chosen, and if not, why in one word and a detail."""

from __future__ import annotations

import re
from dataclasses import dataclass

from clients import Finish
from sdr_decode.candidate import Flaw
from sdr_decode.invisible import visible

# A refusal says in its first words that the writer will not or cannot do it. A report with a
# section heading is never taken for one.
_REFUSAL = re.compile(
    r"""\W*(?:
        (?:i[’']?m|i\s+am)\s+(?:very\s+|so\s+)?(?:sorry|unable|not\s+able)
      | (?:i\s+)?(?:apologi[sz]e|apologies)\b
      | sorry\b
      | (?:unfortunately,?\s+)?i\s+
        (?:can(?:[’']?t|not|\s+not)|won[’']?t|(?:do|am)\s+not|don[’']?t)\s+
        (?:\w+\s+)?(?:assist|help|provide|analy[sz]e|interpret|diagnose|view|see|process|able|have)
      | as\s+an?\s+(?:ai|artificial|language)\b
    )""",
    re.IGNORECASE | re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Invalid:
    """Why a candidate cannot be chosen."""

    flaw: Flaw
    detail: str


def looks_like_refusal(text: str) -> bool:
    """Whether a report text without a section heading opens as a refusal."""
    return _REFUSAL.match(visible(text)) is not None


def invalid(finish: Finish, text: str, *, sentences: int, sectioned: bool) -> Invalid | None:
    """Why a candidate that ended by itself cannot be chosen, or ``None`` when it can.

    ``sentences`` is how many sentences it closed; ``sectioned`` whether a findings or impression
    heading stood in it.
    """
    detail = f" ({finish.detail})" if finish.detail else ""
    if finish.reason == "refusal":
        return Invalid("refused", f"the model refused{detail}")
    if finish.reason == "content_filter":
        return Invalid("filtered", f"the provider's content filter stopped it{detail}")
    if finish.reason == "length":
        return Invalid("truncated", f"the token limit cut it off{detail}")
    if finish.reason in ("error", "cancelled"):
        return Invalid("failed", finish.detail or f"the stream ended with {finish.reason}")
    if sentences == 0:
        return Invalid("empty", "no sentence was written")
    if not sectioned and looks_like_refusal(text):
        return Invalid("refused", "the text is a refusal")
    return None
