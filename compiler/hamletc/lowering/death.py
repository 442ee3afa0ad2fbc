"""Steps 5 and 6 of a tick: death, age and lifespan."""

from __future__ import annotations

from dataclasses import dataclass

from hamlet import schema
from hamletc.ir.ops import BOOL, Value
from hamletc.lowering.expressions import lower_expression
from hamletc.lowering.lane import Lane

ALIVE = "alive"
"""The input that tells, with episodes by hand, whether the lane is alive."""


@dataclass(frozen=True, slots=True)
class End:
    """Whether the episode of a lane ends (BOOL), and the number of the cause (I32), -1 where it goes on.

    Attributes:
        unpaid: whether (BOOL) the terms of the reward are 0.
        old: whether (BOOL) the lifespan's reward is paid.
    """

    terminated: Value
    truncated: Value
    cause: Value
    unpaid: Value
    old: Value


def die(lane: Lane) -> End:
    """Test the causes of death, then let the agent grow a tick older and test its lifespan."""
    builder, universe = lane.builder, lane.universe
    conditions = []
    for cause in universe.causes:
        with builder.at("dies when", cause.span):
            conditions.append(lower_expression(lane, cause.condition))
    with builder.at("age", None):
        lane.age = builder.add(lane.age, builder.i32(1))
    with builder.at("dies when", universe.causes[0].span if universe.causes else None):
        dies = builder.any(conditions)
    if universe.lifespan is None:
        with builder.at("lifespan", None):
            reached = truncated = builder.boolean(False)
            number = builder.i32(schema.NOWHERE)
    else:
        with builder.at("lifespan", universe.lifespan.span):
            reached = builder.less_equal(builder.i32(universe.lifespan.ticks), lane.age)
            truncated = builder.and_(reached, builder.not_(dies))
            number = builder.select(truncated, builder.i32(len(universe.causes)), builder.i32(schema.NOWHERE))
    for index in reversed(range(len(conditions))):
        with builder.at("dies when", universe.causes[index].span):
            number = builder.select(conditions[index], builder.i32(index), number)
    if not universe.by_hand:
        return End(dies, truncated, number, dies, truncated)
    with builder.at("episodes by hand", None):
        alive = builder.input(BOOL, ALIVE)
        number = builder.select(alive, number, builder.i32(schema.NOWHERE))
        unpaid = builder.or_(dies, builder.not_(alive))
        return End(builder.and_(alive, dies), builder.and_(alive, truncated), number, unpaid, reached)
