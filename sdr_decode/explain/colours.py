"""The colours of distances: bands that differ in lightness too, so that they survive colour
blindness, a grey print-out and a projector."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf


@dataclass(frozen=True, slots=True)
class Band:
    """Distances up to ``limit`` (included) and above the band before it, with their colours."""

    limit: float
    label: str
    background: str
    text: str


# Light blue for what stands in the corpus word for word, then ColorBrewer's YlOrBr
# (colorbrewer2.org, colour-blind safe); limits double, as most distances are small.
BANDS = (
    Band(0.0, "0: in the corpus", "#deebf7", "#15202b"),
    Band(0.02, "up to 0.02", "#fff3c4", "#15202b"),
    Band(0.04, "up to 0.04", "#fee391", "#15202b"),
    Band(0.08, "up to 0.08", "#fec44f", "#15202b"),
    Band(0.16, "up to 0.16", "#f08a1c", "#15202b"),
    Band(inf, "above 0.16", "#993404", "#ffffff"),
)


def band_of(distance: float) -> int:
    """The number of the band that a distance in [0, 1] falls into."""
    return next(number for number, band in enumerate(BANDS) if distance <= band.limit)
