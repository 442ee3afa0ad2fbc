"""At which affordances an agent is."""

from __future__ import annotations

from hamlet import schema
from hamlet.numbers.binary32 import round32
from hamlet.universe import Continuous, Grid, NoSpace
from hamletc.ir.ops import Value
from hamletc.lowering.distance import distance
from hamletc.lowering.lane import Lane
from hamletc.lowering.layout import affordance_here, cell_words


def is_at(lane: Lane, number: int) -> Value:
    """Whether (BOOL) the agent is at the affordance of this number."""
    builder = lane.builder
    match lane.universe.space:
        case Grid() as grid if lane.plan.computed:
            return builder.equal(affordance_here(lane), builder.i32(number))
        case Grid() as grid:
            with builder.at("here", None):
                own = cell_words(builder, grid, lane.position)
                return builder.all([builder.equal(a, b) for a, b in zip(own, lane.places[number], strict=True)])
        case Continuous(reach=reach):
            with builder.at("here", None):
                return builder.less_equal(distance(lane, number), builder.f32(round32(reach)))
        case NoSpace():
            return builder.boolean(True)


def is_nowhere(lane: Lane) -> Value:
    """Whether (BOOL) the agent is at no affordance."""
    builder = lane.builder
    if lane.plan.computed:
        return builder.equal(affordance_here(lane), builder.i32(schema.NOWHERE))
    return builder.not_(builder.any([is_at(lane, number) for number in range(len(lane.universe.affordances))]))
