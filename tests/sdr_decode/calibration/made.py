"""A calibration and a recording to make one from, for tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from clients.recording import RecordedCandidate, RecordedStudy, RecordingWriter, Reference
from sdr_decode.calibration.conditions import index_source
from sdr_decode.calibration.file import Calibration, Source, TestedSequence, Tried
from sdr_decode.corpus import Corpus
from tests.scripted_client import words

CLEAR = "Findings: The lungs are clear. Heart size is normal.\nImpression: No acute disease."
ODD = "Findings: Purple elephants. They sing loudly to all.\nImpression: Nonsense beyond words."


def calibration(index: Path, **changed: Any) -> Calibration:
    corpus = Corpus.open(index)
    values: dict[str, Any] = {
        "created_by": "sdr-decode test",
        "prune": "margin:0.02,warmup=1",
        "promise": "It changes the winner in at most 0.1 of studies.",
        "loss": "winner",
        "risk": 0.1,
        "confidence": 0.95,
        "clip": 1.0,
        "test": "exact binomial",
        "proved": False,
        "k": 2,
        "select": "corpus",
        "launch": "parallel",
        "sections": True,
        "max_tokens": 512,
        "client": "scripted",
        "recording": Source(name="some.jsonl", sha256="0" * 64),
        "studies": 40,
        "index": index_source(corpus),
        "encoder": corpus.manifest.encoder,
        "tokens_full": 1000,
        "sequences": (TestedSequence(specs=("margin:0.02,warmup=1",), weight=1.0),),
        "policies": (
            Tried(
                spec="margin:0.02,warmup=1",
                risk=0.0,
                p_value=0.01,
                tokens=500,
                saved=0.5,
                level=0.05,
            ),
        ),
    }
    return Calibration(**(values | changed))


def write(path: Path, found: Calibration) -> Path:
    path.write_text(found.to_json(), "utf-8")
    return path


def record(
    path: Path, studies: int, *, source: str | None = "model", reference: bool = True
) -> Path:
    """A recording in which the clear candidate stands first and wins, whatever is stopped."""
    clear, odd = (RecordedCandidate(tuple(words(text)), source=source) for text in (CLEAR, ODD))
    said = Reference("The lungs are clear.", "No acute disease.") if reference else None
    with RecordingWriter(path) as writer:
        for number in range(studies):
            writer.write(RecordedStudy(f"S{number}", "", said, (clear, odd)))
    return path
