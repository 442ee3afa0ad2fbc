"""Spaces and the moves in them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import prod
from typing import Literal, TypeAlias

from hamlet.frozen import dataclass
from hamlet.universe.span import Span
from hamlet.universe.terrain import Map

__all__ = ["Axis", "CellMetric", "Continuous", "Edges", "Graph", "Grid", "Metric", "Move", "NoSpace", "Node", "Space"]

Edges: TypeAlias = Literal["clamp", "wrap", "bounce", "sticky"]
Metric: TypeAlias = Literal["manhattan", "euclidean", "chebyshev"]
CellMetric: TypeAlias = Literal["manhattan", "euclidean", "chebyshev", "hexagonal"]
"""Metrics of grids. A hexagonal one has two axes, and its cells have six neighbours: those on the axes, (+1, -1) and
(-1, +1).
"""


@dataclass(frozen=True, slots=True)
class Node:
    """A place of a graph. `leads` has the nodes to which an edge leads from it."""

    name: str
    leads: tuple[str, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Graph:
    """Nodes, and which leads where. Agents begin an episode on the node `start`; `None`: on free ones."""

    nodes: tuple[Node, ...]
    start: str | None
    span: Span

    def number(self, node: str) -> int:
        """The number of a node: that of its cell."""
        return next(number for number, each in enumerate(self.nodes) if each.name == node)

    def steps(self, cell: int) -> tuple[int, ...]:
        """The numbers that moves add to the number of this node: move k leads to node k, or nowhere."""
        leads = self.nodes[cell].leads
        return tuple(number - cell if each.name in leads else 0 for number, each in enumerate(self.nodes))


@dataclass(frozen=True, slots=True)
class Grid:
    """A grid of 1 to 100 axes. Cell (x, y, z) has the index x + width * (y + height * z).

    Attributes:
        metric: "hexagonal" of a grid of hexagons, whose two axes are at 60 degrees: row y begins y / 2 cells further
            right than row 0.
        places: "computed" from the layout of a world, or "stored" as state, where several affordances may share a cell.
        starts: agents begin an episode "apart", on cells of their own, or "anywhere", each by itself.
        map: what is on the ground; only in two dimensions, and on a graph that has regions.
        graph: the cells are its nodes, in one dimension, and a move leads from one to another as it says.
    """

    sizes: tuple[int, ...]
    edges: Edges
    metric: CellMetric
    places: Literal["computed", "stored"]
    starts: Literal["apart", "anywhere"]
    span: Span
    map: Map | None = None
    graph: Graph | None = None


@dataclass(frozen=True, slots=True)
class Axis:
    """Coordinates `low` .. `high`, both included; `size` is their difference in binary64, rounded once."""

    low: float
    high: float
    size: float


@dataclass(frozen=True, slots=True)
class Continuous:
    """A space of 1 to 100 axes with binary32 coordinates. An affordance is used within `reach` of it. Places are
    stored, and agents start anywhere.

    Attributes:
        momentum: the most velocity on each axis, either way, in a space where displacements change the velocity, and
            the velocity the position; `None`: they change the position.
    """

    axes: tuple[Axis, ...]
    reach: float
    edges: Edges
    metric: Metric
    span: Span
    momentum: float | None = None


@dataclass(frozen=True, slots=True)
class NoSpace:
    """No positions and no moves: every affordance is within reach."""

    span: Span


Space: TypeAlias = Grid | Continuous | NoSpace


def axis_names(count: int) -> tuple[str, ...]:
    """The names of `count` axes: x, y, z; x0, x1, ... where there are more than three."""
    return ("x", "y", "z")[:count] if count <= 3 else tuple(f"x{axis}" for axis in range(count))


def axes_of(space: Space) -> tuple[str, ...]:
    """The names of the axes of a space."""
    match space:
        case Grid(sizes=of_space) | Continuous(axes=of_space):
            return axis_names(len(of_space))
        case NoSpace():
            return ()


def letters_of(space: Space) -> Map | None:
    """The map of a space that has one."""
    return space.map if isinstance(space, Grid) else None


def has_momentum(space: Space) -> bool:
    """Whether displacements change the velocity of agents, and that their position."""
    return isinstance(space, Continuous) and space.momentum is not None


def graph_of(space: Space | None) -> Graph | None:
    """The graph that a space is."""
    return space.graph if isinstance(space, Grid) else None


def is_hexagonal(space: Space | None) -> bool:
    """Whether the cells are hexagons."""
    return isinstance(space, Grid) and space.metric == "hexagonal"


def sides(count: int, metric: CellMetric) -> tuple[tuple[int, ...], ...]:
    """Displacements to the cells beside one, a number for each of `count` axes: back and on along each axis, then the
    rest of the metric's. In this order they are summed.
    """
    straight = (tuple(by * (axis == each) for each in range(count)) for axis in range(count) for by in (-1, 1))
    return (*straight, *(((1, -1), (-1, 1)) if metric == "hexagonal" else ()))


def surrounding(space: Grid, radius: int | None) -> Iterator[tuple[int, ...]]:
    """Displacements to the cells around one, that on the first axis changing fastest: `None` to all that touch it, else
    to those at most so far away by the metric of the grid, edges or no edges. The cell itself is none of them."""
    for reverse in product(range(-(radius or 1), (radius or 1) + 1), repeat=len(space.sizes)):
        by = reverse[::-1]
        match space.metric:
            case "hexagonal":
                near = max(*map(abs, by), abs(sum(by))) <= (radius or 1)
            case "manhattan":
                near = radius is None or sum(map(abs, by)) <= radius
            case "euclidean":
                near = radius is None or sum(each * each for each in by) <= radius * radius
            case _:
                near = True
        if near and any(by):
            yield by


def beside(space: Grid) -> int:
    """How many cells are beside one that is not at an edge."""
    return len(sides(len(space.sizes), space.metric))


def count_around(space: Space, radius: int) -> int:
    """The number of cells of a window."""
    return 3 * radius * (radius + 1) + 1 if is_hexagonal(space) else (2 * radius + 1) ** len(axes_of(space))


def around(space: Space, radius: int) -> tuple[tuple[int, ...], ...]:
    """The cells of a window, as seen from its middle, the first axis fastest: of hexagons those at most `radius`
    away."""
    square = product(range(-radius, radius + 1), repeat=len(axes_of(space)))
    offsets = (reverse[::-1] for reverse in square)
    return tuple(each for each in offsets if not is_hexagonal(space) or abs(sum(each)) <= radius)


def cells(grid: Grid) -> int:
    """The number of cells of a grid."""
    return prod(grid.sizes)


@dataclass(frozen=True, slots=True)
class Move:
    """A move of the space: its displacement per axis, whole numbers on a grid. One that goes nowhere is no move to
    what `move` of a meter charges. On a graph move k leads to node k if an edge does, and its displacement is 1."""

    name: str
    by: tuple[float, ...]
