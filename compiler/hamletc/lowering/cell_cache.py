"""The cell cache: a kernel for CPUs computes the cells of affordances at random once per episode, and its launcher has
them in memory from launch to launch (docs/design.md, "Performance rules").

Such a kernel moves all lanes first, finds what stands on their cells by comparing those, and gives the tick both. Here
are the functions that it calls around the tick, and the inputs that it gives the others.
"""

from __future__ import annotations

from collections.abc import Mapping

from hamlet import schema
from hamlet.universe import OfAll, Upon
from hamletc.ir.builder import Builder
from hamletc.ir.function import Construct, Function, Output
from hamletc.ir.ops import I32, U32, Value
from hamletc.lowering.act import act
from hamletc.lowering.lane import Lane, begin_tick
from hamletc.lowering.layouts import new_layout, random_cell, random_index
from hamletc.lowering.places import cell_index, grid_of
from hamletc.lowering.plan import Plan


def cell_cache_functions(planned: Plan, together: Mapping[OfAll | Upon, tuple[str, ...]]) -> list[Function]:
    """`move`: the position after an action. `stand`: the cell (U32) of a position. `place`: the cell (U32) of the
    affordance at random of an index (U32), and behind those of an agent's start. `search`: the index (I32) of the one
    on a cell, or -1, from the layout. `shuffle`: the layout of an episode. `together` is what actions may ask for."""
    return [_move(planned, together), _stand(planned), _place(planned), _search(planned), _shuffle()]


def moved_position(lane: Lane) -> tuple[Value, ...]:
    """The position that `move` gave."""
    return tuple(lane.builder.input(I32, f"moved.{axis}") for axis in schema.axes(lane.universe))


def searched(lane: Lane) -> Value:
    """The index (I32) of the affordance at random on the agent's cell, or -1."""
    with lane.builder.at(Construct("here"), None):
        return lane.builder.input(I32, "found")


def _move(planned: Plan, together: Mapping[OfAll | Upon, tuple[str, ...]]) -> Function:
    builder = Builder("act")
    lane, action = begin_tick(planned, builder)
    lane.among = together
    act(lane, action)
    axes = schema.axes(planned.universe)
    outputs = (Output(f"moved.{axis}", value) for axis, value in zip(axes, lane.position, strict=True))
    return builder.finish("move", tuple(outputs))


def _stand(planned: Plan) -> Function:
    builder = Builder("interact")
    with builder.at(Construct("here"), None):
        axes = schema.axes(planned.universe)
        position = tuple(builder.input(I32, f"position.{axis}") for axis in axes)
        cell = builder.to_u32(cell_index(builder, grid_of(planned.universe).sizes, position))
    return builder.finish("stand", (Output("cell", cell),))


def _place(planned: Plan) -> Function:
    builder = Builder("episode")
    with builder.at(Construct("layout"), None):
        where, layout, index = planned.places, builder.input(U32, "layout"), builder.input(U32, "index")
        if where.dealt is not None:
            # Kernels ask for more than there is and drop what they get, but a table has no rows beyond its cells.
            is_free = builder.less(index, builder.u32(where.free.size))
            index = builder.select(is_free, index, builder.u32(0))
        cell = random_cell(builder, where, layout, index)
    return builder.finish("place", (Output("cell", cell),))


def _search(planned: Plan) -> Function:
    builder, where = Builder("interact"), planned.places
    with builder.at(Construct("here"), None):
        layout, cell = builder.input(U32, "layout"), builder.input(U32, "cell")
        index = random_index(builder, where, layout, cell)
        is_random = builder.less(index, builder.u32(len(where.random)))
        result = builder.select(is_random, builder.to_i32(index), builder.i32(schema.NOWHERE))
    return builder.finish("search", (Output("found", result),))


def _shuffle() -> Function:
    builder = Builder("episode")
    with builder.at(Construct("layout"), None):
        seeds = builder.input(U32, "seed_low"), builder.input(U32, "seed_high")
        world, episode = builder.input(U32, "world"), builder.to_u32(builder.input(I32, "episode"))
        layout = new_layout(builder, *seeds, world, episode)
    return builder.finish("shuffle", (Output("layout", layout),))
