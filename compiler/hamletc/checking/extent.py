"""How far positions, velocities and distances reach in a space."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce

from hamlet.numbers.binary32 import round32
from hamlet.schema import axis_names
from hamlet.universe import Continuous, Grid, Metric, NoSpace, Space, Start
from hamletc.checking.intervals import Interval, hull, length


@dataclass(frozen=True, slots=True)
class Extent:
    """Where the quantities of a space lie. `position` has an interval per axis."""

    position: Mapping[str, Interval]
    speed: Interval
    distance: Interval
    straight_distance: Interval
    velocities: Mapping[str, Interval]

    def velocity(self, axis: str) -> Interval:
        """Where the velocity on this axis lies: from one end of the axis to the other, or what episodes begin with."""
        return self.velocities[axis]


def extent(space: Space, start: Start | None = None) -> Extent:
    """The extent of a space in which episodes begin like this."""
    position = _positions(space)
    spans = [_span(interval) for interval in position.values()]
    straight = speed = Interval(0.0, length(spans))
    velocities = {name: Interval(-span, span) for name, span in zip(position, spans, strict=True)}
    if start is not None:
        begins = [round32(begin) for begin in start.velocity]
        begin = first_speed(start)
        speed = speed if begin is None else hull(speed, Interval(begin, begin))
        for name, part in zip(position, begins, strict=True):
            velocities[name] = hull(velocities[name], Interval(part, part))
    return Extent(position, speed, farthest(space), straight, velocities)


def first_speed(start: Start) -> float | None:
    """The speed that episodes begin with, or a little more; `None` where it is beyond binary32."""
    if start.speed is not None:
        return round32(start.speed)
    try:
        return length([abs(round32(part)) for part in start.velocity])
    except OverflowError:
        return None


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
