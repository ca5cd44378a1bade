"""Pixels as vision-language models take them: upright, 8 bits, no larger than asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from PIL.Image import Image

GREY_MODES = ("1", "L", "LA", "La")


def upright(picture: Image) -> Image:
    """The picture with its EXIF orientation applied."""
    from PIL import ImageOps  # noqa: PLC0415

    return ImageOps.exif_transpose(picture)


def eight_bit(picture: Image) -> Image:
    """The pixels alone, in mode ``L`` (grey) or ``RGB``.

    Greys of more than 8 bits are scaled from [0, 2**b - 1], where b, at least 8, is the number of
    bits that the brightest pixel needs: X-ray detectors give 10 to 14 bits in a 16-bit file, which
    would come out almost black if all 16 counted. Transparency is laid on black.

    Raises ``ValueError`` for floating-point pixels, whose range nothing tells.
    """
    if picture.mode == "F":
        raise ValueError("its pixels are floating-point numbers; convert them to 8 or 16 bits")
    if picture.mode.startswith("I"):
        return _from_deep_grey(picture)
    grey = picture.mode in GREY_MODES or _has_grey_palette(picture)
    if picture.has_transparency_data:
        picture = _on_black(picture.convert("RGBA"))
    return _pixels_only(picture.convert("L" if grey else "RGB"))


def fitted(picture: Image, side: int) -> Image:
    """The picture scaled so that its longer side is at most ``side`` pixels, keeping its shape."""
    from PIL.Image import Resampling  # noqa: PLC0415

    longer = max(picture.size)
    if longer <= side:
        return picture
    width, height = (max(1, round(length * side / longer)) for length in picture.size)
    return picture.resize((width, height), Resampling.LANCZOS)


def _from_deep_grey(picture: Image) -> Image:
    from PIL.Image import fromarray  # noqa: PLC0415

    values = np.clip(np.asarray(picture).astype(np.int64), 0, None)
    brightest = 2 ** max(8, int(values.max(initial=0)).bit_length()) - 1
    return fromarray(np.rint(values * (255 / brightest)).astype(np.uint8))


def _has_grey_palette(picture: Image) -> bool:
    if picture.mode != "P":
        return False
    colours = np.asarray(picture.convert("RGB"))
    return bool((colours == colours[..., :1]).all())


def _on_black(picture: Image) -> Image:
    from PIL.Image import new  # noqa: PLC0415

    black = new("RGB", picture.size)
    black.paste(picture.convert("RGB"), mask=picture.getchannel("A"))
    return black


def _pixels_only(picture: Image) -> Image:
    from PIL.Image import new  # noqa: PLC0415

    fresh = new(picture.mode, picture.size)
    fresh.paste(picture)
    return fresh
