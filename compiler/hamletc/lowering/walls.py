"""Walls: those of a map, thin ones too, and those that a condition of cells decides on, with solid cells
(docs/semantics.md)."""

from __future__ import annotations

from dataclasses import replace

from hamlet.universe import Expression
from hamletc.ir.ops import Value
from hamletc.lowering.expressions import lower_expression
from hamletc.lowering.lane import Lane
from hamletc.lowering.places import cell_index, grid_of
from hamletc.lowering.terrain import is_wall


def stops(lane: Lane) -> bool:
    """Whether walls or solid cells stop moves, always or at times."""
    floor = lane.plan.ground
    return lane.universe.closed is not None or (floor is not None and (floor.has_walls or floor.thin is not None))


def stopped(lane: Lane, position: tuple[Value, ...]) -> Value | None:
    """Whether (BOOL) nobody enters a position on the grid (I32 per axis), which is a wall or solid, on the state that
    the lane's cells have; `None` where there are no such cells."""
    return _of_map_or(lane, lane.universe.closed, position) if stops(lane) else None


def hidden_behind(lane: Lane, position: tuple[Value, ...]) -> Value | None:
    """Whether (BOOL) a position on the grid (I32 per axis) is a wall, past which nobody sees, likewise."""
    return _of_map_or(lane, lane.universe.wall, position)


def _of_map_or(lane: Lane, wall: Expression | None, position: tuple[Value, ...]) -> Value | None:
    """Whether (BOOL) a position (I32 per axis) is a wall of the map, or a condition holds there; `None` where there is
    neither."""
    builder, floor = lane.builder, lane.plan.ground
    conditions = []
    if floor is not None and floor.has_walls:
        conditions.append(is_wall(builder, floor, cell_index(builder, grid_of(lane.universe).sizes, position)))
    if wall is not None:
        conditions.append(lower_expression(replace(lane, position=position, cells={}, columns=(), row=0), wall))
    return builder.any(conditions) if conditions else None


def barred(lane: Lane, start: tuple[Value, ...], there: tuple[Value, ...]) -> Value | None:
    """Whether (BOOL) a wall stops the way from one position to another (I32 per axis): there, or a thin one between
    them; `None` where there are none."""
    walls = [wall for wall in (stopped(lane, there), crossed(lane, start, there)) if wall is not None]
    return lane.builder.any(walls) if walls else None


def crossed(lane: Lane, start: tuple[Value, ...], there: tuple[Value, ...]) -> Value | None:
    """Whether (BOOL) a way leads from one side of a thin wall to the other; `None` where there are none."""
    builder, floor = lane.builder, lane.plan.ground
    if floor is None or floor.thin is None:
        return None
    of, to = (cell_index(builder, grid_of(lane.universe).sizes, position) for position in (start, there))
    rises = builder.less(of, to)
    apart = builder.select(rises, builder.sub(to, of), builder.sub(of, to))
    walls = builder.to_u32(builder.lookup(floor.thin.table, builder.select(rises, of, to)))
    meets = []
    for bit, number in enumerate(floor.thin.apart):
        between = builder.not_(builder.equal(builder.and_(walls, builder.u32(1 << bit)), builder.u32(0)))
        meets.append(builder.and_(between, builder.equal(apart, builder.i32(number))))
    return builder.any(meets)
