"""The colours of distances can be told apart and read, also without colour."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from sdr_decode.explain.colours import BANDS, band_of


def luminance(colour: str) -> float:
    """Relative luminance as WCAG 2.2 defines it, in [0, 1]."""
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_text_on_every_band_is_readable() -> None:
    # 4.5 is what WCAG 2.2 asks for at level AA.
    assert all(contrast(band.text, band.background) >= 4.5 for band in BANDS)


def test_distances_darken_as_they_grow() -> None:
    # The first, for what stands in the corpus, is told by its hue.
    lightness = [luminance(band.background) for band in BANDS[1:]]
    assert all(far < 0.9 * near for near, far in pairwise(lightness))
    red, _, blue = (int(BANDS[0].background[at : at + 2], 16) for at in (1, 3, 5))
    assert blue > red


@given(st.floats(0.0, 1.0))
def test_a_distance_falls_into_the_band_that_holds_it(distance: float) -> None:
    number = band_of(distance)
    assert distance <= BANDS[number].limit
    assert number == 0 or distance > BANDS[number - 1].limit


def test_only_what_stands_in_the_corpus_has_the_first_colour() -> None:
    assert band_of(0.0) == 0
    assert band_of(5e-324) == 1
