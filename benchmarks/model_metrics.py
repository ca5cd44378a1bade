"""Whether the metrics that are models themselves can run here."""

from __future__ import annotations

from importlib.util import find_spec

MODEL_METRICS = ("BERTScore", "RadGraph F1", "CheXbert F1")


def note() -> str:
    """A sentence for the report on the metrics that need weights of their own.

    Nothing is downloaded: their weights come from a hub, and the benchmark runs without one.
    """
    names = f"{', '.join(MODEL_METRICS[:-1])} and {MODEL_METRICS[-1]}"
    if find_spec("RadEval") is None:
        return f"{names} were not measured: they need the RadEval package and its weights."
    return f"{names} were not measured: RadEval is installed, and its weights were not found."
