"""A saved result to explain: three candidates, one pruned, one truncated, with every kind of
number in the ledger."""

from __future__ import annotations

import copy
import json
from typing import Any

from sdr_decode.explain import SavedResult, parse_result

HOSTILE = (
    "<script>document.title='owned'</script>",
    '"><img src=x onerror="document.title=\'owned\'">',
    "'><svg onload=document.title='owned'>",
    "</style><style>body{display:none}</style>",
    "</title><h1>in the title</h1>",
    "{{ 7 * 7 }}{% raise %}",
    "&lt;b&gt;&amp;#60;",
    "\u202egnorw\u2066\u200b\x1b[31mred\x00\ufeff",
    "W" * 3000,
    "a\u0301" * 400,
)
"""Texts that do harm where they are not escaped, shown as they are or broken into lines."""


def _count(value: int | None, provenance: str) -> dict[str, Any]:
    return {"value": value, "provenance": provenance}


def _sentence(
    text: str, whole: str, distance: float, tokens: int, nearest: str | None, count: int = 1
) -> dict[str, Any]:
    start = whole.index(text)
    return {
        "text": text,
        "section": "findings",
        "start": start,
        "end": start + len(text),
        "distance": distance,
        "nearest": None if nearest is None else {"text": nearest, "count": count},
        "tokens": tokens,
    }


_ZERO = "Findings: The lungs are clear. Mild odd haze.\nImpression: Stable chest."
_ONE = "Findings: Purple elephants sing. Every"
_TWO = "Findings: The heart is la"


def example() -> dict[str, Any]:
    """The result as plain data, of one's own to change."""
    return copy.deepcopy(_EXAMPLE)


def saved(data: dict[str, Any] | None = None) -> SavedResult:
    """The example, or changed data, read back."""
    return parse_result(json.dumps(example() if data is None else data))


def made_hostile(words: str) -> dict[str, Any]:
    """The example with ``words`` in front of every text: of each sentence where it stands, of
    reasons, warnings, settings and their names, and as the name of a column of the ledger."""
    data: dict[str, Any] = _with(words, example())
    data["settings"] = {words + name: value for name, value in data["settings"].items()}
    data["ledger"]["rows"][0][words] = _count(3, "counted")
    return data


def _with(words: str, data: Any) -> Any:
    if isinstance(data, dict):
        changed = {
            key: value if key in ("provenance", "state", "low", "high") else _with(words, value)
            for key, value in data.items()
        }
        if "sentences" in data:
            _write_again(changed, data["text"])
        return changed
    if isinstance(data, list):
        return [_with(words, value) for value in data]
    return words + data if isinstance(data, str) else data


def _write_again(candidate: dict[str, Any], text: str) -> None:
    """Put the changed sentences into the candidate's text."""
    written, at = "", 0
    for sentence in candidate["sentences"]:
        written += text[at : sentence["start"]]
        at = sentence["end"]
        sentence["start"], sentence["end"] = len(written), len(written + sentence["text"])
        written += sentence["text"]
    candidate["text"] = written + text[at:]


_EXAMPLE: dict[str, Any] = {
    "format_version": 1,
    "report": {
        "text": _ZERO,
        "findings": "The lungs are clear. Mild odd haze.",
        "impression": "Stable chest.",
    },
    "winner": 0,
    "valid": True,
    "reason": "least directed Chamfer distance to the corpus, 0.0250, of 1 candidates",
    "quantity": "directed Chamfer distance to the corpus",
    "candidates": [
        {
            "number": 0,
            "state": "finished",
            "ended": None,
            "text": _ZERO,
            "sentences": [
                _sentence("The lungs are clear.", _ZERO, 0.0, 6, "The lungs are clear.", 1200),
                _sentence("Mild odd haze.", _ZERO, 0.06, 10, "Mild haze.", 3),
                _sentence("Stable chest.", _ZERO, 0.015, 15, "Stable chest x-ray."),
            ],
            "chamfer": 0.025,
            "hausdorff": 0.06,
            "tokens": _count(15, "reported"),
            "selected_by": 0.025,
        },
        {
            "number": 1,
            "state": "pruned",
            "ended": "distance 0.3000 after 1 sentence is above the threshold 0.04",
            "text": _ONE,
            "sentences": [_sentence("Purple elephants sing.", _ONE, 0.3, 7, None)],
            "chamfer": 0.3,
            "hausdorff": 0.3,
            "tokens": _count(9, "counted"),
            "selected_by": None,
        },
        {
            "number": 2,
            "state": "invalid",
            "ended": "truncated: the token cap was reached",
            "text": _TWO,
            "sentences": [],
            "chamfer": None,
            "hausdorff": None,
            "tokens": _count(7, "counted"),
            "selected_by": None,
        },
    ],
    "ledger": {
        "asked": 4,
        "launched": 3,
        "rows": [
            {
                "candidate": number,
                "state": state,
                "observed": observed,
                "avoided": avoided,
                "launched": state != "not launched",
                "dollars": dollars,
            }
            for number, state, observed, avoided, dollars in (
                (0, "finished", _count(15, "reported"), _count(0, "counted"), ("0.01", "0.01")),
                (1, "pruned", _count(8, "counted"), _count(8, "estimated"), ("0.01", "0.02")),
                (2, "invalid", _count(7, "counted"), _count(None, "unknown"), (None, None)),
                (3, "not launched", _count(0, "counted"), _count(15, "estimated"), ("0", "0")),
            )
            for dollars in [dict(zip(("low", "high"), dollars, strict=True))]
        ],
        "observed": _count(30, "counted"),
        "avoided": _count(None, "unknown"),
        "saved": None,
        "money": {
            "cost": {"low": None, "high": None},
            "full": {"low": "0.04", "high": "0.05"},
            "why": "token counts of 1 of 4 candidates are unknown",
            "source": "a price list",
            "date": "2026-01-31",
        },
    },
    "warnings": ["the client demo does not look at the images"],
    "settings": {"client": "demo", "prune": "threshold:0.04", "select": "corpus", "seed": None},
    "study": "A 1",
}
