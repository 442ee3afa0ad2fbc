"""Affordances of which several may be used in one tick, one after the other (see `interact`)."""

from __future__ import annotations

from hamlet import schema
from hamletc.ir.ops import Value
from hamletc.lowering.expressions import clock_hour, lower_expression
from hamletc.lowering.here import is_at
from hamletc.lowering.hours import is_open
from hamletc.lowering.lane import Lane
from hamletc.lowering.lasting import reach, settle
from hamletc.lowering.statements import run, run_tick


def interact_in_turn(lane: Lane, interacting: Value) -> Value:
    """Use the affordances that the agent is at, where it interacts (BOOL); the number (I32) of the last one, or -1."""
    builder = lane.builder
    with builder.at("interact", None):
        used = builder.i32(schema.NOWHERE)
    for number, affordance in enumerate(lane.universe.affordances):
        construct = f"affordance {affordance.name}"
        with builder.at(construct, affordance.span):
            hit = builder.and_(interacting, is_at(lane, number))
            if affordance.hours is not None:
                hit = builder.and_(hit, is_open(builder, affordance.hours, clock_hour(lane)))
            if affordance.needs is not None:
                hit = builder.and_(hit, lower_expression(lane, affordance.needs))
            used = builder.select(hit, builder.i32(number), used)
        if affordance.duration is None:
            run(lane, construct, affordance.instantly, hit)
            continue
        with builder.at(construct, affordance.span):
            own = builder.i32(number)
        reached, before = reach(lane, own), lane.progress
        with builder.at(construct, affordance.span):
            completes = builder.equal(reached.progress, builder.i32(affordance.duration))
            completing = builder.and_(hit, completes)
        lane.progress = reached.progress
        body = affordance.each_tick, affordance.on_completion, affordance.together
        run_tick(lane, construct, affordance.span, *body, hit, completing)
        lane.progress = before
        settle(lane, own, reached, completes, hit)
    return used
