"""The plots of the report, as PNG files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.comparison import Lines, Row
from clients.errors import MissingPackageError

MARKS = {"parallel": "o", "after-warm-up": "P"}
PLOTS = {
    "token_f1": ("saved-token-f1.png", "Token-F1"),
    "names_any": ("saved-abnormal-recall.png", "abnormal recall"),
    "f1": ("saved-finding-f1.png", "finding F1"),
}


def draw(folder: Path, rows: Sequence[Row], known: Mapping[int, Lines]) -> list[str]:
    """Draw saved tokens against each quality of ``PLOTS``, one panel a K, and return the names of
    the files. Raises ``MissingPackageError`` without matplotlib."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415
        from matplotlib.figure import Figure  # noqa: PLC0415
    except ImportError as error:
        raise MissingPackageError(
            f"matplotlib is needed for the plots ({error}): pip install 'sdr-decode[bench]'"
        ) from error
    names = []
    for quality, (name, label) in PLOTS.items():
        figure = Figure(figsize=(5.0 * len(known), 4.5), layout="constrained")
        FigureCanvasAgg(figure)
        panels = figure.subplots(1, len(known), sharey=True, squeeze=False)[0]
        for panel, (k, line) in zip(panels, known.items(), strict=True):
            _panel(panel, [row for row in rows if row.k == k], line, quality)
            panel.set_title(f"K = {k}")
            panel.set_xlabel("output tokens saved")
        panels[0].set_ylabel(label)
        panels[-1].legend(fontsize=7, loc="best")
        # Without the version in the file, so that it changes only when the picture does.
        figure.savefig(folder / name, dpi=110, metadata={"Software": None})
        names.append(name)
    return names


def _panel(panel: Any, rows: Sequence[Row], line: Lines, quality: str) -> None:
    selects = sorted({row.select for row in rows})
    for number, select in enumerate(selects):
        colour = f"C{number % 10}"
        for row in (row for row in rows if row.select == select):
            value = row.quality[quality]
            if value is not None:
                mark = MARKS.get(row.launch, "^")
                panel.plot(row.saved.value, value, mark, color=colour, markersize=5, alpha=0.7)
        panel.plot([], [], "s", color=colour, label=select)
    for name, values, style in (("random", line.random, ":"), ("oracle", line.oracle, "--")):
        if values[quality] is not None:
            panel.axhline(values[quality], color="grey", linestyle=style, label=name)
    for mark, name in (("o", "parallel"), ("^", "staged"), ("P", "after warm-up")):
        panel.plot([], [], mark, color="black", label=name)
