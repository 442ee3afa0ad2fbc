"""Step 2 of a tick: INTERACT, its costs, and the affordances."""

from __future__ import annotations

from dataclasses import dataclass

from hamlet import schema
from hamlet.universe import Affordance
from hamletc.ir.ops import Value
from hamletc.lowering.by_table import interact_by_table
from hamletc.lowering.expressions import clock_hour, lower_expression
from hamletc.lowering.hours import is_open
from hamletc.lowering.in_turn import interact_in_turn
from hamletc.lowering.lane import Lane
from hamletc.lowering.lasting import Reached, reach, settle
from hamletc.lowering.layout import affordance_here
from hamletc.lowering.statements import pay, run, run_tick
from hamletc.lowering.uses import remember_uses


def interact(lane: Lane, action: Value) -> Value:
    """Carry out INTERACT where it is the action (I32); the number (I32) of the affordance used, or -1."""
    builder, universe = lane.builder, lane.universe
    with builder.at("interact", None):
        interacting = builder.equal(action, builder.i32(schema.interact_action(universe)))
    for meter in universe.meters:
        if meter.interact is not None:
            pay(lane, f"meter {meter.name} interact", meter.span, meter.name, meter.interact, interacting)
    if not lane.plan.computed:
        used = interact_in_turn(lane, interacting)
    elif lane.plan.catalogue is not None:
        used = interact_by_table(lane, lane.plan.catalogue, _tried(lane, interacting))
    else:
        used = _interact_exclusively(lane, interacting)
    remember_uses(lane, interacting, used)
    return used


def _interact_exclusively(lane: Lane, interacting: Value) -> Value:
    """An agent is at one affordance at most, so all can be tested before any of them writes."""
    builder, universe = lane.builder, lane.universe
    tried = _tried(lane, interacting)
    hits = [_hit(lane, tried, number, affordance) for number, affordance in enumerate(universe.affordances)]
    lasting = _lasting(lane, hits)
    before = lane.progress
    used = builder.i32(schema.NOWHERE)
    for number, (affordance, hit) in enumerate(zip(universe.affordances, hits, strict=True)):
        construct = f"affordance {affordance.name}"
        if lasting is None or affordance.duration is None:
            run(lane, construct, affordance.instantly, hit)
        else:
            with builder.at(construct, affordance.span):
                completing = builder.equal(lasting.completed, builder.i32(number))
            lane.progress = lasting.reached.progress
            body = affordance.each_tick, affordance.on_completion, affordance.together
            run_tick(lane, construct, affordance.span, *body, hit, completing)
            lane.progress = before
        with builder.at(construct, affordance.span):
            used = builder.select(hit, builder.i32(number), used)
    if lasting is not None:
        settle(lane, lasting.used, lasting.reached, lasting.completes, lasting.using)
    return used


@dataclass(frozen=True, slots=True)
class _Lasting:
    """What using a lasting affordance comes to.

    Attributes:
        used: its number (I32), or -1.
        completes: whether (BOOL) it is completed, if it is used.
        completed: its number (I32) where it is completed, or -1.
        using: whether (BOOL) one is used.
    """

    used: Value
    reached: Reached
    completes: Value
    completed: Value
    using: Value


def _tried(lane: Lane, interacting: Value) -> Value:
    """The number (I32) of the affordance that the agent tries to use, or -1."""
    builder = lane.builder
    if not lane.universe.affordances:
        return builder.i32(schema.NOWHERE)
    here = affordance_here(lane)
    with builder.at("interact", None):
        return builder.select(interacting, here, builder.i32(schema.NOWHERE))


def _hit(lane: Lane, tried: Value, number: int, affordance: Affordance) -> Value:
    """Whether the agent uses this affordance."""
    builder = lane.builder
    with builder.at(f"affordance {affordance.name}", affordance.span):
        hit = builder.equal(tried, builder.i32(number))
        if affordance.hours is not None:
            hit = builder.and_(hit, is_open(builder, affordance.hours, clock_hour(lane)))
        if affordance.needs is not None:
            hit = builder.and_(hit, lower_expression(lane, affordance.needs))
        return hit


def _lasting(lane: Lane, hits: list[Value]) -> _Lasting | None:
    """`None` where no affordance lasts."""
    builder = lane.builder
    if lane.engaged is None or lane.progress is None:
        return None
    reached = reach(lane, affordance_here(lane))
    nowhere, nothing = builder.i32(schema.NOWHERE), builder.i32(0)
    used, duration = nowhere, nothing
    for number, (affordance, hit) in enumerate(zip(lane.universe.affordances, hits, strict=True)):
        if affordance.duration is not None:
            with builder.at(f"affordance {affordance.name}", affordance.span):
                used = builder.select(hit, builder.i32(number), used)
                duration = builder.select(hit, builder.i32(affordance.duration), duration)
    with builder.at("progress", None):
        completes = builder.equal(reached.progress, duration)
        completed = builder.select(completes, used, nowhere)
        return _Lasting(used, reached, completes, completed, builder.less_equal(nothing, used))
