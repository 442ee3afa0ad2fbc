"""The moves of a space: what each displaces, what edges make of that, and tables where moves are many."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from hamlet import schema
from hamlet.frozen import dataclass
from hamlet.numbers.binary32 import round32
from hamlet.universe import Continuous, Displace, Grid, Universe, nodes
from hamlet.universe.space import graph_of, letters_of
from hamletc.ir.builder import Builder
from hamletc.ir.function import Table
from hamletc.ir.ops import F32, I32, Value

T = TypeVar("T")

WORD = 32
STEPS_PER_AXIS, MORE_STEPS = 4, 64
"""The most different steps for which masks try each step by itself: the first per axis, the second in all beyond those.
With more steps they try each move."""


@dataclass(frozen=True, slots=True)
class StepTables:
    """The steps that moves of a grid take, and which move takes which.

    Attributes:
        steps: the different ones: an axis, and a displacement on it that is not 0.
        words: tables (I32) with a row per action and, over all words, a bit per step: step i has bit i + 1. Moves that
            go nowhere have bit 0.
    """

    steps: tuple[tuple[int, int], ...]
    words: tuple[Table, ...]


@dataclass(frozen=True, slots=True)
class MoveTables:
    """Tables with a row per action.

    Attributes:
        axes: the displacement on each axis, as `displacement` gives it; 0 for an action that is no move.
        charged: 1 for a move whose displacement is not 0 on every axis, else 0.
        steps: what masks need on a grid; `None` where they try each move.
    """

    axes: tuple[Table, ...]
    charged: Table
    steps: StepTables | None


def move_tables(universe: Universe, most_unrolled: int) -> MoveTables | None:
    """The moves as tables; `None` where they are few, and unrolled, and on a graph, which has `lead_table`."""
    if len(universe.moves) <= most_unrolled or graph_of(universe.space) is not None:
        return None
    type_ = F32 if schema.position_dtype(universe) == "f32" else I32
    nothing = 0.0 if type_ is F32 else 0
    displacements = [displacement(universe, move.by) for move in universe.moves]
    return MoveTables(
        tuple(
            Table(f"move.{name}", type_, by_action(universe, [each[axis] for each in displacements], nothing))
            for axis, name in enumerate(schema.axes(universe))
        ),
        Table("move.charged", I32, by_action(universe, [int(any(move.by)) for move in universe.moves], 0)),
        _step_tables(universe) if isinstance(universe.space, Grid) else None,
    )


def by_action(universe: Universe, of_moves: Sequence[T], other: T) -> tuple[T, ...]:
    """A row per action: that of the move, or another."""
    others = len(schema.usual_actions(universe)) - len(universe.moves)
    return schema.in_order(universe, (*of_moves, *[other] * others))


def lead_table(universe: Universe) -> Table | None:
    """A table of the number that each action adds to that of the agent's node; `None` where the space is no graph."""
    graph = graph_of(universe.space)
    if graph is None:
        return None
    rows = (step for cell in range(len(graph.nodes)) for step in by_action(universe, graph.steps(cell), 0))
    return Table("graph.leads", I32, tuple(rows))


def leads(builder: Builder, table: Table, position: tuple[Value, ...], nodes: int, action: Value) -> Value:
    """The number that an action (I32) adds to that of the agent's node (I32)."""
    row = builder.mul(position[0], builder.i32(len(table.values) // nodes))
    return builder.lookup(table, builder.add(row, action))


def _step_tables(universe: Universe) -> StepTables | None:
    """`None` where the steps are too many to try each, or where a wall can stop a whole displacement."""
    letters = letters_of(universe.space)
    if (
        universe.closed is not None
        or universe.pushing is not None
        or (letters is not None and (letters.walls or letters.thin))
    ):
        return None
    taken = [tuple((axis, int(step)) for axis, step in enumerate(move.by) if step) for move in universe.moves]
    steps = tuple(dict.fromkeys(step for each in taken for step in each))
    if len(steps) > STEPS_PER_AXIS * len(universe.moves[0].by) + MORE_STEPS:
        return None
    bits = {step: index for index, step in enumerate(steps, 1)}
    rows = [sum(1 << bits[step] for step in each) if each else 1 for each in taken]

    def table(word: int) -> Table:
        # I32 has the low 32 bits of a row as a signed number.
        values = [((row >> WORD * word) + 2**31) % 2**32 - 2**31 for row in rows]
        # No mask asks for what is no move: default numbers end where moves do.
        return Table(f"mask.steps{word}", I32, by_action(universe, values, 0) if universe.order else tuple(values))

    return StepTables(steps, tuple(table(word) for word in range(len(steps) // WORD + 1)))


def displacement(universe: Universe, by: tuple[float, ...]) -> tuple[float, ...] | tuple[int, ...]:
    """A displacement as it is added: in binary32, or whole; on a grid whose edges wrap 0 .. size - 1."""
    match universe.space:
        case Grid() as grid:
            return whole_displacement(grid, by)
        case _:
            return coordinates(universe, by)


def whole_displacement(grid: Grid, by: tuple[float, ...]) -> tuple[int, ...]:
    """A displacement on a grid as it is added."""
    if grid.edges == "wrap":
        return tuple(int(step) % size for step, size in zip(by, grid.sizes, strict=True))
    return tuple(int(step) for step in by)


def coordinates(universe: Universe, place: tuple[float, ...]) -> tuple[float, ...] | tuple[int, ...]:
    """The coordinates that an author gave, as numbers of the type of positions."""
    if schema.position_dtype(universe) == "i32":
        return tuple(int(coordinate) for coordinate in place)
    return tuple(round32(coordinate) for coordinate in place)


def fixed_position(builder: Builder, universe: Universe, place: tuple[float, ...]) -> tuple[Value, ...]:
    """The coordinates that an author gave as constants of the IR."""
    return tuple(literal(builder, coordinate) for coordinate in coordinates(universe, place))


def literal(builder: Builder, value: float) -> Value:
    """A coordinate or a displacement as a constant of its type."""
    return builder.i32(value) if isinstance(value, int) else builder.f32(value)


def displaced(builder: Builder, universe: Universe, axis: int, coordinate: Value, by: Value) -> Value:
    """The coordinate after a displacement, one that `displacement` gives, and after the edges."""
    match universe.space:
        case Grid() as grid:
            return _on_grid(builder, grid, axis, coordinate, by)
        case Continuous() as continuous:
            return _in_continuous(builder, universe, continuous, axis, coordinate, by)
        case _:
            raise ValueError(f"universe {universe.name} has no space to move in")


def _on_grid(builder: Builder, grid: Grid, axis: int, coordinate: Value, by: Value) -> Value:
    size = grid.sizes[axis]
    moved = builder.add(coordinate, by)
    zero, last, count = builder.i32(0), builder.i32(size - 1), builder.i32(size)
    match grid.edges:
        case "clamp":
            return builder.clamp(moved, zero, last)
        case "wrap":
            return builder.select(builder.less(moved, count), moved, builder.sub(moved, count))
        case "sticky":
            off = builder.or_(builder.less(moved, zero), builder.less_equal(count, moved))
            return builder.select(off, coordinate, moved)
        case "bounce":
            moved = builder.select(builder.less(moved, zero), builder.neg(moved), moved)
            mirrored = builder.sub(builder.i32(2 * (size - 1)), moved)
            return builder.clamp(builder.select(builder.less_equal(count, moved), mirrored, moved), zero, last)


def _in_continuous(
    builder: Builder, universe: Universe, space: Continuous, axis: int, coordinate: Value, by: Value
) -> Value:
    bounds = space.axes[axis]
    low, high, size = builder.f32(round32(bounds.low)), builder.f32(round32(bounds.high)), round32(bounds.size)
    moved, farthest = builder.add(coordinate, by), _farthest(universe, space, axis)
    match space.edges:
        case "clamp":
            return builder.clamp(moved, low, high)
        case "sticky":
            off = builder.or_(builder.less(moved, low), builder.less(high, moved))
            return builder.select(off, coordinate, moved)
        case "wrap":
            return builder.add(_remainder(builder, builder.sub(moved, low), size, farthest), low)
        case "bounce":
            there = _remainder(builder, builder.sub(moved, low), 2 * size, farthest)
            back = builder.sub(builder.f32(2 * size), there)
            return builder.add(builder.select(builder.less_equal(builder.f32(size), there), back, there), low)


def limited(builder: Builder, universe: Universe, velocity: Value) -> Value:
    """A velocity (F32) on an axis, within the limit of a space with momentum."""
    space = universe.space
    assert isinstance(space, Continuous)
    assert space.momentum is not None
    most = round32(space.momentum)
    return builder.clamp(velocity, builder.f32(-most), builder.f32(most))


def drifted(builder: Builder, universe: Universe, axis: int, coordinate: Value, velocity: Value) -> tuple[Value, Value]:
    """The coordinate of an agent with momentum after a tick, and its velocity: edges stop it, or turn it around."""
    space = universe.space
    assert isinstance(space, Continuous)
    bounds = space.axes[axis]
    low, high, size = builder.f32(round32(bounds.low)), builder.f32(round32(bounds.high)), round32(bounds.size)
    moved = builder.add(coordinate, velocity)
    match space.edges:
        case "clamp" | "sticky":
            off = builder.or_(builder.less(moved, low), builder.less(high, moved))
            stopped = builder.clamp(moved, low, high)
            if space.edges == "sticky":
                stopped = builder.select(off, coordinate, moved)
            return stopped, builder.select(off, builder.f32(0.0), velocity)
        case "wrap":
            return displaced(builder, universe, axis, coordinate, velocity), velocity
        case "bounce":
            rest = _remainder(builder, builder.sub(moved, low), 2 * size, _farthest(universe, space, axis))
            back = builder.less_equal(builder.f32(size), rest)
            there = builder.select(back, builder.sub(builder.f32(2 * size), rest), rest)
            return builder.add(there, low), builder.select(back, builder.neg(velocity), velocity)


def _farthest(universe: Universe, space: Continuous, axis: int) -> float:
    """A distance from the low end that no coordinate reaches by a displacement, even from a size beyond the edges."""
    bounds = space.axes[axis]
    custom = (action.move for action in universe.actions if action.move is not None)
    longest = max((abs(by[axis]) for by in (*(move.by for move in universe.moves), *custom)), default=0.0)
    if any(isinstance(node, Displace) for node in nodes((universe.actions, universe.affordances, universe.dynamics))):
        longest = max(longest, bounds.size)
    if space.momentum is not None:
        longest = space.momentum
    away = bounds.high - bounds.low + bounds.size + longest
    rounding = (abs(bounds.low) + abs(bounds.high) + away) * 2.0**-20
    return away + rounding


def _remainder(builder: Builder, value: Value, size: float, below: float) -> Value:
    """The exact remainder with the sign of the value, plus the size where that is negative; abs(value) < below.

    Where s <= t < 2 s the difference t - s is exact (Sterbenz), so it is taken for s = ..., 4 size, 2 size, size.
    """
    steps = [size]
    while 2 * steps[-1] <= below:
        steps.append(2 * steps[-1])
    rest = builder.abs(value)
    for step in reversed(steps):
        taken = builder.f32(step)
        rest = builder.select(builder.less_equal(taken, rest), builder.sub(rest, taken), rest)
    zero = builder.f32(0.0)
    signed = builder.select(builder.less(value, zero), builder.neg(rest), rest)
    return builder.select(builder.less(signed, zero), builder.add(signed, builder.f32(size)), signed)
