"""Walls: those of a map, and those of which a condition of cells decides (docs/semantics.md, "Drawn walls")."""

from __future__ import annotations

from dataclasses import replace

from hamletc.ir.ops import Value
from hamletc.lowering.expressions import lower_expression
from hamletc.lowering.lane import Lane
from hamletc.lowering.places import cell_index, grid_of
from hamletc.lowering.terrain import is_wall


def stops(lane: Lane) -> bool:
    """Whether some cells cannot be entered, always or at times."""
    floor = lane.plan.ground
    return lane.universe.wall is not None or (floor is not None and floor.has_walls)


def stopped(lane: Lane, position: tuple[Value, ...]) -> Value | None:
    """Whether (BOOL) a position on the grid (I32 per axis) is a wall, on the state that the lane's cells have; `None`
    where there are none."""
    builder, floor, wall = lane.builder, lane.plan.ground, lane.universe.wall
    if not stops(lane):
        return None
    sizes, conditions = grid_of(lane.universe).sizes, []
    if lane.columns:
        # A lane that does something else in this tick has its numbers here, which may name no cell.
        ends = ((builder.i32(0), builder.i32(size - 1)) for size in sizes)
        position = tuple(builder.clamp(x, low, high) for x, (low, high) in zip(position, ends, strict=True))
    if floor is not None and floor.has_walls:
        conditions.append(is_wall(builder, floor, cell_index(builder, sizes, position)))
    if wall is not None:
        conditions.append(lower_expression(replace(lane, position=position, cells={}, columns=(), row=0), wall))
    return builder.any(conditions)
