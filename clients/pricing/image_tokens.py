"""How many input tokens an image costs: one class for each way in which providers count.

The numbers of a model stand in the facts file; the formulas stand here.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from decimal import ROUND_CEILING, Decimal
from fractions import Fraction
from math import ceil, floor, sqrt
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, PositiveInt

from clients.pricing.errors import PricingError

AUTO, HIGH, LOW = "auto", "high", "low"


class ImageFormula(BaseModel, ABC):
    """Counts the tokens of one image.

    ``detail`` is the provider's setting: ``low``, ``high`` and the like. ``auto`` is ``high``
    unless the formula knows better.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    @property
    @abstractmethod
    def details(self) -> tuple[str, ...]:
        """The settings of detail that change the count; empty when there are none."""

    @abstractmethod
    def count(self, width: int, height: int, detail: str) -> int: ...

    def tokens(self, width: int, height: int, detail: str = AUTO) -> int:
        """The tokens of an image of ``width`` x ``height`` pixels.

        Raises ``PricingError`` for a size below 1 pixel and for an unknown ``detail``.
        """
        if width < 1 or height < 1:
            raise PricingError(f"found an image of {width}x{height}; expected at least 1x1 pixels")
        known = self.details
        if known and detail not in known:
            if detail != AUTO:
                raise PricingError(
                    f"found the detail {detail!r}; this model knows {', '.join(known)}"
                )
            detail = HIGH
        return self.count(width, height, detail)


class Tiles(ImageFormula):
    """OpenAI, tile-based: fit into a square, bring the shortest side down to 768 pixels, count
    tiles of 512 pixels; ``base`` for the image and ``tile`` for each tile. Low detail is ``base``.
    """

    kind: Literal["tiles"]
    base: PositiveInt
    tile: PositiveInt
    square: PositiveInt = 2048
    shortest: PositiveInt = 768
    edge: PositiveInt = 512

    @property
    def details(self) -> tuple[str, ...]:
        return (LOW, HIGH)

    def count(self, width: int, height: int, detail: str) -> int:
        if detail == LOW:
            return self.base
        # Smaller images are not enlarged: exact fractions keep 768 from becoming 768.0000001.
        scale = min(Fraction(1), Fraction(self.square, max(width, height)))
        scale *= min(Fraction(1), self.shortest / (scale * min(width, height)))
        tiles = ceil(width * scale / self.edge) * ceil(height * scale / self.edge)
        return self.base + tiles * self.tile


class PatchLimit(BaseModel):
    """The largest image that is sent as it is: in patches, and in pixels of its longest side."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    patches: PositiveInt | None = None
    side: PositiveInt | None = None


class Patches(ImageFormula):
    """OpenAI, patch-based: the patches of 32 pixels that cover the image, after shrinking it to
    the limit of its detail, times a multiplier, rounded up."""

    kind: Literal["patches"]
    multiplier: Annotated[Decimal, Field(gt=0)]
    limits: Annotated[dict[str, PatchLimit], Field(alias="details", min_length=1)]
    patch: PositiveInt = 32

    @property
    def details(self) -> tuple[str, ...]:
        return tuple(self.limits)

    def count(self, width: int, height: int, detail: str) -> int:
        limit = self.limits[detail]
        if limit.side is not None and max(width, height) > limit.side:
            longest = max(width, height)
            width, height = (max(1, side * limit.side // longest) for side in (width, height))
        patches = self._cover(width, height)
        if limit.patches is not None and patches > limit.patches:
            patches = min(self._cover(*self._shrink(width, height, limit.patches)), limit.patches)
        return int((patches * self.multiplier).to_integral_value(ROUND_CEILING))

    def _cover(self, width: int, height: int) -> int:
        return -(-width // self.patch) * -(-height // self.patch)

    def _shrink(self, width: int, height: int, budget: int) -> tuple[int, int]:
        shrink = sqrt(self.patch**2 * budget / (width * height))
        across, down = width * shrink / self.patch, height * shrink / self.patch
        # An extreme shape would round its shorter side down to nothing.
        shrink *= min(max(1, floor(across)) / across, max(1, floor(down)) / down)
        # The scale was chosen so that a side is a whole number of patches; 1e-6 keeps rounding
        # errors from taking a pixel off it.
        return max(1, floor(width * shrink + 1e-6)), max(1, floor(height * shrink + 1e-6))


class Crops(ImageFormula):
    """Gemini before 3: small images are one crop; others are cut into squares whose edge is the
    shorter side over 1.5, within bounds. ``fixed`` gives the settings that do not look at the
    size."""

    kind: Literal["crops"]
    crop: PositiveInt
    small: PositiveInt = 384
    smallest: PositiveInt = 256
    largest: PositiveInt = 768
    longest: PositiveInt = 3072
    fixed: dict[str, PositiveInt] = {}

    @property
    def details(self) -> tuple[str, ...]:
        return (*self.fixed, HIGH)

    def count(self, width: int, height: int, detail: str) -> int:
        if detail in self.fixed:
            return self.fixed[detail]
        if max(width, height) <= self.small:
            return self.crop
        scale = min(Fraction(1), Fraction(self.longest, max(width, height)))
        across, down = width * scale, height * scale
        edge = min(across, down) / Fraction(3, 2)
        edge = min(max(edge, Fraction(self.smallest)), Fraction(self.largest))
        return ceil(across / edge) * ceil(down / edge) * self.crop


class Rows(ImageFormula):
    """Mistral: a grid of cells, and one token that ends each row."""

    kind: Literal["rows"]
    cell: PositiveInt
    side: PositiveInt

    @property
    def details(self) -> tuple[str, ...]:
        return ()

    def count(self, width: int, height: int, detail: str) -> int:
        if (longest := max(width, height)) > self.side:
            width, height = (max(1, round(side * self.side / longest)) for side in (width, height))
        across, down = -(-width // self.cell), -(-height // self.cell)
        return (across + 1) * down


class Fixed(ImageFormula):
    """The same count for every image, by detail."""

    kind: Literal["fixed"]
    by_detail: Annotated[dict[str, PositiveInt], Field(alias="tokens", min_length=1)]

    @property
    def details(self) -> tuple[str, ...]:
        return tuple(self.by_detail)

    def count(self, width: int, height: int, detail: str) -> int:
        return self.by_detail[detail]


AnyFormula = Annotated[Tiles | Patches | Crops | Rows | Fixed, Field(discriminator="kind")]
