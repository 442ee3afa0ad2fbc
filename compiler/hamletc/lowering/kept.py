"""What a kernel needs that keeps, for an episode, the cells of affordances at random: functions around the tick.

Such a kernel moves all lanes first, finds what stands on their cells by comparing those, and gives the tick both.
"""

from __future__ import annotations

from dataclasses import replace

from hamlet import schema
from hamletc.ir.builder import Builder
from hamletc.ir.function import Function, Output
from hamletc.ir.ops import I32, U32, Value
from hamletc.lowering.act import act
from hamletc.lowering.lane import Lane, input_lane
from hamletc.lowering.layout import cell_index, grid_of, new_layout, random_cell, random_index
from hamletc.lowering.plan import Plan


def kept_functions(planned: Plan) -> list[Function]:
    """`move`: the position after an action. `stand`: the cell (U32) of a position. `place`: the cell (U32) of the
    affordance at random of an index (U32), and behind those of an agent's start. `search`: the index (I32) of the one
    on a cell, or -1, from the layout. `shuffle`: the layout of an episode."""
    return [_move(planned), _stand(planned), _place(planned), _search(planned), _shuffle()]


def moved_position(lane: Lane) -> tuple[Value, ...]:
    """The position that `move` gave."""
    return tuple(lane.builder.input(I32, f"moved.{axis}") for axis in schema.axes(lane.universe))


def episode_layout(builder: Builder) -> Value:
    """The layout that `shuffle` gave."""
    return builder.input(U32, "layout")


def start_cell(builder: Builder) -> Value:
    """The cell (U32) that `place` gave for an agent's start."""
    return builder.input(U32, "cell")


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


def _shuffle() -> Function:
    builder = Builder()
    with builder.at("layout", None):
        seeds = builder.input(U32, "seed_low"), builder.input(U32, "seed_high")
        world, episode = builder.input(U32, "world"), builder.to_u32(builder.input(I32, "episode"))
        layout = new_layout(builder, *seeds, world, episode)
    return builder.finish("shuffle", (Output("layout", layout),))


def _search(planned: Plan) -> Function:
    builder, where = Builder(), planned.places
    with builder.at("here", None):
        layout, cell = builder.input(U32, "layout"), builder.input(U32, "cell")
        index = random_index(builder, where, layout, cell)
        known = builder.less(index, builder.u32(len(where.random)))
        found = builder.select(known, builder.to_i32(index), builder.i32(schema.NOWHERE))
    return builder.finish("search", (Output("found", found),))
