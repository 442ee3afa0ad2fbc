"""What a universe's state, outputs and observations consist of: names, types, shapes.

Backends, kernels and `state_dict` all derive from these tables, so that a field exists in one place only. The layout is
field-major: a field with rows is an array [rows, lanes] (or [rows, worlds]); without rows it is [lanes] or [worlds].
Lane `world * agents + agent` is agent `agent` of world `world`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Literal, TypeAlias

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

DType: TypeAlias = Literal["f32", "i32", "bool"]
Per: TypeAlias = Literal["lane", "world"]

MOST_CELLS = 2**31 - 1
"""Cells that one i32 can number."""
NOWHERE = -1
"""`used`, `cause` and `engaged` where there is none."""


GIVEN = ("params", "inputs")
"""Fields of the state that neither ticks nor resets change."""
REPEATED = ("grid", "window", "here", "blank", "constant")
"""Kinds of observations with a row per element."""


@dataclass(frozen=True, slots=True)
class Field:
    """One array. `rows` names its rows; it is `None` for an array without a row dimension."""

    name: str
    dtype: DType
    per: Per
    rows: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Segment:
    """Consecutive rows of the observation: rows `offset` .. `offset + count - 1`. `repeated`: of a kind with a row per
    element, even if it is one."""

    name: str
    offset: int
    count: int
    repeated: bool


def axis_names(count: int) -> tuple[str, ...]:
    """The names of so many axes: x, y, z; x0, x1, ... where there are more than three."""
    return ("x", "y", "z")[:count] if count <= 3 else tuple(f"x{axis}" for axis in range(count))


def axes(universe: Universe) -> tuple[str, ...]:
    """The names of the axes of the space."""
    match universe.space:
        case Grid(sizes=of_space) | Continuous(axes=of_space):
            return axis_names(len(of_space))
        case NoSpace():
            return ()


def position_dtype(universe: Universe) -> DType:
    """The type of coordinates."""
    return "f32" if isinstance(universe.space, Continuous) else "i32"


def cells(grid: Grid) -> int:
    """The number of cells of a grid."""
    return prod(grid.sizes)


def cell_words(grid: Grid) -> tuple[tuple[int, int], ...]:
    """The ranges of axes, each from the first to before the second, whose coordinates one i32 holds as the index of a
    cell among them, x + width * (y + ...). Cells are the same where all their words are. Few cells need one word."""
    words, begin, count = [], 0, 1
    for axis, size in enumerate(grid.sizes):
        if count * size > MOST_CELLS:
            words.append((begin, axis))
            begin, count = axis, 1
        count *= size
    return (*words, (begin, len(grid.sizes)))


def place_rows(universe: Universe) -> tuple[str, ...]:
    """What the stored place of an affordance consists of: the words of its cell by number, or its coordinates."""
    match universe.space:
        case Grid() as grid if grid.places == "stored":
            return tuple(str(word) for word in range(len(cell_words(grid))))
        case Continuous():
            return axes(universe)
        case _:
            return ()


def has_progress(universe: Universe) -> bool:
    """Whether some affordance lasts several ticks, so that agents can be engaged in one."""
    return any(affordance.duration is not None for affordance in universe.affordances)


def state_fields(universe: Universe) -> tuple[Field, ...]:
    """The arrays that are the whole state of the worlds, in the order in which kernels take them.

    `alive` and `episode_return` are kept by the backends around the tick; the rest is what the tick reads and writes.
    `layout` holds the 32 bits of an unsigned number. Ticks change neither `params`, `inputs` nor `places`.
    """
    names = tuple(affordance.name for affordance in universe.affordances)
    result = [Field("meters", "f32", "lane", tuple(meter.name for meter in universe.meters))]
    if axes(universe):
        result.append(Field("position", position_dtype(universe), "lane", axes(universe)))
    if universe.velocity:
        result.append(Field("velocity", "f32", "lane", axes(universe)))
    if universe.start is not None and universe.start.speed is not None:
        result.append(Field("speed", "f32", "lane"))
    result.append(Field("age", "i32", "lane"))
    if has_progress(universe):
        result += [Field("engaged", "i32", "lane"), Field("progress", "i32", "lane")]
    if universe.tracking is not None:
        if has_progress(universe) and axes(universe):
            result.append(Field("used_at", position_dtype(universe), "lane", axes(universe)))
        result.append(Field("last", "i32", "lane"))
        if names:
            result += [Field("streaks", "i32", "lane", names), Field("seen", "bool", "lane", names)]
    if universe.inputs:
        result.append(Field("inputs", "f32", "lane", tuple(item.name for item in universe.inputs)))
    result += [Field("alive", "bool", "lane"), Field("episode_return", "f32", "lane")]
    if universe.clock is not None:
        result.append(Field("hour", "i32", "world"))
    result += [Field("episode", "i32", "world"), Field("layout", "i32", "world")]
    if names and place_rows(universe):
        rows = tuple(f"{name}.{row}" for name in names for row in place_rows(universe))
        result.append(Field("places", position_dtype(universe), "world", rows))
    if universe.params:
        result.append(Field("params", "f32", "world", tuple(param.name for param in universe.params)))
    return tuple(result)


def report_names(universe: Universe) -> tuple[str, ...]:
    """What a tick reports: the rewards that have a name, then the reports, each in file order."""
    rewards = tuple(reward.name for reward in universe.rewards if reward.name is not None)
    return (*rewards, *(report.name for report in universe.reports))


def outcome_fields(universe: Universe) -> tuple[Field, ...]:
    """The arrays that a tick writes beside the state: what happened in it."""
    result = [
        Field("reward", "f32", "lane"),
        Field("terminated", "bool", "lane"),
        Field("truncated", "bool", "lane"),
        Field("used", "i32", "lane"),
        Field("cause", "i32", "lane"),
    ]
    if report_names(universe):
        result.append(Field("reports", "f32", "lane", report_names(universe)))
    return tuple(result)


def move_names(universe: Universe) -> tuple[str, ...]:
    """The moves of the space, in the order of their numbers."""
    return tuple(move.name for move in universe.moves)


def action_names(universe: Universe) -> tuple[str, ...]:
    """All actions in the order of their numbers: moves, INTERACT, WAIT, then the universe's own in file order."""
    return (*move_names(universe), "INTERACT", "WAIT", *(action.name for action in universe.actions))


def interact_action(universe: Universe) -> int:
    """The number of INTERACT."""
    return len(universe.moves)


def observation_segments(universe: Universe) -> tuple[Segment, ...]:
    """The rows of the observation in order. Names are unique: what is there again is called `energy#2`."""
    parts: list[tuple[str, int]] = []
    for item in universe.observations:
        match item:
            case ObserveGrid():
                parts.append(("grid", cells(_grid(universe))))
            case ObserveWindow(radius=radius):
                parts.append(("window", (2 * radius + 1) ** len(axes(universe))))
            case ObservePosition(encoding=encoding):
                parts += [(f"position.{axis}", 1) for axis in axes(universe)]
                if encoding == "scaled":
                    parts += [(f"size.{axis}", 1) for axis in axes(universe)]
            case ObserveMeters(meters=meters):
                parts += [(f"meter.{name}", 1) for name in meters]
            case ObserveHere(affordances=affordances):
                parts.append(("here", len(affordances)))
            case ObserveTime(functions=functions):
                parts += [(f"time.{function}", 1) for function in functions]
            case ObserveProgress():
                parts.append(("progress", 1))
            case ObserveLifetime():
                parts.append(("lifetime", 1))
            case ObserveParams(params=params):
                parts += [(f"param.{name}", 1) for name in params]
            case ObserveVelocity(axes=names):
                parts += [(f"velocity.{axis}", 1) for axis in names]
            case ObserveSpeed():
                parts.append(("speed", 1))
            case ObserveBlank(count=count):
                parts.append(("blank", count))
            case ObserveConstant(values=values):
                parts.append(("constant", len(values)))
    segments, offset, seen = [], 0, Counter[str]()
    for name, count in parts:
        seen[name] += 1
        segments.append(Segment(name if seen[name] == 1 else f"{name}#{seen[name]}", offset, count, name in REPEATED))
        offset += count
    return tuple(segments)


def observation_names(universe: Universe) -> tuple[str, ...]:
    """A name for each value of an observation, in order, each another one: that of its segment; where that has a row
    per element, with the element in brackets: the coordinates of a cell of a grid (`grid[3,0]`), the steps to a cell of
    a window (`window[-1,0]`), the name of an affordance (`here[Bed]`) or `nothing`, else a number."""
    names: list[str] = []
    segments = iter(observation_segments(universe))
    for item in universe.observations:
        for elements in _elements(item, universe):
            segment = next(segments)
            names += [f"{segment.name}[{element}]" for element in elements] if segment.repeated else [segment.name]
    return tuple(names)


def _elements(item: Observation, universe: Universe) -> list[Sequence[str]]:
    """What stands in brackets, for each segment of an item; of a segment without elements whatever."""
    match item:
        case ObserveGrid():
            return [_cells(range(size) for size in _grid(universe).sizes)]
        case ObserveWindow(radius=radius):
            return [_cells(range(-radius, radius + 1) for _ in axes(universe))]
        case ObserveHere(affordances=affordances):
            # In backticks an affordance may have that name too.
            nothing = "nothing" if "nothing" not in affordances else "nothing#2"
            return [[nothing if name is None else name for name in affordances]]
        case ObserveBlank(count=count):
            return [[str(number) for number in range(count)]]
        case ObserveConstant(values=values):
            return [[str(number) for number in range(len(values))]]
        case ObservePosition(encoding=encoding):
            return [()] * (len(axes(universe)) * (2 if encoding == "scaled" else 1))
        case ObserveMeters(meters=each) | ObserveParams(params=each) | ObserveTime(functions=each):
            return [()] * len(each)
        case ObserveVelocity(axes=each):
            return [()] * len(each)
        case ObserveProgress() | ObserveLifetime() | ObserveSpeed():
            return [()]


def _cells(ranges: Iterable[range]) -> list[str]:
    """Cells by their coordinates, the first axis fastest."""
    return [",".join(map(str, reverse[::-1])) for reverse in product(*reversed(list(ranges)))]


def observation_rows(universe: Universe) -> int:
    """The number of values an agent observes."""
    return sum(segment.count for segment in observation_segments(universe))


def _grid(universe: Universe) -> Grid:
    if not isinstance(universe.space, Grid):
        raise ValueError(f"universe {universe.name} observes a grid and has none")
    return universe.space
