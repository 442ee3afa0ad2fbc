"""Segments of an agent's observation, row by row: names, where values lie, and how they become bytes.

A segment's values lie in low .. high. The byte of a value v is the integer nearest to (v - low) * scale, ties to even,
after that was limited to 0 .. 255; scale = 255 / (high - low), rounded once, and the difference and the product are
rounded to binary32. A byte b stands for low + b * (high - low) / 255. Where high = low every byte is 0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import pairwise

from hamlet.frozen import dataclass
from hamlet.numbers.binary32 import LARGEST, round32
from hamlet.universe import Observation, Role, Universe
from hamlet.universe.observations import Rows, rows_of

STEPS = 255.0
NARROWEST, WIDEST = 2.0**-100, LARGEST
"""Widths for which scale and differences are finite and normal."""

MOST_JOINED = 4
"""The most names that the name of a row that roles share is made of."""

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
class Share:
    """A role's part of rows that roles share: those from element `first` on of the segment of this number, of those
    behind the ones that all agents have.
    """

    segment: int
    first: int


@dataclass(frozen=True, slots=True)
class Shared:
    """Rows behind those that all agents have, in which each role has rows of one segment or, where its observation has
    ended, zeros: `None`."""

    segment: Segment
    shares: tuple[Share | None, ...]


def observation_segments(universe: Universe) -> tuple[Segment, ...]:
    """The rows of the observation in order. Names are unique: what is there again is called `energy#2`. Rows that are
    another thing for each role have the names of all, as in `meter.wolf.hunger/meter.sheep.wool`."""
    return (*common_segments(universe), *(rows.segment for rows in shared_rows(universe)))


def observation_names(universe: Universe) -> tuple[str, ...]:
    """A name for each value of an observation, in order, each another one: that of its segment; where that has a row
    per element, with the element in brackets: the coordinates of a cell of a grid (`grid[3,0]`), the steps to a cell of
    a window (`window[-1,0]`), the name of an affordance (`here[Bed]`) or `nothing`, else a number."""
    common = tuple(name for names in _named(universe, ()) for name in names)
    each = [names[len(common) :] for names in (role_names(universe, role) for role in universe.roles or ())]
    seen, joined = Counter(common), []
    for row in range(max(map(len, each), default=0)):
        joined.append(_unique(_join(names[row] for names in each if row < len(names)), seen))
    return (*common, *joined)


def role_segments(universe: Universe, role: Role) -> tuple[Segment, ...]:
    """The rows that agents of a role observe, in order, without the zeros behind them; the first are those of all
    agents. Names are unique among them."""
    return tuple(segment for segment, _ in _observed(universe, role.observations))


def role_names(universe: Universe, role: Role) -> tuple[str, ...]:
    """A name for each value that agents of a role observe, as in `observation_names`."""
    return tuple(name for names in _named(universe, role.observations) for name in names)


def shared_rows(universe: Universe) -> tuple[Shared, ...]:
    """The rows behind those that all agents have, cut wherever a segment of some role begins or ends."""
    common = common_segments(universe)
    begin = sum(segment.count for segment in common)
    each = [role_segments(universe, role)[len(common) :] for role in universe.roles or ()]
    cuts = sorted({begin} | {segment.offset + segment.count for segments in each for segment in segments})
    seen = Counter(segment.name for segment in common)
    return tuple(_shared(first, last, each, seen) for first, last in pairwise(cuts))


def _shared(first: int, last: int, each: list[tuple[Segment, ...]], seen: Counter[str]) -> Shared:
    """The rows `first` .. `last - 1`, which no segment of a role begins or ends among."""
    shares: list[Share | None] = []
    names, scales = [], []
    for segments in each:
        number = next((n for n, own in enumerate(segments) if own.offset <= first < own.offset + own.count), None)
        if number is None:
            shares.append(None)
            scales.append(Scale(0.0, 0.0))
            continue
        own = segments[number]
        shares.append(Share(number, first - own.offset))
        scales.append(own.scale)
        whole = own.count == last - first
        names.append(own.name if whole else f"{own.name}[{first - own.offset}..{last - own.offset - 1}]")
    scale = Scale(min(each.low for each in scales), max(each.high for each in scales))
    return Shared(Segment(_unique(_join(names), seen), first, last - first, last - first > 1, scale), tuple(shares))


def _join(names: Iterable[str]) -> str:
    """The name of a row that some roles share: the names of the first ones that differ."""
    different = list(dict.fromkeys(names))
    return "/".join(different[:MOST_JOINED]) + ("/..." if len(different) > MOST_JOINED else "")


def _unique(name: str, seen: Counter[str]) -> str:
    """A name that is not there yet."""
    seen[name] += 1
    return name if seen[name] == 1 else f"{name}#{seen[name]}"


def common_segments(universe: Universe) -> tuple[Segment, ...]:
    """The rows that all agents have."""
    return tuple(segment for segment, _ in _observed(universe, ()))


def _named(universe: Universe, own: tuple[Observation, ...]) -> Iterator[list[str]]:
    for segment, rows in _observed(universe, own):
        yield [segment.name] if rows.elements is None else [f"{segment.name}[{each}]" for each in rows.elements()]


def _observed(universe: Universe, own: tuple[Observation, ...]) -> Iterator[tuple[Segment, Rows]]:
    """Segments of the observations of all agents, then of `own`."""
    offset, seen = 0, Counter[str]()
    for rows in (each for item in (*universe.observations, *own) for each in rows_of(item, universe)):
        scale = Scale(round32(rows.low), round32(rows.high))
        yield Segment(_unique(rows.name, seen), offset, rows.count, rows.elements is not None, scale), rows
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
