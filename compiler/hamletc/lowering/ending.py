"""Steps 5 to 7 of a tick: death, age, reward."""

from __future__ import annotations

from dataclasses import dataclass

from hamlet import schema
from hamlet.numbers.binary32 import round32
from hamletc.ir.function import Construct
from hamletc.ir.ops import BOOL, Value
from hamletc.lowering.expressions import lower_expression
from hamletc.lowering.lane import Lane

ALIVE = "alive"
"""The input that tells, with episodes by hand, whether the lane is alive."""


@dataclass(frozen=True, slots=True)
class Ending:
    """How the tick ended: F32; BOOL, BOOL; I32, -1 where the episode goes on; F32 by the names that are reported."""

    reward: Value
    terminated: Value
    truncated: Value
    cause: Value
    reports: dict[str, Value]


def end(lane: Lane) -> Ending:
    """Test the causes of death, let the agent grow a tick older, test its lifespan, and pay."""
    builder, universe = lane.builder, lane.universe
    builder.begin("deaths")
    conditions = []
    for cause in universe.causes:
        with builder.at(Construct("dies when"), cause.span):
            conditions.append(lower_expression(lane, cause.condition))
    with builder.at(Construct("age"), None):
        lane.age = builder.add(lane.age, builder.i32(1))
    with builder.at(Construct("dies when"), universe.causes[0].span if universe.causes else None):
        dies = builder.any(conditions)
    lifespan = universe.lifespan
    with builder.at(Construct("lifespan"), None if lifespan is None else lifespan.span):
        if lifespan is None:
            reached = truncated = builder.boolean(False)
            number = builder.i32(schema.NOWHERE)
        else:
            reached = builder.less_equal(builder.i32(lifespan.ticks), lane.age)
            truncated = builder.and_(reached, builder.not_(dies))
            number = builder.select(truncated, builder.i32(len(universe.causes)), builder.i32(schema.NOWHERE))
    for index in reversed(range(len(conditions))):
        with builder.at(Construct("dies when"), universe.causes[index].span):
            number = builder.select(conditions[index], builder.i32(index), number)
    if not universe.by_hand:
        reward, reports = _pay(lane, dies, truncated)
        return Ending(reward, dies, truncated, number, reports)
    with builder.at(Construct("episodes by hand"), None):
        alive = builder.input(BOOL, ALIVE)
        number = builder.select(alive, number, builder.i32(schema.NOWHERE))
        unpaid = builder.or_(dies, builder.not_(alive))
        terminated, truncated = builder.and_(alive, dies), builder.and_(alive, truncated)
    reward, reports = _pay(lane, unpaid, reached)
    return Ending(reward, terminated, truncated, number, reports)


def _pay(lane: Lane, unpaid: Value, old: Value) -> tuple[Value, dict[str, Value]]:
    """The reward and the reports.

    Args:
        unpaid: whether (BOOL) the terms of the reward are 0.
        old: whether (BOOL) the lifespan's reward is paid.
    """
    builder, universe = lane.builder, lane.universe
    nothing, total = builder.f32(0.0), None
    reports: dict[str, Value] = {}
    builder.begin("reward")
    for term in universe.rewards:
        with builder.at(Construct("reward", term.name or ""), term.span):
            value = lower_expression(lane, term.value)
            if term.name is not None:
                reports[term.name] = builder.select(unpaid, nothing, value)
            total = value if total is None else builder.add(total, value)
    for report in universe.reports:
        with builder.at(Construct("report", report.name), report.span):
            reports[report.name] = lower_expression(lane, report.value)
    span = universe.rewards[0].span if universe.rewards else None
    with builder.at(Construct("reward"), span):
        total = nothing if total is None else total
        if universe.by_hand:
            total = builder.select(unpaid, nothing, total)
    if universe.lifespan is not None:
        with builder.at(Construct("lifespan"), universe.lifespan.span):
            lifespan = builder.f32(round32(universe.lifespan.reward))
            total = builder.select(old, builder.add(total, lifespan), total)
    with builder.at(Construct("reward"), span):
        if not universe.by_hand:
            # A lane that is truncated is paid.
            total = builder.select(unpaid, nothing, total)
    return total, reports
