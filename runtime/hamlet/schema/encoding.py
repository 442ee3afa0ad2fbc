"""Observations as bytes: where the values of each segment lie, and what 0 .. 255 stand for.

A segment's values lie in low .. high. The byte of a value v is the integer nearest to (v - low) * scale, ties to even,
after that was limited to 0 .. 255; scale = 255 / (high - low), rounded once, and the difference and the product are
rounded to binary32. A byte b stands for low + b * (high - low) / 255. Where high = low every byte is 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from hamlet import schema
from hamlet.numbers.binary32 import LARGEST, round32
from hamlet.universe import (
    Continuous,
    Grid,
    NoSpace,
    Observation,
    ObserveBlank,
    ObserveConstant,
    ObserveGrid,
    ObserveHere,
    ObserveLifetime,
    ObserveMeters,
    ObserveParams,
    ObservePosition,
    ObserveProgress,
    ObserveSpeed,
    ObserveTime,
    ObserveVelocity,
    ObserveWindow,
    Universe,
)

STEPS = 255.0
NARROWEST, WIDEST = 2.0**-100, LARGEST
"""Widths for which scale and differences are finite and normal."""


BFLOAT16_LIMIT = 2.0**128 - 2.0**119
"""From here on, a number is infinite when it is rounded to bfloat16: 3.3961775e38, half a step above the largest."""


@dataclass(frozen=True, slots=True)
class Scale:
    """How the values of a segment become bytes. `low` and `high` are exact in binary32."""

    low: float
    high: float

    @property
    def encodes(self) -> bool:
        """Whether the values can be bytes: the range is a single number, or of a width that binary32 can work with."""
        return self.high == self.low or NARROWEST <= self.high - self.low <= WIDEST

    @property
    def fits_bfloat16(self) -> bool:
        """Whether the values are finite as bfloat16."""
        return max(-self.low, self.high) < BFLOAT16_LIMIT

    @property
    def scale(self) -> float:
        """Bytes per unit, exact in binary32; 0 for a single number."""
        return round32(STEPS / (self.high - self.low)) if self.encodes and self.high > self.low else 0.0


def scales(universe: Universe) -> tuple[Scale, ...]:
    """The scale of each segment of the observation, in order."""
    ranges = [interval for item in universe.observations for interval in _ranges(item, universe)]
    return tuple(Scale(round32(low), round32(high)) for low, high in ranges)


def encodes(universe: Universe) -> bool:
    """Whether all observations of a universe can be bytes."""
    return all(scale.encodes for scale in scales(universe))


def fits_bfloat16(universe: Universe) -> bool:
    """Whether all observations of a universe are finite when they are rounded to bfloat16."""
    return all(scale.fits_bfloat16 for scale in scales(universe))


def _ranges(item: Observation, universe: Universe) -> list[tuple[float, float]]:
    """Where the values of each segment of an item lie."""
    match item:
        case ObserveGrid():
            return [(0.0, 2.0)]
        case ObserveWindow() | ObserveHere() | ObserveLifetime():
            return [(0.0, 1.0)]
        case ObservePosition(encoding="relative"):
            return [(0.0, 1.0)] * len(schema.axes(universe))
        case ObservePosition(encoding="absolute"):
            return _coordinates(universe)
        case ObservePosition():
            return [(0.0, 1.0)] * len(schema.axes(universe)) + [(size, size) for size in _sizes(universe)]
        case ObserveMeters(meters=meters):
            bounds = {meter.name: (meter.low, meter.high) for meter in universe.meters}
            return [bounds[meter] for meter in meters]
        case ObserveTime(functions=functions):
            return [(-1.0, 1.0)] * len(functions)
        case ObserveProgress(per=per):
            return [(0.0, 1.0 if per is None else max(1.0, _longest(universe) / per))]
        case ObserveParams(params=params):
            limits = {param.name: (param.low, param.high) for param in universe.params}
            return [limits[param] for param in params]
        case ObserveVelocity(axes=axes):
            sizes = dict(zip(schema.axes(universe), _sizes(universe), strict=True))
            begins = dict(zip(sizes, universe.start.velocity if universe.start else (0.0,) * len(sizes), strict=True))
            return [(min(-sizes[axis], begins[axis]), max(sizes[axis], begins[axis])) for axis in axes]
        case ObserveSpeed():
            longest, begin = math.hypot(*_sizes(universe)), 0.0
            if universe.start is not None:
                begin = math.hypot(*universe.start.velocity) if universe.start.speed is None else universe.start.speed
            return [(min(0.0, begin), min(max(longest, begin), LARGEST))]
        case ObserveBlank():
            return [(0.0, 0.0)]
        case ObserveConstant(values=values):
            return [(min(values), max(values))]


def _coordinates(universe: Universe) -> list[tuple[float, float]]:
    match universe.space:
        case Grid(sizes=sizes):
            return [(0.0, size - 1.0) for size in sizes]
        case Continuous(axes=axes):
            return [(axis.low, axis.high) for axis in axes]
        case NoSpace():
            return []


def _sizes(universe: Universe) -> list[float]:
    match universe.space:
        case Grid(sizes=sizes):
            return [float(size) for size in sizes]
        case Continuous(axes=axes):
            return [axis.size for axis in axes]
        case NoSpace():
            return []


def _longest(universe: Universe) -> int:
    """The ticks of the affordance that lasts longest; one that lasts for ever counts as none."""
    return max(affordance.duration or 0 for affordance in universe.affordances)
