from __future__ import annotations

import pytest

from clients import Finish
from sdr_decode.validity import invalid, looks_like_refusal


@pytest.mark.parametrize(
    "text",
    [
        "I'm sorry, but I can't help with medical images.",
        "I’m sorry, I cannot assist with that request.",
        "Sorry, this image cannot be analyzed.",
        "I cannot provide a diagnosis from this image.",
        "I am unable to interpret X-rays.",
        "Unfortunately, I can't analyze medical images.",
        "As an AI language model, I do not read radiographs.",
        "**I apologize**, but I am not able to do that.",
    ],
)
def test_refusals_are_recognised(text: str) -> None:
    assert looks_like_refusal(text)


@pytest.mark.parametrize(
    "text",
    [
        "No acute disease.",
        "I see no pneumothorax.",
        "Inspiration is poor. I cannot exclude a small effusion.",
        "Unable to exclude a small left effusion.",
        "The patient is unable to inspire fully.",
        "As an incidental finding, there is a granuloma.",
        "",
    ],
)
def test_reports_are_not_refusals(text: str) -> None:
    assert not looks_like_refusal(text)


@pytest.mark.parametrize(
    ("reason", "flaw"),
    [
        ("length", "truncated"),
        ("content_filter", "filtered"),
        ("refusal", "refused"),
        ("error", "failed"),
        ("cancelled", "failed"),
    ],
)
def test_an_end_other_than_stop_is_invalid_and_keeps_the_detail(reason: str, flaw: str) -> None:
    found = invalid(Finish(reason, "RECITATION"), "Clear.", sentences=1, sectioned=True)  # type: ignore[arg-type]
    assert found is not None
    assert found.flaw == flaw
    assert "RECITATION" in found.detail


def test_a_stopped_report_is_valid_unless_empty_or_a_refusal() -> None:
    refusal = "I'm sorry, I can't help with this."
    assert invalid(Finish("stop"), "Clear.", sentences=1, sectioned=False) is None
    assert invalid(Finish("stop"), refusal, sentences=1, sectioned=True) is None
    empty = invalid(Finish("stop"), " \n", sentences=0, sectioned=False)
    refused = invalid(Finish("stop"), refusal, sentences=1, sectioned=False)
    assert empty is not None
    assert refused is not None
    assert (empty.flaw, refused.flaw) == ("empty", "refused")
