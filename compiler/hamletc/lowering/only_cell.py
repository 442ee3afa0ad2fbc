"""The one cell of a world in which its rules of cells can do anything, where all their guards say which that is: as
`position x == column and position y == row` does."""

from __future__ import annotations

from hamlet.universe import Binary, Cells, Coordinate, Expression, Neighbours, Upon, nodes, parts
from hamlet.universe.space import axes_of
from hamletc.ir.function import ONLY_CELL, Construct, Function, Output
from hamletc.ir.ops import Value
from hamletc.lowering.cells import ALIKE, conjuncts, lane_of_world, placeless
from hamletc.lowering.expressions import lower_expression
from hamletc.lowering.functions import whole
from hamletc.lowering.places import cell_index, grid_of
from hamletc.lowering.plan import Plan


def only_cell(planned: Plan, cells: Cells) -> tuple[Function, ...]:
    """Inputs: `world.<name>` as the rules of the world leave them, params, `hour`. Output: `only_cell` (I32), the cell;
    -1 where there is none. No function where guards say no cell, or not the same one."""
    grid, axes = grid_of(planned.universe), axes_of(grid_of(planned.universe))
    places = [_named(rule.guard) for rule in cells.rules]
    alike = {tuple((axis, placeless(place[axis])) for axis in axes if axis in place) for place in places}
    together = any(isinstance(node, Neighbours | Upon) for rule in cells.rules for node in nodes(rule))
    if planned.universe.pushing is not None or together or len(alike) != 1 or len(places[0]) < len(axes):
        return ()
    place = tuple(places[0][axis] for axis in axes)
    lane = lane_of_world(planned, place)
    builder = lane.builder
    position: list[Value] = []
    holds: list[Value] = []
    with builder.at(Construct("rule", cells.rules[0].name), cells.rules[0].span):
        for expression, size in zip(place, grid.sizes, strict=True):
            x = lower_expression(lane, expression)
            coordinate = whole(builder, builder.clamp(x, builder.f32(0.0), builder.f32(float(size - 1))))
            holds.append(builder.equal(builder.to_f32(coordinate), x))
            position.append(coordinate)
        cell = builder.select(builder.all(holds), cell_index(builder, grid.sizes, tuple(position)), builder.i32(-1))
    return (builder.finish(ONLY_CELL, (Output(ONLY_CELL, cell),)),)


def _named(guard: Expression | None) -> dict[str, Expression]:
    """By axes, the coordinate of the cells for which a guard can hold, where all cells of a world have it alike."""
    result: dict[str, Expression] = {}
    for each in () if guard is None else conjuncts(guard):
        if isinstance(each, Binary) and each.op == "==":
            for mine, other in ((each.left, each.right), (each.right, each.left)):
                if isinstance(mine, Coordinate) and all(isinstance(node, ALIKE) for node, _ in parts(other)):
                    result.setdefault(mine.axis, other)
    return result
