"""Steps 5 and 6 of a tick: death, age and lifespan."""

from __future__ import annotations

from dataclasses import dataclass

from hamlet import schema
from hamletc.ir.ops import Value
from hamletc.lowering.expressions import lower_expression
from hamletc.lowering.lane import Lane


@dataclass(frozen=True, slots=True)
class End:
    """Whether the episode of a lane ends (BOOL), and the number of the cause (I32), -1 where it goes on."""

    terminated: Value
    truncated: Value
    cause: Value


def die(lane: Lane) -> End:
    """Test the causes of death, then let the agent grow a tick older and test its lifespan."""
    builder, universe = lane.builder, lane.universe
    conditions = []
    for cause in universe.causes:
        with builder.at("dies when", cause.span.line):
            conditions.append(lower_expression(lane, cause.condition))
    with builder.at("age", 0):
        lane.age = builder.add(lane.age, builder.i32(1))
    with builder.at("dies when", universe.causes[0].span.line if universe.causes else 0):
        terminated = builder.any(conditions)
    if universe.lifespan is None:
        with builder.at("lifespan", 0):
            truncated, number = builder.boolean(False), builder.i32(schema.NOWHERE)
    else:
        with builder.at("lifespan", universe.lifespan.span.line):
            reached = builder.less_equal(builder.i32(universe.lifespan.ticks), lane.age)
            truncated = builder.and_(reached, builder.not_(terminated))
            number = builder.select(truncated, builder.i32(len(universe.causes)), builder.i32(schema.NOWHERE))
    for index in reversed(range(len(conditions))):
        with builder.at("dies when", universe.causes[index].span.line):
            number = builder.select(conditions[index], builder.i32(index), number)
    return End(terminated, truncated, number)
