"""What an agent observes: the kinds of observations, and for each its rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Literal, Protocol, TypeAlias

from hamlet.numbers.binary32 import LARGEST
from hamlet.universe.declarations import Affordance, AnyMeter, CellMeter, Cells, Meter, Param, Start, World
from hamlet.universe.expressions import Binary, Expression
from hamlet.universe.quantities import AgentNumber, Number, Truth
from hamlet.universe.space import Continuous, Grid, NoSpace, Space, around, axes_of, cells, count_around, graph_of
from hamlet.universe.span import Span

__all__ = [
    "Encoding",
    "Observation",
    "ObserveBlank",
    "ObserveCell",
    "ObserveCells",
    "ObserveConstant",
    "ObserveGrid",
    "ObserveHere",
    "ObserveLifetime",
    "ObserveMeters",
    "ObserveParams",
    "ObservePosition",
    "ObserveProgress",
    "ObserveRegion",
    "ObserveSpeed",
    "ObserveState",
    "ObserveTime",
    "ObserveVelocity",
    "ObserveWindow",
    "ObserveWorld",
    "Role",
    "is_numbered",
    "state_of",
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
    the agent, x fastest; 0.0 beyond the edges."""

    radius: int | None
    meter: str
    span: Span


@dataclass(frozen=True, slots=True)
class ObserveCell:
    """The values of these meters of cells on the agent's own cell, in this order."""

    meters: tuple[str, ...]
    span: Span


Encoding: TypeAlias = Literal["relative", "absolute", "scaled", "node"]


@dataclass(frozen=True, slots=True)
class ObservePosition:
    """relative: x / (size - 1) per axis; absolute: x per axis; scaled: relative, then the size of each axis; node: 1.0
    for the node of a graph that the agent is on, 0.0 for the others."""

    encoding: Encoding
    span: Span


@dataclass(frozen=True, slots=True)
class ObserveMeters:
    """These meters' values, in this order."""

    meters: tuple[str, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class ObserveHere:
    """One 0/1 per item: the agent stands on that affordance, or on one of those that are its copies (`None`: on none).
    Without words in the source: all affordances in file order, those with copies once, then `None`."""

    affordances: tuple[str | None, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class ObserveTime:
    """These functions of 2 pi hour / hours, in this order, computed in binary64 and rounded once."""

    span: Span
    functions: tuple[Literal["sin", "cos"], ...] = ("sin", "cos")


@dataclass(frozen=True, slots=True)
class ObserveProgress:
    """The ticks spent on the engaged affordance, divided by `per`, or by its duration where `per` is `None`."""

    per: int | None
    span: Span


@dataclass(frozen=True, slots=True)
class ObserveLifetime:
    """age / lifespan, at most 1."""

    span: Span


@dataclass(frozen=True, slots=True)
class ObserveParams:
    """These params' values, in this order."""

    params: tuple[str, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class ObserveWorld:
    """The values of these meters of the world, in this order."""

    meters: tuple[str, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class ObserveState:
    """The values of these states, of the agent or of its world, in this order: a number for each option of those that
    have options, 1 for the one that it is and 0 for the others; of a condition 1 where it holds, else 0."""

    states: tuple[str, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class ObserveVelocity:
    """The velocity on these axes, in this order."""

    axes: tuple[str, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class ObserveSpeed:
    """The length of the velocity."""

    span: Span


@dataclass(frozen=True, slots=True)
class ObserveBlank:
    """So many zeros."""

    count: int
    span: Span


@dataclass(frozen=True, slots=True)
class ObserveConstant:
    """These numbers."""

    values: tuple[float, ...]
    span: Span


Observation: TypeAlias = (
    ObserveGrid
    | ObserveWindow
    | ObserveRegion
    | ObserveCells
    | ObserveCell
    | ObservePosition
    | ObserveMeters
    | ObserveHere
    | ObserveTime
    | ObserveProgress
    | ObserveLifetime
    | ObserveParams
    | ObserveWorld
    | ObserveState
    | ObserveVelocity
    | ObserveSpeed
    | ObserveBlank
    | ObserveConstant
)


@dataclass(frozen=True, slots=True)
class Role:
    """A kind of agents: those with the numbers from `first` on, in every world.

    Attributes:
        agents: how many there are; `None`: all that are left.
        meters, actions: what only they have, by name.
        observations: what they observe behind what all agents do.
    """

    name: str
    first: int
    agents: int | None
    meters: tuple[str, ...]
    actions: tuple[str, ...]
    observations: tuple[Observation, ...]
    span: Span

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
    """What an item of `observe` says of a segment. `elements` names the rows of a kind with a row per element."""

    name: str
    low: float
    high: float
    count: int = 1
    elements: Callable[[], Sequence[str]] | None = None


class Observed(Protocol):
    """What the rows of observations depend on: a universe."""

    @property
    def name(self) -> str: ...

    @property
    def space(self) -> Space: ...

    @property
    def meters(self) -> tuple[Meter, ...]: ...

    @property
    def params(self) -> tuple[Param, ...]: ...

    @property
    def affordances(self) -> tuple[Affordance, ...]: ...

    @property
    def start(self) -> Start | None: ...

    @property
    def world(self) -> World | None: ...

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
        case ObserveCells(radius=reach, meter=meter):
            of_cells, shown = _cell_meters(universe)[meter], _grid(universe).sizes
            seen = [range(size) for size in shown]
            low, high = of_cells.low, of_cells.high
            if reach is None:
                yield Rows(f"grid.{meter}", low, high, math.prod(shown), lambda: _cells(seen))
            else:
                count, low, high = count_around(universe.space, reach), min(low, 0.0), max(high, 0.0)
                yield Rows(f"window.{meter}", low, high, count, partial(_around, universe, reach))
        case ObserveCell(meters=names):
            yield from (_held(f"cell.{name}", state_of(universe, name)) for name in names)
        case ObservePosition(encoding="node"):
            graph = graph_of(universe.space)
            nodes = [] if graph is None else [node.name for node in graph.nodes]
            yield Rows("position", 0, 1, len(nodes), lambda: nodes)
        case ObservePosition(encoding=encoding):
            spans = _axes(universe)
            for axis, low, high in spans:
                yield Rows(f"position.{axis}", *((low, high) if encoding == "absolute" else (0, 1)))
            for axis, size in _sizes(universe).items() if encoding == "scaled" else ():
                yield Rows(f"size.{axis}", size, size)
        case ObserveMeters(meters=names):
            meters = {meter.name: meter for meter in universe.meters}
            yield from (Rows(f"meter.{name}", meters[name].low, meters[name].high) for name in names)
        case ObserveHere(affordances=affordances):
            # In backticks an affordance may be called `nothing` too.
            nothing = "nothing" if "nothing" not in affordances else "nothing#2"
            here = [nothing if name is None else name for name in affordances]
            yield Rows("here", 0, 1, len(here), lambda: here)
        case ObserveTime(functions=functions):
            yield from (Rows(f"time.{function}", -1, 1) for function in functions)
        case ObserveProgress(per=per):
            # An affordance that lasts for ever has no longest use; it counts as none.
            ticks = max(affordance.duration or 0 for affordance in universe.affordances)
            yield Rows("progress", 0, 1 if per is None else max(1.0, ticks / per))
        case ObserveLifetime():
            yield Rows("lifetime", 0, 1)
        case ObserveParams(params=names):
            params = {param.name: param for param in universe.params}
            yield from (Rows(f"param.{name}", params[name].low, params[name].high) for name in names)
        case ObserveWorld(meters=names):
            declared = () if universe.world is None else universe.world.meters
            of_world = {meter.name: meter for meter in declared}
            yield from (Rows(f"world.{name}", of_world[name].low, of_world[name].high) for name in names)
        case ObserveState(states=names):
            yield from (_held(f"state.{name}", state_of(universe, name)) for name in names)
        case ObserveVelocity(axes=names):
            sizes, start = _fastest(universe), universe.start
            begins = dict(zip(sizes, start.velocity if start else (0.0,) * len(sizes), strict=True))
            for name in names:
                yield Rows(f"velocity.{name}", min(-sizes[name], begins[name]), max(sizes[name], begins[name]))
        case ObserveSpeed():
            longest, begin, start = math.hypot(*_fastest(universe).values()), 0.0, universe.start
            if start is not None:
                begin = math.hypot(*start.velocity) if start.speed is None else start.speed
            yield Rows("speed", min(0.0, begin), min(max(longest, begin), LARGEST))
        case ObserveBlank(count=count):
            yield Rows("blank", 0, 0, count, lambda: [str(number) for number in range(count)])
        case ObserveConstant(values=values):
            numbers = [str(number) for number in range(len(values))]
            yield Rows("constant", min(values), max(values), len(values), lambda: numbers)


def state_of(universe: Observed, name: str) -> AnyMeter:
    """The meter or state of an agent, of its world, or of cells, that has this name."""
    of_world = () if universe.world is None else universe.world.meters
    known: tuple[AnyMeter, ...] = (*universe.meters, *of_world, *_cell_meters(universe).values())
    return next(each for each in known if each.name == name)


def _held(name: str, state: AnyMeter) -> Rows:
    """What a state holds: a number, or which one of its options."""
    options = () if state.type is None else state.type.options
    return Rows(name, 0, 1, len(options), lambda: options) if options else Rows(name, state.low, state.high)


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


def _axes(universe: Observed) -> list[tuple[str, float, float]]:
    """The name, the least and the greatest coordinate of each axis."""
    match universe.space:
        case Grid(sizes=sizes):
            ends: list[tuple[float, float]] = [(0.0, size - 1.0) for size in sizes]
        case Continuous(axes=of_space):
            ends = [(axis.low, axis.high) for axis in of_space]
        case NoSpace():
            ends = []
    return [(axis, low, high) for axis, (low, high) in zip(axes_of(universe.space), ends, strict=True)]


def _fastest(universe: Observed) -> dict[str, float]:
    """The most velocity on each axis by name: with momentum its limit, else from one end to the other."""
    sizes, space = _sizes(universe), universe.space
    limit = space.momentum if isinstance(space, Continuous) else None
    return sizes if limit is None else dict.fromkeys(sizes, limit)


def _sizes(universe: Observed) -> dict[str, float]:
    """The size of each axis by name."""
    match universe.space:
        case Grid(sizes=sizes):
            of_axes = [float(size) for size in sizes]
        case Continuous(axes=of_space):
            of_axes = [axis.size for axis in of_space]
        case NoSpace():
            of_axes = []
    return dict(zip(axes_of(universe.space), of_axes, strict=True))
