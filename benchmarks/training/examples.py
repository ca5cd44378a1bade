"""What the report model is trained on, and what it is held out from."""

from __future__ import annotations

import random
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from benchmarks.openi_tags import tagged_reports
from benchmarks.reward_speed import with_headings
from clients.recording import read_recording

HIDDEN = 0.3
"""The share of the tags that a prompt hides, as in the recording of the held-out studies."""


@dataclass(frozen=True, slots=True)
class Example:
    """A study: the prompt that the model reads, and the report that was really written."""

    study: str
    prompt: str
    reference: str


def training_examples(corpus: Path, exclude: Collection[str], *, seed: int = 0) -> list[Example]:
    """The tagged reports of the Open-i archive that are not excluded, in the archive's order.

    Each tag is hidden with probability ``HIDDEN``, and one always stays. A study keeps its hidden
    tags whatever others are excluded.
    """
    return [
        Example(each.id, tags_prompt(shown(each.tags, f"{seed}:{each.id}")), each.text)
        for each in tagged_reports(corpus)
        if each.id not in exclude
    ]


def held_out_examples(recording: Path) -> list[Example]:
    """The studies of a recording that have a reference, with the prompts that it was made with."""
    return [
        Example(each.study, each.prompt, with_headings(each.reference))
        for each in read_recording(recording)
        if each.reference is not None
    ]


def shown(tags: tuple[str, ...], seed: str) -> tuple[str, ...]:
    """The tags that a prompt shows, in their order."""
    drawn = random.Random(seed)
    kept = tuple(tag for tag in tags if drawn.random() >= HIDDEN)
    return kept or (drawn.choice(tags),) if tags else ()


def tags_prompt(tags: tuple[str, ...]) -> str:
    return f"Tags: {'; '.join(tags) or 'normal'}\n"
