"""Spaces and the moves in them."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Literal, TypeAlias

from hamlet.universe.span import Span
from hamlet.universe.terrain import Map

__all__ = ["Axis", "Continuous", "Edges", "Grid", "Metric", "Move", "NoSpace", "Space"]

Edges: TypeAlias = Literal["clamp", "wrap", "bounce", "sticky"]
Metric: TypeAlias = Literal["manhattan", "euclidean", "chebyshev"]


@dataclass(frozen=True, slots=True)
class Grid:
    """A grid of 1 to 100 axes. Cell (x, y, z) has the index x + width * (y + height * z).

    Attributes:
        places: "computed" from the layout of a world, or "stored" as state, where several affordances may share a cell.
        starts: agents begin an episode "apart", on cells of their own, or "anywhere", each by itself.
        map: what is on the ground; only in two dimensions.
    """

    sizes: tuple[int, ...]
    edges: Edges
    metric: Metric
    places: Literal["computed", "stored"]
    starts: Literal["apart", "anywhere"]
    span: Span
    map: Map | None = None


@dataclass(frozen=True, slots=True)
class Axis:
    """Coordinates `low` .. `high`, both included; `size` is their difference in binary64, rounded once."""

    low: float
    high: float
    size: float


@dataclass(frozen=True, slots=True)
class Continuous:
    """A space of 1 to 100 axes with binary32 coordinates. An affordance is used within `reach` of it. Places are
    stored, and agents start anywhere."""

    axes: tuple[Axis, ...]
    reach: float
    edges: Edges
    metric: Metric
    span: Span


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


def cells(grid: Grid) -> int:
    """The number of cells of a grid."""
    return prod(grid.sizes)


@dataclass(frozen=True, slots=True)
class Move:
    """A move of the space: its displacement per axis, whole numbers on a grid. One that goes nowhere is no move to
    what `move` of a meter charges."""

    name: str
    by: tuple[float, ...]
