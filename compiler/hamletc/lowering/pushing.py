"""Pushes: the line of cells in the way of a move, and what an agent that pushes adds to its cells
(docs/semantics.md, "Pushes")."""

from __future__ import annotations

from dataclasses import replace

from hamlet.universe import Pushing
from hamletc.ir.function import PUSHED, Construct
from hamletc.ir.ops import Value
from hamletc.lowering.expressions import cell_value, is_at, there_is
from hamletc.lowering.lane import Lane, Line
from hamletc.lowering.places import cell_index, grid_of
from hamletc.lowering.walls import crossed, stopped


def line_before(lane: Lane, pushing: Pushing, start: tuple[Value, ...], there: tuple[Value, ...]) -> Line:
    """The line in the way of an agent that goes from one cell to another (I32 per axis)."""
    builder, sizes = lane.builder, grid_of(lane.universe).sizes
    with builder.at(Construct("agents push"), pushing.span):
        steps = [builder.sub(to, x) for to, x in zip(there, start, strict=True)]
        moves = builder.not_(same_cell(lane, start, there))
        cells, values, before = [cell_index(builder, sizes, there)], [], there
        values.append(cell_value(lane, pushing.state, cells[0]))
        met = line = builder.and_(moves, _lies(lane, values[0]))
        length = builder.i32(0)
        for number in range(1, pushing.most + 1):
            beyond = tuple(builder.add(x, by) for x, by in zip(before, steps, strict=True))
            place, inside = _in_space(lane, beyond)
            cells.append(cell_index(builder, sizes, place))
            values.append(cell_value(lane, pushing.state, cells[-1]))
            wall = crossed(lane, before, place)
            enters = [_free(lane, start, place), inside, None if wall is None else builder.not_(wall)]
            line = builder.all([line, *(each for each in enters if each is not None)])
            lies = _lies(lane, values[-1])
            gives_way = builder.and_(line, builder.not_(lies))
            length = builder.select(gives_way, builder.i32(number), length)
            line, before = builder.and_(line, lies), place
        stuck = builder.and_(met, builder.equal(length, builder.i32(0)))
        return Line(tuple(cells), tuple(values), length, stuck)


def same_cell(lane: Lane, position: tuple[Value, ...], other: tuple[Value, ...]) -> Value:
    """Whether (BOOL) two positions are one cell."""
    return lane.builder.all([lane.builder.equal(a, b) for a, b in zip(position, other, strict=True)])


def _lies(lane: Lane, value: Value) -> Value:
    """Whether (BOOL) something lies where the state has this value (F32)."""
    return lane.builder.not_(lane.builder.equal(value, lane.builder.f32(0.0)))


def _in_space(lane: Lane, place: tuple[Value, ...]) -> tuple[tuple[Value, ...], Value | None]:
    """Coordinates (I32) of a cell, and whether (BOOL) there is one at these; `None` where there always is."""
    builder, grid = lane.builder, grid_of(lane.universe)
    if grid.edges == "wrap":
        # A step from cell to cell is shorter than the axis, either way.
        around = (builder.add(x, builder.i32(size)) for x, size in zip(place, grid.sizes, strict=True))
        rests = (builder.rem(builder.to_u32(x), builder.u32(size)) for x, size in zip(around, grid.sizes, strict=True))
        return tuple(builder.to_i32(rest) for rest in rests), None
    inside: list[Value] = []
    within: tuple[Value, ...] = ()
    for x, size in zip(place, grid.sizes, strict=True):
        clamped = builder.clamp(x, builder.i32(0), builder.i32(size - 1))
        inside.append(builder.equal(clamped, x))
        within += (clamped,)
    return within, builder.all(inside)


def _free(lane: Lane, start: tuple[Value, ...], place: tuple[Value, ...]) -> Value:
    """Whether (BOOL) walls, solid affordances and the agent, who is at `start`, leave room on a cell."""
    builder = lane.builder
    taken = [same_cell(lane, start, place)]
    taken += [wall for wall in (stopped(lane, place),) if wall is not None]
    seen = replace(lane, position=place)
    taken += [is_at(seen, number) for number, each in enumerate(lane.universe.affordances) if each.solid]
    return builder.not_(builder.any(taken))


def unstuck(lane: Lane, start: tuple[Value, ...], there: tuple[Value, ...]) -> tuple[Value, ...]:
    """Where a move leads (I32 per axis): nowhere, where it meets a line that does not give way. The lane keeps the
    line."""
    pushing = lane.universe.pushing
    if pushing is None:
        return there
    lane.line = line_before(lane, pushing, start, there)
    with lane.builder.at(Construct("agents push"), pushing.span):
        return tuple(lane.builder.select(lane.line.stuck, x, to) for x, to in zip(start, there, strict=True))


def added(lane: Lane) -> dict[str, Value]:
    """Amounts that the agent adds to cells by what it pushes, F32 by names: their indices, and how much."""
    pushing, line, builder = lane.universe.pushing, lane.line, lane.builder
    if pushing is None or line is None:
        return {}
    result: dict[str, Value] = {}
    before = nothing = builder.f32(0.0)
    with builder.at(Construct("agents push"), pushing.span, "act"):
        pushes = builder.not_(there_is(lane.stays, "push"))
        for number, (cell, value) in enumerate(zip(line.cells, line.values, strict=True)):
            least = builder.less_equal(builder.i32(max(number, 1)), line.length)
            change = builder.select(builder.and_(pushes, least), builder.sub(before, value), nothing)
            result |= {f"{PUSHED}.cell.{number}": builder.to_f32(cell), f"{PUSHED}.by.{number}": change}
            before = value
    return result
