"""What a universe's state, outputs and observations consist of: names, types, shapes.

Backends, kernels and `state_dict` all derive from these tables, so that a field exists in one place only. The layout is
field-major: a field with rows is an array [rows, lanes] (or [rows, worlds]); without rows it is [lanes] or [worlds].
Lane `world * agents + agent` is agent `agent` of world `world`.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Literal, TypeAlias

from hamlet.universe import (
    ObserveGrid,
    ObserveHere,
    ObserveLifetime,
    ObserveMeters,
    ObserveParams,
    ObservePosition,
    ObserveProgress,
    ObserveTime,
    ObserveWindow,
    Universe,
)

DType: TypeAlias = Literal["f32", "i32", "bool"]
Per: TypeAlias = Literal["lane", "world"]

AXES = ("x", "y", "z")
NOWHERE = -1
"""`used`, `cause` and `engaged` where there is none."""


@dataclass(frozen=True, slots=True)
class Field:
    """One array. `rows` names its rows; it is `None` for an array without a row dimension."""

    name: str
    dtype: DType
    per: Per
    rows: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Segment:
    """Consecutive rows of the observation: rows `offset` .. `offset + count - 1`."""

    name: str
    offset: int
    count: int


def axes(universe: Universe) -> tuple[str, ...]:
    """The names of the axes of the space."""
    return AXES[: len(universe.space.sizes)]


def cells(universe: Universe) -> int:
    """The number of cells of the grid."""
    return prod(universe.space.sizes)


def has_progress(universe: Universe) -> bool:
    """Whether some affordance lasts several ticks, so that agents can be engaged in one."""
    return any(affordance.duration is not None for affordance in universe.affordances)


def state_fields(universe: Universe) -> tuple[Field, ...]:
    """The arrays that are the whole state of the worlds, in the order in which kernels take them.

    `alive` and `episode_return` are kept by the backends around the tick; the rest is what the tick reads and writes.
    `layout` holds the 32 bits of an unsigned number.
    """
    fields = [
        Field("meters", "f32", "lane", tuple(meter.name for meter in universe.meters)),
        Field("position", "i32", "lane", axes(universe)),
        Field("age", "i32", "lane"),
    ]
    if has_progress(universe):
        fields += [Field("engaged", "i32", "lane"), Field("progress", "i32", "lane")]
    fields += [Field("alive", "bool", "lane"), Field("episode_return", "f32", "lane")]
    if universe.clock is not None:
        fields.append(Field("hour", "i32", "world"))
    fields += [Field("episode", "i32", "world"), Field("layout", "i32", "world")]
    if universe.params:
        fields.append(Field("params", "f32", "world", tuple(param.name for param in universe.params)))
    return tuple(fields)


def outcome_fields() -> tuple[Field, ...]:
    """The arrays that a tick writes beside the state: what happened in it."""
    return (
        Field("reward", "f32", "lane"),
        Field("terminated", "bool", "lane"),
        Field("truncated", "bool", "lane"),
        Field("used", "i32", "lane"),
        Field("cause", "i32", "lane"),
    )


def move_names(universe: Universe) -> tuple[str, ...]:
    """The moves of the space, in the order of their numbers; `move_deltas` says where each goes."""
    match len(universe.space.sizes):
        case 1:
            return ("LEFT", "RIGHT")
        case 2:
            return ("UP", "DOWN", "LEFT", "RIGHT")
        case _:
            return ("UP", "DOWN", "LEFT", "RIGHT", "UP_Z", "DOWN_Z")


def move_deltas(universe: Universe) -> tuple[tuple[int, ...], ...]:
    """The displacement of each move. Up lowers y, left lowers x, UP_Z lowers z."""
    by_name = {"LEFT": (0, -1), "RIGHT": (0, 1), "UP": (1, -1), "DOWN": (1, 1), "UP_Z": (2, -1), "DOWN_Z": (2, 1)}
    dimensions = len(universe.space.sizes)
    return tuple(
        tuple(by_name[name][1] if axis == by_name[name][0] else 0 for axis in range(dimensions))
        for name in move_names(universe)
    )


def action_names(universe: Universe) -> tuple[str, ...]:
    """All actions in the order of their numbers: moves, INTERACT, WAIT, then the universe's own in file order."""
    return (*move_names(universe), "INTERACT", "WAIT", *(action.name for action in universe.actions))


def interact_action(universe: Universe) -> int:
    """The number of INTERACT."""
    return len(move_names(universe))


def observation_segments(universe: Universe) -> tuple[Segment, ...]:
    """The rows of the observation in order. Names are unique."""
    parts: list[tuple[str, int]] = []
    for item in universe.observations:
        match item:
            case ObserveGrid():
                parts.append(("grid", cells(universe)))
            case ObserveWindow(radius=radius):
                parts.append(("window", (2 * radius + 1) ** len(universe.space.sizes)))
            case ObservePosition(encoding=encoding):
                parts += [(f"position.{axis}", 1) for axis in axes(universe)]
                if encoding == "scaled":
                    parts += [(f"size.{axis}", 1) for axis in axes(universe)]
            case ObserveMeters(meters=meters):
                parts += [(f"meter.{name}", 1) for name in meters]
            case ObserveHere():
                parts.append(("here", len(universe.affordances) + 1))
            case ObserveTime():
                parts += [("time.sin", 1), ("time.cos", 1)]
            case ObserveProgress():
                parts.append(("progress", 1))
            case ObserveLifetime():
                parts.append(("lifetime", 1))
            case ObserveParams(params=params):
                parts += [(f"param.{name}", 1) for name in params]
    segments, offset = [], 0
    for name, count in parts:
        segments.append(Segment(name, offset, count))
        offset += count
    return tuple(segments)


def observation_rows(universe: Universe) -> int:
    """The number of values an agent observes."""
    return sum(segment.count for segment in observation_segments(universe))
