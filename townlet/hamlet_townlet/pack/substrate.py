"""substrate.yaml: the space."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from hamlet.universe import Span
from hamlet_townlet.pack.spanned import Spanned

Boundary: TypeAlias = Literal["clamp", "wrap", "bounce", "sticky"]
Metric: TypeAlias = Literal["manhattan", "euclidean", "chebyshev"]
Encoding: TypeAlias = Literal["relative", "scaled", "absolute"]


@dataclass(frozen=True, slots=True)
class Grid:
    """Cells: 2 sizes (width, height, equal), 3 (width, height, depth; `type: grid`) or 4 to 100 (`type: gridnd`)."""

    sizes: tuple[Spanned[int], ...]
    boundary: Spanned[Boundary]
    encoding: Spanned[Encoding]
    span: Span


@dataclass(frozen=True, slots=True)
class Discretization:
    """Directions and magnitudes (standing still is the first) of the moves in a plane."""

    directions: Spanned[int]
    magnitudes: Spanned[int]
    span: Span


@dataclass(frozen=True, slots=True)
class Continuous:
    """Float positions on 1 to 100 axes, each with its lowest and highest coordinate. Only 2 axes are discretized."""

    bounds: tuple[tuple[Spanned[float], Spanned[float]], ...]
    boundary: Spanned[Boundary]
    movement_delta: Spanned[float]
    interaction_radius: Spanned[float]
    metric: Spanned[Metric]
    encoding: Spanned[Encoding]
    discretization: Discretization | None
    span: Span


@dataclass(frozen=True, slots=True)
class Aspatial:
    """No positions."""

    span: Span


Substrate: TypeAlias = Grid | Continuous | Aspatial


def substrate_axes(substrate: Substrate) -> int:
    """How many coordinates a position has."""
    match substrate:
        case Grid(sizes=axes) | Continuous(bounds=axes):
            return len(axes)
        case Aspatial():
            return 0
