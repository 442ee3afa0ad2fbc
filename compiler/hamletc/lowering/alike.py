"""Counts of the agents on a cell that each agent names, `count(c) at (x, y)`: looked up by the cells of agents, where
each agent would ask all others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hamlet import schema
from hamlet.universe import AgentNumber, Among, Binary, Coordinate, Expression, Grid, OfAll, Own, Truth, owners
from hamletc.ir.ops import Value
from hamletc.lowering.expressions import lower_expression
from hamletc.lowering.functions import whole
from hamletc.lowering.lane import Lane
from hamletc.lowering.places import cell_index
from hamletc.lowering.reducer import Reducer

MOST_CELLS = 1 << 16
"""Cells of a grid, at most, of each of which kernels for CPUs have a number; of larger ones agents ask all others."""


def counted_on_cell(reducer: Reducer, asked: OfAll) -> str | None:
    """The name of the reduction of a count whose condition is that of a cell of the agent that asks, and one of the
    agents that are asked alone; `None` of anything else."""
    lane, grid = reducer.lane, reducer.lane.universe.space
    if not isinstance(grid, Grid) or not isinstance(asked, Among) or asked.op != "count":
        return None
    if schema.cells(grid) > MOST_CELLS:
        return None
    axes, conditions = schema.axes(lane.universe), list(_conjuncts(asked.operand))
    place = [_named(condition, axis) for condition, axis in zip(conditions, axes, strict=False)]
    coordinates = [each for each in place if each is not None]
    further = conditions[len(axes) :]
    others = any(map(_is_other, further))
    further = [condition for condition in further if not _is_other(condition)]
    if len(coordinates) < len(axes) or any(owners(condition)[0] for condition in further):
        return None
    builder = lane.builder
    held = [lower_expression(lane, condition) for condition in further]
    term = builder.all(held) if held else lower_expression(lane, Truth(True, asked.span))
    key = cell_index(builder, grid.sizes, lane.position)
    return reducer.alike(term, key, _cell(lane, grid, coordinates), schema.cells(grid), others=others)


def _conjuncts(condition: Expression) -> Iterator[Expression]:
    """Conditions that `and` joins."""
    if isinstance(condition, Binary) and condition.op == "and":
        yield from _conjuncts(condition.left)
        yield from _conjuncts(condition.right)
    else:
        yield condition


def _named(condition: Expression, axis: str) -> Expression | None:
    """The coordinate of the one who asks that a condition says an agent has on this axis."""
    match condition:
        case Binary(op="==", left=Coordinate(axis=own), right=Own(operand=coordinate)) if own == axis:
            return coordinate
        case Binary(op="==", left=Coordinate(axis=own), right=coordinate) if own == axis:
            return None if any(owners(coordinate)) else coordinate
        case _:
            return None


def _is_other(condition: Expression) -> bool:
    """Whether a condition is that an agent is not the one that asks."""
    match condition:
        case Binary(op="!=", left=AgentNumber(), right=Own(operand=AgentNumber())):
            return True
        case _:
            return False


def _cell(lane: Lane, grid: Grid, coordinates: Sequence[Expression]) -> Value:
    """The cell (I32) with these coordinates; -1 where there is none, also between cells."""
    builder, place, is_cell = lane.builder, [], []
    for coordinate, size in zip(coordinates, grid.sizes, strict=True):
        along = lower_expression(lane, coordinate)
        inside = builder.and_(
            builder.less_equal(builder.f32(0.0), along), builder.less_equal(along, builder.f32(float(size - 1)))
        )
        number = whole(builder, builder.select(inside, along, builder.f32(0.0)))
        is_cell += [inside, builder.equal(builder.to_f32(number), along)]
        place.append(number)
    cell = cell_index(builder, grid.sizes, tuple(place))
    return builder.select(builder.all(is_cell), cell, builder.i32(-1))
