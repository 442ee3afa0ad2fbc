"""Which actions do something for a lane that is alive."""

from __future__ import annotations

from hamlet import schema
from hamletc.ir.function import Output
from hamletc.ir.ops import Value
from hamletc.lowering.by_table import row_is_open
from hamletc.lowering.expressions import clock_hour
from hamletc.lowering.interact import is_open
from hamletc.lowering.lane import Lane
from hamletc.lowering.layout import affordance_here


def mask(lane: Lane) -> tuple[Output, ...]:
    """One output `action.<NAME>` (BOOL) per action, in order."""
    builder, universe = lane.builder, lane.universe
    with builder.at("mask", universe.space.span.line):
        allowed = [_can_move(lane, delta) for delta in schema.move_deltas(universe)]
    with builder.at("mask", 0):
        allowed.append(_can_interact(lane))
        names = schema.action_names(universe)
        allowed += [builder.boolean(True)] * (len(names) - len(allowed))
    return tuple(Output(f"action.{name}", value) for name, value in zip(names, allowed, strict=True))


def _can_move(lane: Lane, delta: tuple[int, ...]) -> Value:
    """Whether the move is not stopped by the edge. It goes along one axis."""
    builder, space = lane.builder, lane.universe.space
    axis = next(axis for axis, step in enumerate(delta) if step)
    size = space.sizes[axis]
    if space.edges in ("wrap", "bounce"):
        return builder.boolean(size > 1)
    if delta[axis] < 0:
        return builder.less(builder.i32(0), lane.position[axis])
    return builder.less(lane.position[axis], builder.i32(size - 1))


def _can_interact(lane: Lane) -> Value:
    """Whether the agent stands on an affordance that is not closed."""
    builder = lane.builder
    here = affordance_here(lane)
    somewhere = builder.less_equal(builder.i32(0), here)
    if lane.plan.catalogue is not None:
        row = builder.select(somewhere, here, builder.i32(0))
        return builder.and_(somewhere, row_is_open(lane, lane.plan.catalogue, row))
    closed = [
        builder.and_(
            builder.equal(here, builder.i32(number)),
            builder.not_(is_open(builder, affordance.hours, clock_hour(lane))),
        )
        for number, affordance in enumerate(lane.universe.affordances)
        if affordance.hours is not None
    ]
    return builder.and_(somewhere, builder.not_(builder.any(closed)))
