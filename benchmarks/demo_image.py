"""Draw a synthetic picture that looks a little like a frontal chest radiograph.

    python -m benchmarks.demo_image OUT.png

It is made of ellipses, stripes and noise, shows no person and no disease, and says so in the
picture. It gives the demo an image to open where no real one may be shipped.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw
from PIL.PngImagePlugin import PngInfo

SIZE = 1024
LABEL = "SYNTHETIC - NOT A PATIENT"

Plane = NDArray[np.float64]


def draw(seed: int = 0) -> Image.Image:
    """A greyscale picture of ``SIZE`` x ``SIZE`` pixels, the same for the same seed."""
    axis = np.linspace(-1.0, 1.0, SIZE)
    y, x = np.meshgrid(axis, axis, indexing="ij")

    light = 0.62 * inside(x, y, centre=(0.0, 0.25), radii=(0.92, 1.15))
    for side in (-1, 1):
        light -= 0.42 * inside(x, y, centre=(0.40 * side, -0.02), radii=(0.30, 0.62))
        light += 0.10 * inside(x, y, centre=(0.45 * side, 0.75), radii=(0.42, 0.28))
    light += 0.10 * ribs(x, y) * inside(x, y, centre=(0.0, 0.0), radii=(0.78, 0.80))
    light += 0.24 * inside(x, y, centre=(0.10, 0.25), radii=(0.30, 0.30))
    light += 0.14 * inside(x, y, centre=(0.0, 0.0), radii=(0.09, 1.6))
    light += np.random.default_rng(seed).normal(0.0, 0.012, light.shape)

    picture = Image.fromarray((np.clip(light, 0.0, 1.0) * 255).astype(np.uint8))
    ImageDraw.Draw(picture).text((24, 24), LABEL, fill=255, font_size=28)
    return picture


def inside(x: Plane, y: Plane, *, centre: tuple[float, float], radii: tuple[float, float]) -> Plane:
    """1 inside an ellipse and 0 outside, with a soft edge."""
    distance = np.hypot((x - centre[0]) / radii[0], (y - centre[1]) / radii[1])
    edge: Plane = 1.0 / (1.0 + np.exp((distance - 1.0) * 25.0))
    return edge


def ribs(x: Plane, y: Plane) -> Plane:
    """Bright arcs that fall away from the middle, 0 to 1."""
    arcs: Plane = np.clip(np.cos((y - 0.55 * np.abs(x) ** 1.5) * 38.0), 0.0, 1.0)
    return arcs


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit("usage: python -m benchmarks.demo_image OUT.png")
    out = Path(sys.argv[1])
    about = PngInfo()
    about.add_text("Description", LABEL)
    draw().save(out, format="PNG", pnginfo=about)
    print(f"{out}: a synthetic picture of {SIZE} x {SIZE} pixels, not of a patient")


if __name__ == "__main__":
    main()
