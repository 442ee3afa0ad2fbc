"""Steps 6 to 8 of a tick: deaths and goals, age, reward. Each goes on with what those before it gave."""

from __future__ import annotations

from dataclasses import field

from hamlet import schema
from hamlet.frozen import dataclass
from hamlet.numbers.binary32 import round32
from hamlet.universe import Cause, Potential
from hamletc.ir.function import Construct
from hamletc.ir.ops import BOOL, Value
from hamletc.lowering.expressions import lower_expression
from hamletc.lowering.lane import Lane

ALIVE = "alive"
"""The input that tells, with episodes by hand, whether the lane is alive."""


@dataclass(slots=True)
class Ending:
    """How the tick ends, as far as it has: what steps give, `None` before they have run.

    Attributes:
        conditions: BOOL, of each cause, in file order, as far as they have been tested.
        cause: I32, -1 where the episode goes on.
        terminated, truncated: BOOL.
        unpaid: who is not paid.
        old: BOOL, whether the lifespan's reward is paid.
        reward: F32.
        reports: F32 by the names that are reported.
    """

    conditions: list[Value] = field(default_factory=list)
    cause: Value | None = None
    terminated: Value | None = None
    truncated: Value | None = None
    unpaid: _Unpaid | None = None
    old: Value | None = None
    reward: Value | None = None
    reports: dict[str, Value] = field(default_factory=dict)


def deaths(lane: Lane, ending: Ending) -> None:
    """Test the causes of death and the goals."""
    builder = lane.builder
    for cause in lane.universe.causes:
        with builder.at(construct_of(cause), cause.span):
            ending.conditions.append(lower_expression(lane, cause.condition))


def age(lane: Lane, ending: Ending) -> None:
    """Let the agent grow a tick older, test its lifespan, and find what ends its episode."""
    builder, universe, conditions = lane.builder, lane.universe, ending.conditions
    if len(conditions) != len(universe.causes):
        raise ValueError("a birthday comes after deaths")
    with builder.at(Construct("age"), None):
        lane.age = builder.add(lane.age, builder.i32(1))
    with builder.at(Construct("dies when"), universe.causes[0].span if universe.causes else None):
        ends = dies = builder.any(conditions)
        deadly = [cause.goal is None for cause in universe.causes]
        if not all(deadly):
            dies = builder.any([each for each, kills in zip(conditions, deadly, strict=True) if kills])
    lifespan = universe.lifespan
    with builder.at(Construct("lifespan"), None if lifespan is None else lifespan.span):
        if lifespan is None:
            reached = truncated = builder.boolean(False)
            number = builder.i32(schema.NOWHERE)
        else:
            reached = builder.less_equal(builder.i32(lifespan.ticks), lane.age)
            if lifespan.of_world is not None:
                reached = builder.or_(reached, lower_expression(lane, lifespan.of_world))
            truncated = builder.and_(reached, builder.not_(ends))
            number = builder.select(truncated, builder.i32(len(universe.causes)), builder.i32(schema.NOWHERE))
    for index in reversed(range(len(conditions))):
        with builder.at(construct_of(universe.causes[index]), universe.causes[index].span):
            number = builder.select(conditions[index], builder.i32(index), number)
    if not universe.by_hand:
        ending.cause, ending.terminated, ending.truncated = number, ends, truncated
        ending.unpaid, ending.old = _Unpaid(dies, ends, None), truncated
        return
    with builder.at(Construct("episodes by hand"), None):
        alive = builder.input(BOOL, ALIVE)
        ending.cause = builder.select(alive, number, builder.i32(schema.NOWHERE))
        dead = builder.not_(alive)
        ending.unpaid, ending.old = _Unpaid(builder.or_(dies, dead), ends, dead), reached
        ending.terminated, ending.truncated = builder.and_(alive, ends), builder.and_(alive, truncated)


def construct_of(cause: Cause) -> Construct:
    """The construct of a cause, as the origin of its operations."""
    return Construct("dies when" if cause.goal is None else "ends when")


@dataclass(frozen=True, slots=True)
class _Unpaid:
    """Who (BOOL) is not paid: the terms of the reward are 0; a potential counts as 0 after the tick; potentials pay
    nothing either, as the agent was dead before (`None`: no agent was)."""

    terms: Value
    after: Value
    dead: Value | None


def reward(lane: Lane, ending: Ending) -> None:
    """Find the reward and the reports."""
    builder, universe = lane.builder, lane.universe
    unpaid, old, cause = ending.unpaid, ending.old, ending.cause
    if unpaid is None or old is None or cause is None:
        raise ValueError("rewards come after deaths and age")
    nothing, total = builder.f32(0.0), None
    reports = ending.reports
    shapes = any(term.potential is not None for term in universe.rewards)
    for term in universe.rewards:
        with builder.at(Construct("reward", term.name or ""), term.span):
            value = lower_expression(lane, term.value)
            if term.potential is not None:
                value = _shaped(lane, value, term.potential, unpaid)
            elif shapes or term.name is not None:
                paid = builder.select(unpaid.terms, nothing, value)
                value = paid if shapes else value
            if term.name is not None:
                reports[term.name] = value if term.potential is not None else paid
            total = value if total is None else builder.add(total, value)
    for report in universe.reports:
        with builder.at(Construct("report", report.name), report.span):
            reports[report.name] = lower_expression(lane, report.value)
    span = universe.rewards[0].span if universe.rewards else None
    with builder.at(Construct("reward"), span):
        total = nothing if total is None else total
        if universe.by_hand and not shapes:
            total = builder.select(unpaid.terms, nothing, total)
    for number, item in enumerate(universe.causes):
        if item.goal is not None:
            with builder.at(Construct("ends when"), item.goal.span):
                reached = builder.equal(cause, builder.i32(number))
                bonus = lower_expression(lane, item.goal.reward)
                total = builder.select(reached, builder.add(total, bonus), total)
    if universe.lifespan is not None:
        with builder.at(Construct("lifespan"), universe.lifespan.span):
            lifespan = builder.f32(round32(universe.lifespan.reward))
            total = builder.select(old, builder.add(total, lifespan), total)
    with builder.at(Construct("reward"), span):
        if not (universe.by_hand or shapes):
            # A lane that is truncated, or has reached a goal, is paid.
            total = builder.select(unpaid.terms, nothing, total)
    ending.reward = total


def _shaped(lane: Lane, value: Value, potential: Potential, unpaid: _Unpaid) -> Value:
    """The payment of a potential whose value after the tick this is."""
    builder, nothing = lane.builder, lane.builder.f32(0.0)
    after = builder.mul(builder.f32(round32(potential.discount)), builder.select(unpaid.after, nothing, value))
    gained = builder.sub(after, lower_expression(lane, potential.before))
    return gained if unpaid.dead is None else builder.select(unpaid.dead, nothing, gained)
