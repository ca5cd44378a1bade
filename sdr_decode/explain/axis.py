"""Where the ticks of an axis go."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor, log10


@dataclass(frozen=True, slots=True)
class Axis:
    """A linear axis from 0 to ``top`` (in data units), drawn from ``start`` to ``end`` (pixels),
    with a tick every ``step``."""

    top: float
    step: float
    start: float
    end: float

    def at(self, value: float) -> float:
        """The pixel of a value."""
        return self.start + (self.end - self.start) * value / self.top

    def ticks(self) -> list[tuple[float, str]]:
        """The pixel and the label of each tick."""
        decimals = max(0, -floor(log10(self.step) + 1e-9))
        count = round(self.top / self.step)
        return [
            (self.at(number * self.step), f"{number * self.step:,.{decimals}f}")
            for number in range(count + 1)
        ]


def axis(largest: float, start: float, end: float, *, ticks: int = 6, least: float) -> Axis:
    """An axis that holds 0 to ``largest`` with about ``ticks`` round steps of at least ``least``
    each."""
    rough = max(largest / ticks, least)
    power = 10.0 ** floor(log10(rough))
    step = next(m * power for m in (1, 2, 5, 10) if m * power >= rough * (1 - 1e-9))
    return Axis(max(1, ceil(largest / step - 1e-9)) * step, step, start, end)
