"""What an agent observes, row by row: names, where values lie, and how they become bytes.

A segment's values lie in low .. high. The byte of a value v is the integer nearest to (v - low) * scale, ties to even,
after that was limited to 0 .. 255; scale = 255 / (high - low), rounded once, and the difference and the product are
rounded to binary32. A byte b stands for low + b * (high - low) / 255. Where high = low every byte is 0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from hamlet.numbers.binary32 import LARGEST, round32
from hamlet.universe import Universe
from hamlet.universe.observations import Rows, rows_of

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


def _observed(universe: Universe) -> Iterator[tuple[Segment, Rows]]:
    offset, seen = 0, Counter[str]()
    for rows in (each for item in universe.observations for each in rows_of(item, universe)):
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
