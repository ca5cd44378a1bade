"""The race of running distances over output tokens, as the geometry of an SVG picture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sdr_decode.explain.axis import Axis, axis
from sdr_decode.explain.story import CandidateStory, Form

WIDTH, HEIGHT = 960, 400
LEFT, RIGHT, TOP, BOTTOM = 70, 930, 34, 350
LABEL_WIDTH, LABEL_HEIGHT = 22.0, 16.0
"""The room that a line's label needs, in pixels."""

ABOVE = 14.0
"""From the end of a line to the middle of its label, in pixels."""

# Paul Tol's "muted" scheme for colour-blind readers, without its light colours
# (personal.sron.nl/~pault).
LINE_COLOURS = ("#882255", "#44AA99", "#332288", "#999933", "#CC6677", "#117733", "#AA4499")
WINNER_COLOUR = "#0a5ca8"


@dataclass(frozen=True, slots=True)
class Line:
    """One candidate's running distance: a step where a sentence closes, flat in between.

    ``path`` is SVG path data, ``lead`` that of the way to the first closing, before which there is
    no distance; ``dots`` are the closings, ``end`` is where it ended, ``label`` where the
    middle of its number stands (pixels).
    """

    story: CandidateStory
    colour: str
    lead: str
    path: str
    dots: tuple[tuple[float, float], ...]
    end: tuple[float, float]
    label: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Race:
    """The picture. ``lines`` are in drawing order, the winner last and so on top; ``absent`` are
    the candidates of which no sentence closed."""

    form: Form
    x: Axis
    y: Axis
    lines: tuple[Line, ...]
    absent: tuple[int, ...]


def race_of(told: Sequence[CandidateStory], form: Form) -> Race:
    """Lay out the race of these candidates by one form of running distance."""
    racing = [story for story in told if story.steps]
    distances = [value for story in racing for value in _distances(story, form)]
    x = axis(max(map(_end, racing), default=1), LEFT, RIGHT - LABEL_WIDTH, ticks=8, least=1)
    y = axis(max(distances, default=0.0), BOTTOM, TOP, least=0.002)
    labels = _Labels()
    lines = []
    for story in racing:  # the winner first: its label has the first choice of places
        dots = _dots(story, form, x, y)
        end = (x.at(_end(story)), dots[-1][1])
        colour = LINE_COLOURS[story.number % len(LINE_COLOURS)]
        lines.append(
            Line(
                story,
                WINNER_COLOUR if story.winner else colour,
                f"M{x.start:.1f} {dots[0][1]:.1f}H{dots[0][0]:.1f}",
                "".join(_path(dots, end)),
                dots,
                end,
                labels.place(*end),
            )
        )
    absent = tuple(story.number for story in told if not story.steps)
    return Race(form, x, y, tuple(reversed(lines)), absent)


def _distances(story: CandidateStory, form: Form) -> list[float]:
    return [step.chamfer if form == "chamfer" else step.hausdorff for step in story.steps]


def _end(story: CandidateStory) -> int:
    last = max(step.sentence.tokens for step in story.steps)
    return last if story.end is None else max(last, story.end)


def _dots(story: CandidateStory, form: Form, x: Axis, y: Axis) -> tuple[tuple[float, float], ...]:
    tokens = (step.sentence.tokens for step in story.steps)
    distances = _distances(story, form)
    return tuple((x.at(t), y.at(d)) for t, d in zip(tokens, distances, strict=True))


def _path(dots: Sequence[tuple[float, float]], end: tuple[float, float]) -> Iterator[str]:
    yield f"M{dots[0][0]:.1f} {dots[0][1]:.1f}"
    for across, down in dots[1:]:
        yield f"H{across:.1f}V{down:.1f}"
    yield f"H{end[0]:.1f}"


class _Labels:
    """Places labels above the ends of lines, or farther off where another one stands."""

    def __init__(self) -> None:
        self._taken: list[tuple[float, float]] = []

    def place(self, across: float, down: float) -> tuple[float, float]:
        found = next(
            (place for place in _places(across, down) if not self._meets(*place)), (across, down)
        )
        self._taken.append(found)
        return found

    def _meets(self, across: float, down: float) -> bool:
        return any(
            abs(across - other) < LABEL_WIDTH and abs(down - beside) < LABEL_HEIGHT - 0.01
            for other, beside in self._taken
        )


def _places(across: float, down: float) -> Iterator[tuple[float, float]]:
    """Places for the label of a line that ends there, the best first."""
    rows = range(round((BOTTOM - TOP) / LABEL_HEIGHT) + 1)
    heights = [down - ABOVE - row * LABEL_HEIGHT for row in rows]
    heights += [down + ABOVE + row * LABEL_HEIGHT for row in rows]
    heights = [height for height in heights if LABEL_HEIGHT / 2 <= height <= BOTTOM]
    for shift in range(8):
        for side in (across - shift * LABEL_WIDTH, across + shift * LABEL_WIDTH):
            if LEFT <= side <= RIGHT:
                yield from ((side, height) for height in heights)
