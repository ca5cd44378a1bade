"""The expectations of ``sdr-decode plan``, measured on a recording."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import track as progress_bar

if TYPE_CHECKING:
    from sdr_decode.expectations import Expectations


def measured(
    recording: Path,
    index: Path,
    *,
    k: int,
    prune: str,
    staged: str,
    encoder: str | None,
    embeddings: Path | None,
) -> Expectations:
    """Replay the first ``k`` candidates of each study of ``recording``."""
    from sdr_decode.expectations import measure_expectations  # noqa: PLC0415 - fast --help
    from sdr_decode.launch import launch_plans  # noqa: PLC0415
    from sdr_decode.load import load_studies, open_measure  # noqa: PLC0415
    from sdr_decode.pruning import policies  # noqa: PLC0415

    policy, plan = policies.make(prune), launch_plans.make(staged)
    console = Console(stderr=True)
    with open_measure(index, encoder=encoder, embeddings=embeddings) as measure:
        studies = load_studies(
            recording,
            measure,
            k=k,
            progress=lambda batches, what: progress_bar(
                batches, what, console=console, disable=not console.is_terminal
            ),
        )
    return measure_expectations(studies, policy.against(measure), plan)


def remark(found: Expectations, recording: Path, *, k: int, prune: str, staged: str) -> str:
    """What was measured, in a sentence."""
    return (
        f"Measured on {found.studies:,} studies of {recording.name}, K = {k}, {prune}: "
        f"{found.tokens:.1f} output tokens a candidate, {found.pruned:.1%} of the output pruned, "
        f"{found.launches:.2f} of {k} prompts sent by {staged}."
    )
