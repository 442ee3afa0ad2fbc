"""How far positions, velocities and distances reach in a space."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce

from hamlet.binary32 import round32
from hamlet.schema import axis_names
from hamlet.universe import Continuous, Grid, Metric, NoSpace, Space
from hamletc.checking.intervals import Interval, length


@dataclass(frozen=True, slots=True)
class Extent:
    """Where the quantities of a space lie. `position` has an interval per axis."""

    position: Mapping[str, Interval]
    speed: Interval
    distance: Interval
    straight_distance: Interval

    def velocity(self, axis: str) -> Interval:
        """Where the velocity on this axis lies: from one end of the axis to the other."""
        span = _span(self.position[axis])
        return Interval(-span, span)


def extent(space: Space) -> Extent:
    """The extent of a space."""
    position = _positions(space)
    spans = [_span(interval) for interval in position.values()]
    straight = Interval(0.0, length(spans))
    return Extent(position, straight, farthest(space), straight)


def _positions(space: Space) -> dict[str, Interval]:
    match space:
        case Grid(sizes=sizes):
            return {name: Interval(0.0, size - 1.0) for name, size in zip(axis_names(len(sizes)), sizes, strict=True)}
        case Continuous(axes=axes):
            # `wrap` and `bounce` add to the lower bound at most the size, and round.
            lows = [round32(axis.low) for axis in axes]
            highs = [
                max(round32(axis.high), round32(low + round32(axis.size))) for low, axis in zip(lows, axes, strict=True)
            ]
            ends = [Interval(low, high) for low, high in zip(lows, highs, strict=True)]
            return dict(zip(axis_names(len(axes)), ends, strict=True))
        case NoSpace():
            return {}


def farthest(space: Space) -> Interval:
    """Where the distance between two places lies."""
    match space:
        case Grid():
            return Interval(0.0, _across_cells(space))
        case Continuous(metric=metric):
            return Interval(0.0, _across([_span(interval) for interval in _positions(space).values()], metric))
        case NoSpace():
            return Interval(0.0, 0.0)


def _across_cells(grid: Grid) -> float:
    """The largest distance between two cells."""
    spans = [size // 2 if grid.edges == "wrap" else size - 1 for size in grid.sizes]
    match grid.metric:
        case "manhattan":
            return round32(sum(spans))
        case "chebyshev":
            return round32(max(spans))
        case "euclidean":
            return round32(math.sqrt(round32(sum(span * span for span in spans))))


def _across(spans: list[float], metric: Metric) -> float:
    """The largest distance, each operation rounded; rounding keeps the order of numbers."""
    match metric:
        case "manhattan":
            return reduce(lambda total, span: round32(total + span), spans, 0.0)
        case "chebyshev":
            return max(spans)
        case "euclidean":
            return round32(math.sqrt(reduce(lambda total, span: round32(total + round32(span * span)), spans, 0.0)))


def _span(interval: Interval) -> float:
    return round32(interval.high - interval.low)
