"""Observations of an agent: their kinds, and for each its rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import product
from typing import Literal, Protocol, TypeAlias

from hamlet.frozen import dataclass
from hamlet.universe.declarations import Cells
from hamlet.universe.expressions import Binary, Expression
from hamlet.universe.meters import CellMeter
from hamlet.universe.quantities import AgentNumber, Number, Truth
from hamlet.universe.space import Grid, Space, around, cells, count_around, is_hexagonal
from hamlet.universe.span import Span
from hamlet.universe.views import ObserveView

__all__ = [
    "Observation",
    "ObserveBlank",
    "ObserveCells",
    "ObserveConstant",
    "ObserveGrid",
    "ObserveHere",
    "ObserveHot",
    "ObserveOneHot",
    "ObservePairs",
    "ObserveRegion",
    "ObserveValue",
    "ObserveView",
    "ObserveWindow",
    "ObservedGroup",
    "Role",
    "is_numbered",
]


@dataclass(frozen=True, slots=True)
class ObserveGrid:
    """Every cell by index: 1.0 where an affordance is, plus 1.0 at the agent's own cell."""

    span: Span


@dataclass(frozen=True, slots=True)
class ObserveWindow:
    """The (2 radius + 1)^D cells around the agent, x fastest: 1.0 where an affordance is; 0.0 beyond the edges, and
    with `within` where walls hide the cell."""

    radius: int
    span: Span
    within: Literal["sight"] | None = None


@dataclass(frozen=True, slots=True)
class ObserveRegion:
    """1.0 on cells of a region of the map (`None`: on walls), else 0.0: of every cell by index, or with a `radius` of
    the (2 radius + 1)^2 cells around the agent, x fastest. Beyond the edges there is no region; there are walls, but
    none where edges wrap. With `within` it is 0.0 where walls hide the cell."""

    radius: int | None
    region: str | None
    span: Span
    within: Literal["sight"] | None = None


@dataclass(frozen=True, slots=True)
class ObserveCells:
    """The values of a meter of cells: of every cell by index, or with a `radius` of the (2 radius + 1)^D cells around
    the agent, x fastest; 0.0 beyond the edges. With `only` it is 1.0 where the meter is that number, else 0.0. `called`
    names the rows in the place of the meter."""

    radius: int | None
    meter: str
    span: Span
    only: int | None = None
    called: str | None = None


@dataclass(frozen=True, slots=True)
class ObserveHere:
    """One 0/1 per item: the agent stands on that affordance, or on one of those that are its copies (`None`: on none).
    Without words in the source: all affordances in file order, those with copies once, then `None`."""

    affordances: tuple[str | None, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class ObserveValue:
    """The value of an expression between two ticks, as one number.

    Attributes:
        name: that of the row.
        low, high: where the value lies by the bounds that an author gave, or by proof. Values that leave them are
            observed as they are, but as bytes.
    """

    name: str
    value: Expression
    low: float
    high: float
    span: Span


@dataclass(frozen=True, slots=True)
class ObserveOneHot:
    """A number for each option: 1 for the one whose number, from 0 on, an expression is, and 0 for the others."""

    name: str
    value: Expression
    options: tuple[str, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class ObserveHot:
    """A number for each whole number in `low` .. `high`: 1 for the one that an expression is between two ticks, and 0
    for the others.

    Attributes:
        name: that of the rows.
        low, high: where the value lies by proof; whole numbers.
    """

    name: str
    value: Expression
    low: float
    high: float
    span: Span

    @property
    def values(self) -> range:
        """The numbers that have a row, in order."""
        return range(int(self.low), int(self.high) + 1)


@dataclass(frozen=True, slots=True)
class ObservePairs:
    """A state of pairs: a number about each of the `agents` of the world, by their numbers, itself among them. `low`
    and `high` are the bounds of the state."""

    meter: str
    agents: int
    low: float
    high: float
    span: Span


@dataclass(frozen=True, slots=True)
class ObserveBlank:
    """So many zeros."""

    count: int
    span: Span


@dataclass(frozen=True, slots=True)
class ObserveConstant:
    """Constant numbers."""

    values: tuple[float, ...]
    span: Span


Observation: TypeAlias = (
    ObserveGrid
    | ObserveWindow
    | ObserveRegion
    | ObserveCells
    | ObserveView
    | ObserveHere
    | ObserveValue
    | ObserveOneHot
    | ObserveHot
    | ObservePairs
    | ObserveBlank
    | ObserveConstant
)


IMAGE_AXES = ("channels", "height", "width")
"""The axes of an image, in the order in which its values are observed."""


@dataclass(frozen=True, slots=True)
class ObservedGroup:
    """Observations that stand next to each other, under a name by which they are handed out together.

    Attributes:
        form: `values` are a row of numbers; the items of an `image` are its channels, all of one height and width;
            `discrete` is the one item, a whole number; so is that of a `text`, and chooses it, or there is none.
        items: how many observations it has, from where the group before it ends.
        numbers: they are handed out as whole numbers, which they are: as integers, as `discrete` ones, or as a `tuple`
            of such.
        axes: in which order an image has its axes, where its author says so.
        texts: of a `text`, one for each value of the number, from the least one on; without a number the only one.
    """

    name: str
    form: Literal["values", "image", "discrete", "text"]
    items: int
    span: Span
    numbers: Literal["int", "discrete", "tuple"] | None = None
    axes: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Role:
    """A kind of agents: those with the numbers from `first` on, in every world.

    Attributes:
        agents: how many there are; `None`: all that are left.
        meters, actions: what only they have, by name.
        observations: what they observe behind what all agents do.
        groups: the groups of these observations, all of them in one; empty: none is in a group.
    """

    name: str
    first: int
    agents: int | None
    meters: tuple[str, ...]
    actions: tuple[str, ...]
    observations: tuple[Observation, ...]
    span: Span
    groups: tuple[ObservedGroup, ...] = ()

    @property
    def belongs(self) -> Expression:
        """The condition that an agent is of this role."""
        return is_numbered(self.first, self.agents, self.span)


def is_numbered(first: int, agents: int | None, span: Span) -> Expression:
    """The condition that the number of an agent is one of so many from `first` on; `None`: of all from there on."""
    number = AgentNumber(span)
    since = Binary(">=", number, Number(float(first), span), span)
    if agents is None:
        return since if first else Truth(True, span)
    before = Binary("<", number, Number(float(first + agents), span), span)
    return Binary("and", since, before, span) if first else before


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of an item of `observe`, which become a segment. `elements` names the rows of a kind with a row per
    element.
    """

    name: str
    low: float
    high: float
    count: int = 1
    elements: Callable[[], Sequence[str]] | None = None


class Observed(Protocol):
    """The parts of a universe on which the rows of observations depend."""

    @property
    def name(self) -> str: ...

    @property
    def space(self) -> Space: ...

    @property
    def cells(self) -> Cells | None: ...


def rows_of(item: Observation, universe: Observed) -> Iterator[Rows]:
    """The segments of one item, in order: the one place that knows what a kind of observation looks like."""
    match item:
        case ObserveGrid():
            grid = _grid(universe)
            yield Rows("grid", 0, 2, cells(grid), lambda: _cells(map(range, grid.sizes)))
        case ObserveWindow(radius=radius):
            yield Rows("window", 0, 1, count_around(universe.space, radius), partial(_around, universe, radius))
        case ObserveRegion(radius=reach, region=region):
            shown, kind = _grid(universe).sizes, "grid" if reach is None else "window"
            name, seen = f"{kind}.{region or 'wall'}", [range(size) for size in shown]
            if reach is None:
                yield Rows(name, 0, 1, math.prod(shown), lambda: _cells(seen))
            else:
                yield Rows(name, 0, 1, count_around(universe.space, reach), partial(_around, universe, reach))
        case ObserveCells(radius=reach, meter=meter, only=only, called=alias):
            of_cells, shown = _cell_meters(universe)[meter], _grid(universe).sizes
            seen = [range(size) for size in shown]
            low, high, called = of_cells.low, of_cells.high, alias or meter
            if only is not None:
                options = () if of_cells.type is None else of_cells.type.options
                low, high, called = 0.0, 1.0, f"{meter}={options[only] if options else only}"
            if reach is None:
                yield Rows(f"grid.{called}", low, high, math.prod(shown), lambda: _cells(seen))
            else:
                count, low, high = count_around(universe.space, reach), min(low, 0.0), max(high, 0.0)
                yield Rows(f"window.{called}", low, high, count, partial(_around, universe, reach))
        case ObserveView(name=name, low=low, high=high):
            lines = [f"{right},{-ahead}" for right, ahead in item.places]
            sides = [range(size) for size in _grid(universe).sizes]
            yield Rows(name, low, high, len(lines), (lambda: _cells(sides)) if item.whole else (lambda: lines))
        case ObserveHere(affordances=affordances):
            # In backticks an affordance may be called `nothing` too.
            nothing = "nothing" if "nothing" not in affordances else "nothing#2"
            here = [nothing if name is None else name for name in affordances]
            yield Rows("here", 0, 1, len(here), lambda: here)
        case ObserveValue(name=name, low=low, high=high):
            yield Rows(name, low, high)
        case ObserveOneHot(name=name, options=options):
            yield Rows(name, 0, 1, len(options), lambda: options)
        case ObserveHot(name=name, values=values):
            yield Rows(name, 0, 1, len(values), lambda: [str(number) for number in values])
        case ObservePairs(meter=meter, agents=agents, low=low, high=high):
            yield Rows(f"state.{meter}", low, high, agents, lambda: [str(number) for number in range(agents)])
        case ObserveBlank(count=count):
            yield Rows("blank", 0, 0, count, lambda: [str(number) for number in range(count)])
        case ObserveConstant(values=values):
            numbers = [str(number) for number in range(len(values))]
            yield Rows("constant", min(values), max(values), len(values), lambda: numbers)


def plane_of(item: Observation, space: Space) -> tuple[int, int] | None:
    """The height and the width of an item whose rows are cells of a rectangle, x fastest; `None` of any other."""
    match item:
        case ObserveView(whole=False):
            return None if item.hexagonal else (item.height, item.width)
        case ObserveGrid() | ObserveView():
            radius = None
        case ObserveWindow(radius=radius) | ObserveRegion(radius=radius) | ObserveCells(radius=radius):
            pass
        case _:
            return None
    if not isinstance(space, Grid) or len(space.sizes) != 2 or (radius is not None and is_hexagonal(space)):
        return None
    width, height = space.sizes if radius is None else (2 * radius + 1, 2 * radius + 1)
    return height, width


def _cell_meters(universe: Observed) -> dict[str, CellMeter]:
    return {} if universe.cells is None else {meter.name: meter for meter in universe.cells.meters}


def _cells(sides: Iterable[range]) -> list[str]:
    """Cells by their coordinates, the first axis fastest."""
    return [",".join(map(str, reverse[::-1])) for reverse in product(*reversed(list(sides)))]


def _around(universe: Observed, radius: int) -> list[str]:
    """The cells of a window."""
    return [",".join(map(str, offset)) for offset in around(universe.space, radius)]


def _grid(universe: Observed) -> Grid:
    if not isinstance(universe.space, Grid):
        raise ValueError(f"universe {universe.name} observes a grid and has none")
    return universe.space
