"""Step 2 of a tick: INTERACT, its costs, and the affordances."""

from __future__ import annotations

from dataclasses import dataclass

from hamlet import schema
from hamlet.universe import Affordance, Hours
from hamletc.ir.builder import Builder
from hamletc.ir.ops import Value
from hamletc.lowering.by_table import interact_by_table
from hamletc.lowering.expressions import clock_hour, lower_expression
from hamletc.lowering.lane import Lane
from hamletc.lowering.layout import affordance_here
from hamletc.lowering.statements import pay, run


@dataclass(frozen=True, slots=True)
class _Lasting:
    """The number of the affordance that is completed in this tick, or -1; and the new state (all I32)."""

    completed: Value
    engaged: Value
    progress: Value


def interact(lane: Lane, action: Value) -> Value:
    """Carry out INTERACT where it is the action (I32); the number (I32) of the affordance used, or -1."""
    builder, universe = lane.builder, lane.universe
    with builder.at("interact", 0):
        interacting = builder.equal(action, builder.i32(schema.interact_action(universe)))
    for meter in universe.meters:
        if meter.interact is not None:
            pay(lane, f"meter {meter.name} interact", meter.span.line, meter.name, meter.interact, interacting)
    if lane.plan.catalogue is not None:
        return interact_by_table(lane, lane.plan.catalogue, _tried(lane, interacting))
    # At most one affordance is used, so all can be tested before any of them writes.
    tried = _tried(lane, interacting)
    hits = [_hit(lane, tried, number, affordance) for number, affordance in enumerate(universe.affordances)]
    lasting = _lasting(lane, hits)
    used = builder.i32(schema.NOWHERE)
    for number, (affordance, hit) in enumerate(zip(universe.affordances, hits, strict=True)):
        construct = f"affordance {affordance.name}"
        if lasting is None or affordance.duration is None:
            run(lane, construct, affordance.instantly, hit)
        else:
            run(lane, construct, affordance.each_tick, hit)
            with builder.at(construct, affordance.span.line):
                completing = builder.equal(lasting.completed, builder.i32(number))
            run(lane, construct, affordance.on_completion, completing)
        with builder.at(construct, affordance.span.line):
            used = builder.select(hit, builder.i32(number), used)
    if lasting is not None:
        lane.engaged, lane.progress = lasting.engaged, lasting.progress
    return used


def is_open(builder: Builder, hours: Hours, hour: Value) -> Value:
    """Whether opening hours include this hour (I32)."""
    opened = builder.less_equal(builder.i32(hours.opens), hour)
    not_closed = builder.less(hour, builder.i32(hours.closes))
    return builder.and_(opened, not_closed) if hours.opens < hours.closes else builder.or_(opened, not_closed)


def _tried(lane: Lane, interacting: Value) -> Value:
    """The number (I32) of the affordance that the agent tries to use, or -1."""
    builder = lane.builder
    if not lane.universe.affordances:
        return builder.i32(schema.NOWHERE)
    here = affordance_here(lane)
    with builder.at("interact", 0):
        return builder.select(interacting, here, builder.i32(schema.NOWHERE))


def _hit(lane: Lane, tried: Value, number: int, affordance: Affordance) -> Value:
    """Whether the agent uses this affordance."""
    builder = lane.builder
    with builder.at(f"affordance {affordance.name}", affordance.span.line):
        hit = builder.equal(tried, builder.i32(number))
        if affordance.hours is not None:
            hit = builder.and_(hit, is_open(builder, affordance.hours, clock_hour(lane)))
        if affordance.needs is not None:
            hit = builder.and_(hit, lower_expression(lane, affordance.needs))
        return hit


def _lasting(lane: Lane, hits: list[Value]) -> _Lasting | None:
    """What using a lasting affordance comes to; `None` where no affordance lasts."""
    builder = lane.builder
    if lane.engaged is None or lane.progress is None:
        return None
    here = affordance_here(lane)
    with builder.at("progress", 0):
        nowhere, nothing, one = builder.i32(schema.NOWHERE), builder.i32(0), builder.i32(1)
        reached = builder.select(builder.equal(lane.engaged, here), builder.add(lane.progress, one), one)
    used, duration = nowhere, nothing
    for number, (affordance, hit) in enumerate(zip(lane.universe.affordances, hits, strict=True)):
        if affordance.duration is not None:
            with builder.at(f"affordance {affordance.name}", affordance.span.line):
                used = builder.select(hit, builder.i32(number), used)
                duration = builder.select(hit, builder.i32(affordance.duration), duration)
    with builder.at("progress", 0):
        completes = builder.equal(reached, duration)
        engaged = builder.select(completes, nowhere, used)
        progress = builder.select(completes, nothing, reached)
        using = builder.less_equal(nothing, used)
        return _Lasting(
            builder.select(completes, used, nowhere),
            builder.select(using, engaged, lane.engaged),
            builder.select(using, progress, lane.progress),
        )
