"""Step 2 of a tick: INTERACT, its costs, and the affordances."""

from __future__ import annotations

from hamlet import schema
from hamlet.universe import Affordance, Hours
from hamletc.ir.builder import Builder
from hamletc.ir.ops import Value
from hamletc.lowering.expressions import clock_hour, lower_expression
from hamletc.lowering.lane import Lane
from hamletc.lowering.layout import affordance_here
from hamletc.lowering.statements import pay, run


def interact(lane: Lane, action: Value) -> Value:
    """Carry out INTERACT where it is the action (I32); the number (I32) of the affordance used, or -1."""
    builder, universe = lane.builder, lane.universe
    with builder.at("interact", 0):
        interacting = builder.equal(action, builder.i32(schema.interact_action(universe)))
    for meter in universe.meters:
        if meter.interact is not None:
            pay(lane, f"meter {meter.name} interact", meter.span.line, meter.name, meter.interact, interacting)
    # At most one affordance is used, so all can be tested before any of them writes.
    tried = _tried(lane, interacting)
    hits = [_hit(lane, tried, number, affordance) for number, affordance in enumerate(universe.affordances)]
    reached = _reached(lane)
    lasting, completed = [], []
    for affordance, hit in zip(universe.affordances, hits, strict=True):
        construct = f"affordance {affordance.name}"
        if affordance.duration is None:
            run(lane, construct, affordance.instantly, hit)
        else:
            run(lane, construct, affordance.each_tick, hit)
            with builder.at(construct, affordance.span.line):
                completing = builder.and_(hit, builder.equal(reached, builder.i32(affordance.duration)))
            run(lane, construct, affordance.on_completion, completing)
            lasting.append(hit)
            completed.append(completing)
    _engage(lane, tried, reached, lasting, completed)
    with builder.at("interact", 0):
        return builder.select(builder.any(hits), tried, builder.i32(schema.NOWHERE))


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


def _reached(lane: Lane) -> Value:
    """The progress (I32) that an agent makes by using a lasting affordance on its cell, this tick included."""
    builder = lane.builder
    if lane.engaged is None or lane.progress is None:
        return builder.i32(0)
    here = affordance_here(lane)
    with builder.at("progress", 0):
        one = builder.i32(1)
        continued = builder.equal(lane.engaged, here)
        return builder.select(continued, builder.add(lane.progress, one), one)


def _engage(lane: Lane, tried: Value, reached: Value, lasting: list[Value], completed: list[Value]) -> None:
    """Where a lasting affordance was used, the agent is engaged in it, or done with it where that completed it."""
    builder = lane.builder
    if lane.engaged is None or lane.progress is None:
        return
    with builder.at("progress", 0):
        done, using = builder.any(completed), builder.any(lasting)
        engaged = builder.select(done, builder.i32(schema.NOWHERE), tried)
        progress = builder.select(done, builder.i32(0), reached)
        lane.engaged = builder.select(using, engaged, lane.engaged)
        lane.progress = builder.select(using, progress, lane.progress)
