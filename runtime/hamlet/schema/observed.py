"""What an agent observes, row by row: names, where values lie, and how they become bytes.

A segment's values lie in low .. high. The byte of a value v is the integer nearest to (v - low) * scale, ties to even,
after that was limited to 0 .. 255; scale = 255 / (high - low), rounded once, and the difference and the product are
rounded to binary32. A byte b stands for low + b * (high - low) / 255. Where high = low every byte is 0.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from hamlet.numbers.binary32 import LARGEST, round32
from hamlet.schema.fields import axes, cells
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


@dataclass(frozen=True, slots=True)
class Segment:
    """Consecutive rows of the observation: rows `offset` .. `offset + count - 1`. `repeated`: of a kind with a row per
    element, even if that is one row."""

    name: str
    offset: int
    count: int
    repeated: bool
    scale: Scale


@dataclass(frozen=True, slots=True)
class _Rows:
    """What an item of `observe` says of a segment. `elements` names the rows of a kind with a row per element."""

    name: str
    low: float
    high: float
    count: int = 1
    elements: Callable[[], Sequence[str]] | None = None


def _rows(item: Observation, universe: Universe) -> Iterator[_Rows]:
    """The segments of one item, in order: the one place that knows what a kind of observation looks like."""
    match item:
        case ObserveGrid():
            grid = _grid(universe)
            yield _Rows("grid", 0, 2, cells(grid), lambda: _cells(map(range, grid.sizes)))
        case ObserveWindow(radius=radius):
            sides = [range(-radius, radius + 1)] * len(axes(universe))
            yield _Rows("window", 0, 1, math.prod(map(len, sides)), lambda: _cells(sides))
        case ObservePosition(encoding=encoding):
            spans = _axes(universe)
            for axis, low, high in spans:
                yield _Rows(f"position.{axis}", *((low, high) if encoding == "absolute" else (0, 1)))
            for axis, size in _sizes(universe).items() if encoding == "scaled" else ():
                yield _Rows(f"size.{axis}", size, size)
        case ObserveMeters(meters=names):
            meters = {meter.name: meter for meter in universe.meters}
            yield from (_Rows(f"meter.{name}", meters[name].low, meters[name].high) for name in names)
        case ObserveHere(affordances=affordances):
            # In backticks an affordance may be called `nothing` too.
            nothing = "nothing" if "nothing" not in affordances else "nothing#2"
            here = [nothing if name is None else name for name in affordances]
            yield _Rows("here", 0, 1, len(here), lambda: here)
        case ObserveTime(functions=functions):
            yield from (_Rows(f"time.{function}", -1, 1) for function in functions)
        case ObserveProgress(per=per):
            # An affordance that lasts for ever has no longest use; it counts as none.
            ticks = max(affordance.duration or 0 for affordance in universe.affordances)
            yield _Rows("progress", 0, 1 if per is None else max(1.0, ticks / per))
        case ObserveLifetime():
            yield _Rows("lifetime", 0, 1)
        case ObserveParams(params=names):
            params = {param.name: param for param in universe.params}
            yield from (_Rows(f"param.{name}", params[name].low, params[name].high) for name in names)
        case ObserveVelocity(axes=names):
            sizes, start = _sizes(universe), universe.start
            begins = dict(zip(sizes, start.velocity if start else (0.0,) * len(sizes), strict=True))
            for name in names:
                yield _Rows(f"velocity.{name}", min(-sizes[name], begins[name]), max(sizes[name], begins[name]))
        case ObserveSpeed():
            longest, begin, start = math.hypot(*_sizes(universe).values()), 0.0, universe.start
            if start is not None:
                begin = math.hypot(*start.velocity) if start.speed is None else start.speed
            yield _Rows("speed", min(0.0, begin), min(max(longest, begin), LARGEST))
        case ObserveBlank(count=count):
            yield _Rows("blank", 0, 0, count, lambda: [str(number) for number in range(count)])
        case ObserveConstant(values=values):
            numbers = [str(number) for number in range(len(values))]
            yield _Rows("constant", min(values), max(values), len(values), lambda: numbers)


def observation_segments(universe: Universe) -> tuple[Segment, ...]:
    """The rows of the observation in order. Names are unique: what is there again is called `energy#2`."""
    return tuple(segment for segment, _ in _observed(universe))


def observation_names(universe: Universe) -> tuple[str, ...]:
    """A name for each value of an observation, in order, each another one: that of its segment; where that has a row
    per element, with the element in brackets: the coordinates of a cell of a grid (`grid[3,0]`), the steps to a cell of
    a window (`window[-1,0]`), the name of an affordance (`here[Bed]`) or `nothing`, else a number."""
    return tuple(
        name
        for segment, rows in _observed(universe)
        for name in (
            [segment.name] if rows.elements is None else [f"{segment.name}[{each}]" for each in rows.elements()]
        )
    )


def _observed(universe: Universe) -> Iterator[tuple[Segment, _Rows]]:
    offset, seen = 0, Counter[str]()
    for rows in (each for item in universe.observations for each in _rows(item, universe)):
        seen[rows.name] += 1
        name = rows.name if seen[rows.name] == 1 else f"{rows.name}#{seen[rows.name]}"
        scale = Scale(round32(rows.low), round32(rows.high))
        yield Segment(name, offset, rows.count, rows.elements is not None, scale), rows
        offset += rows.count


def observation_rows(universe: Universe) -> int:
    """The number of values an agent observes."""
    return sum(segment.count for segment in observation_segments(universe))


def encodes(universe: Universe) -> bool:
    """Whether all observations of a universe can be bytes."""
    return all(segment.scale.encodes for segment in observation_segments(universe))


def fits_bfloat16(universe: Universe) -> bool:
    """Whether all observations of a universe are finite when they are rounded to bfloat16."""
    return all(segment.scale.fits_bfloat16 for segment in observation_segments(universe))


def _cells(sides: Iterable[range]) -> list[str]:
    """Cells by their coordinates, the first axis fastest."""
    return [",".join(map(str, reverse[::-1])) for reverse in product(*reversed(list(sides)))]


def _grid(universe: Universe) -> Grid:
    if not isinstance(universe.space, Grid):
        raise ValueError(f"universe {universe.name} observes a grid and has none")
    return universe.space


def _axes(universe: Universe) -> list[tuple[str, float, float]]:
    """The name, the least and the greatest coordinate of each axis."""
    match universe.space:
        case Grid(sizes=sizes):
            ends: list[tuple[float, float]] = [(0.0, size - 1.0) for size in sizes]
        case Continuous(axes=of_space):
            ends = [(axis.low, axis.high) for axis in of_space]
        case NoSpace():
            ends = []
    return [(axis, low, high) for axis, (low, high) in zip(axes(universe), ends, strict=True)]


def _sizes(universe: Universe) -> dict[str, float]:
    """The size of each axis by name."""
    match universe.space:
        case Grid(sizes=sizes):
            of_axes = [float(size) for size in sizes]
        case Continuous(axes=of_space):
            of_axes = [axis.size for axis in of_space]
        case NoSpace():
            of_axes = []
    return dict(zip(axes(universe), of_axes, strict=True))
