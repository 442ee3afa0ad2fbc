"""Spaces: their properties, and what agents begin with in them."""

from __future__ import annotations

from hamlet.universe import Space, Span
from hamlet.universe.space import axes_of
from hamletc.diagnostics import Finding, Label, Told, finding
from hamletc.intervals import spell
from hamletc.language.spelling import counted

MOST_WRITTEN_OUT = 8
"""The most axes whose names a hint lists."""


def one_per_axis(axes: tuple[str, ...]) -> str:
    """How to write a number for each axis."""
    if len(axes) <= MOST_WRITTEN_OUT:
        return f"Write `({', '.join(axes)})` with numbers."
    return f"Write {len(axes)} numbers in parentheses."


@finding("H151")
class MomentumOfGrid(Finding):
    def told(self) -> Told:
        hint = "Leave it out, or make the space continuous, as in `space continuous (0 .. 10) x (0 .. 10) { ... }`."
        return Told("a grid has no momentum", hint, "agents are on cells, and go from cell to cell")


@finding("H024")
class StartsTwice(Finding):
    map: Span

    def told(self) -> Told:
        hint = "Keep one of them; agents that start by a letter are apart."
        return Told("where agents start is given twice", hint, "", (Label(self.map, "the map says it by a letter"),))


@finding("H033")
class HexagonsTooFew(Finding):
    def told(self) -> Told:
        hint = "Make it longer, or write `space grid` for a line of cells."
        return Told("a grid of hexagons has sides of 2 cells or more", hint)


@finding("H033")
class TooLargeForEuclidean(Finding):
    def told(self) -> Told:
        hint = "Use `manhattan` or `chebyshev`, or a smaller grid."
        return Told("this grid is too large for euclidean distances", hint, "their squares reach 2147483648")


@finding("H033")
class TooManyCells(Finding):
    cells: int
    most: int

    def told(self) -> Told:
        message = f"a grid has at most {self.most} cells, this one {self.cells}"
        return Told(message, "Make a side shorter, or add `{ places stored }`.")


@finding("H143")
class AnotherSizeThanMap(Finding):
    drawn: tuple[int, int]
    sizes: tuple[int, ...]
    map: Span

    def told(self) -> Told:
        (across, down), (width, height) = self.drawn, self.sizes
        hint = "Write `space grid map`, whose size is that of the map."
        message = f"the map has {across} x {down} cells, and the grid {width} x {height}"
        return Told(message, hint, "", (Label(self.map, "the map"),))


@finding("H033")
class NegativeReach(Finding):
    def told(self) -> Told:
        return Told("the reach must be 0 or more", "Write 0 or more.")


@finding("H025")
class NoReach(Finding):
    def told(self) -> Told:
        hint = "Add `reach 1`: how far from an affordance an agent can use it."
        return Told("a continuous space has a `reach`", hint)


@finding("H152")
class VelocityLimit(Finding):
    """A limit of the velocity that is 0 or less, or more than the space allows."""

    limit: float
    longest: float

    def told(self) -> Told:
        if self.limit <= 0:
            return Told("the limit of the velocity must be above 0", "Write a number above 0.")
        return Told("this velocity is far too high for the space", f"Write at most {self.longest:g}.")


@finding("H153")
class SpeedOfMomentum(Finding):
    space: Span

    def told(self) -> Told:
        hint = "Leave it out: with momentum the speed is the length of the velocity."
        secondary = (Label(self.space, "a space with momentum"),)
        return Told("the speed follows from the velocity", hint, "no speed of its own", secondary)


@finding("H153")
class StartBeyondLimit(Finding):
    limit: float
    space: Span

    def told(self) -> Told:
        hint = f"Write {spell(-self.limit)} .. {spell(self.limit)}, or raise `momentum up to`."
        secondary = (Label(self.space, "a space with momentum"),)
        return Told("episodes begin with a velocity beyond its limit", hint, "", secondary)


@finding("H064")
class StartOfZero(Finding):
    def told(self) -> Told:
        return Told("an episode begins with this velocity anyway", "Leave it out, or write other numbers.")


@finding("H055")
class VelocityWithoutSpace(Finding):
    space: Span

    def told(self) -> Told:
        hint = "Leave it out, or declare a space, as in `space grid 8 x 8`."
        return Told("a velocity needs a space", hint, "", (Label(self.space, "no space"),))


@finding("H042")
class VelocityOfOtherDimensions(Finding):
    space: Space
    count: int

    def told(self) -> Told:
        axes = axes_of(self.space)
        message = f"a velocity has {counted(len(axes), 'number')} in this space, not {self.count}"
        return Told(message, one_per_axis(axes), "", (Label(self.space.span, "the space"),))


@finding("H051")
class SpeedTooLarge(Finding):
    def told(self) -> Told:
        hint = "Write smaller numbers, or say the speed, as in `speed 1`."
        return Told("the length of this velocity can overflow", hint)


@finding("H042")
class TooManyDimensions(Finding):
    """A grid, or a continuous space, of no dimension or too many."""

    grid: bool
    count: int
    most: int

    def told(self) -> Told:
        space = "a grid" if self.grid else "a continuous space"
        example = "`space grid 8`, `space grid 8 x 8`, ..." if self.grid else "`space continuous (0 .. 10) x (0 .. 10)`"
        return Told(f"{space} has 1 to {self.most} dimensions, not {self.count}", f"Write {example}.")
