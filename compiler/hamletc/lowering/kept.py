"""What a kernel needs that keeps, for an episode, the cells of affordances at random: functions around the tick.

Such a kernel moves all lanes first, finds what stands on their cells by comparing those, and gives the tick both.
"""

from __future__ import annotations

from dataclasses import replace

from hamlet import schema
from hamletc.ir.builder import Builder
from hamletc.ir.function import Function, Output
from hamletc.ir.ops import Value
from hamletc.ir.typing import I32, U32
from hamletc.lowering.act import act
from hamletc.lowering.lane import Lane, input_lane
from hamletc.lowering.layout import cell_index, grid_of, random_cell, random_index
from hamletc.lowering.plan import Plan


def kept_functions(planned: Plan) -> list[Function]:
    """`move`: the position after an action. `stand`: the cell (U32) of a position. `place`: the cell (U32) of the
    affordance at random of an index (U32). `search`: the index (I32) of the one on a cell, or -1, from the layout."""
    return [_move(planned), _stand(planned), _place(planned), _search(planned)]


def moved_position(lane: Lane) -> tuple[Value, ...]:
    """The position that `move` gave."""
    return tuple(lane.builder.input(I32, f"moved.{axis}") for axis in schema.axes(lane.universe))


def found(lane: Lane) -> Value:
    """The index (I32) of the affordance at random on the agent's cell, or -1."""
    with lane.builder.at("here", None):
        return lane.builder.input(I32, "found")


def _move(planned: Plan) -> Function:
    builder = Builder()
    lane = input_lane(planned, builder)
    lane.before = replace(lane, meters=dict(lane.meters), streaks=dict(lane.streaks), seen=dict(lane.seen))
    act(lane, builder.input(I32, "action"))
    axes = schema.axes(planned.universe)
    outputs = (Output(f"moved.{axis}", value) for axis, value in zip(axes, lane.position, strict=True))
    return builder.finish("move", tuple(outputs))


def _stand(planned: Plan) -> Function:
    builder = Builder()
    with builder.at("here", None):
        axes = schema.axes(planned.universe)
        position = tuple(builder.input(I32, f"position.{axis}") for axis in axes)
        cell = builder.to_u32(cell_index(builder, grid_of(planned.universe).sizes, position))
    return builder.finish("stand", (Output("cell", cell),))


def _place(planned: Plan) -> Function:
    builder = Builder()
    with builder.at("layout", None):
        cell = random_cell(builder, planned.places, builder.input(U32, "layout"), builder.input(U32, "index"))
    return builder.finish("place", (Output("cell", cell),))


def _search(planned: Plan) -> Function:
    builder, where = Builder(), planned.places
    with builder.at("here", None):
        layout, cell = builder.input(U32, "layout"), builder.input(U32, "cell")
        index = random_index(builder, where, layout, cell)
        known = builder.less(index, builder.u32(len(where.random)))
        found = builder.select(known, builder.to_i32(index), builder.i32(schema.NOWHERE))
    return builder.finish("search", (Output("found", found),))
