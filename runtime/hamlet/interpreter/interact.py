"""Step 2 of a tick: INTERACT."""

from __future__ import annotations

import torch
from torch import Tensor

from hamlet import schema
from hamlet.interpreter import coverage
from hamlet.interpreter.act import disengage
from hamlet.interpreter.expressions import at, evaluate
from hamlet.interpreter.lanes import Lanes
from hamlet.interpreter.solid import facing
from hamlet.interpreter.statements import clamp_written, run, subtract
from hamlet.universe import Affordance, Hours
from hamlet.universe.actions import WAIT


def interact(lanes: Lanes, actions: Tensor) -> Tensor:
    """Interact with what the agents are at; the number of the last affordance that each used, or -1: i32."""
    universe = lanes.universe
    interacting = lanes.running & (actions == lanes.constant.interact)
    lanes.count(coverage.action("INTERACT"), interacting)
    if lanes.walked is not None:
        lanes.count(coverage.WALKED, lanes.walked)
        interacting = interacting | lanes.walked
    names = lanes.constant.actions
    if WAIT in names:
        lanes.count(coverage.action(WAIT), lanes.running & (actions == names.index(WAIT)))
    for meter in universe.meters:
        if meter.interact is not None:
            subtract(meter.name, meter.interact, lanes, interacting, f"meter {meter.name}: interact", meter.span)
    used, users = torch.full_like(lanes.age, schema.NOWHERE), dict[str, Tensor]()
    requests, began = torch.zeros_like(lanes.age), lanes.position
    seen = facing(lanes, lanes)
    there = {affordance.name: at(seen, affordance.name) for affordance in universe.affordances}
    for number, affordance in enumerate(universe.affordances):
        who = interacting & there[affordance.name]
        if who.any():
            requests = requests + who.to(torch.int32)
            who = admitted(affordance, lanes, who)
            if affordance.capacity is not None:
                who = who & lanes.granted[affordance.name]
            used, users[affordance.name] = used.masked_fill(who, number), who
            if affordance.duration is None:
                construct = coverage.use(affordance.name, "instantly")
                lanes.count(construct, who)
                run(affordance.instantly, lanes, who, construct)
            else:
                spend_tick(number, affordance, affordance.duration, lanes, who)
    lanes.count(coverage.SEVERAL_AT_ONCE, requests > 1)
    disengage(lanes, began, torch.zeros_like(interacting))
    lanes.used = users
    remember_uses(lanes, interacting, used)
    return used


def admitted(affordance: Affordance, lanes: Lanes, who: Tensor) -> Tensor:
    """Who of the agents at an affordance find it open and meet its `needs`."""
    opened = is_open(affordance, lanes)
    lanes.count(coverage.use(affordance.name, "closed"), who & ~opened)
    who = who & opened
    if affordance.needs is not None:
        able = evaluate(affordance.needs, lanes)
        lanes.count(coverage.use(affordance.name, "refused"), who & ~able)
        who = who & able
    return who


def can_use(affordance: Affordance, lanes: Lanes) -> Tensor:
    """Who would find an affordance open and meet its `needs`."""
    opened = is_open(affordance, lanes)
    return opened if affordance.needs is None else opened & evaluate(affordance.needs, lanes)


def is_open(affordance: Affordance, lanes: Lanes) -> Tensor:
    """In which worlds an affordance is open, bool [worlds, 1]."""
    opened = includes(affordance.hours, lanes.hour)
    return opened if affordance.opening is None else opened & evaluate(affordance.opening, lanes)[:, :1]


def includes(hours: Hours | None, hour: Tensor) -> Tensor:
    """In which worlds it is one of these hours, bool [worlds, 1]."""
    if hours is None:
        return torch.ones_like(hour, dtype=torch.bool)
    if hours.opens < hours.closes:
        return (hours.opens <= hour) & (hour < hours.closes)
    return (hour >= hours.opens) | (hour < hours.closes)


def spend_tick(number: int, affordance: Affordance, duration: int, lanes: Lanes, who: Tensor) -> None:
    """One more tick at an affordance that lasts, in the lanes `who`. One with duration 0 is never completed."""
    goes_on = lanes.engaged == number
    for axis, used_at in enumerate(lanes.used_at):
        goes_on = goes_on & (lanes.position[axis] == used_at)
    lanes.progress = torch.where(who, torch.where(goes_on, lanes.progress + 1, 1), lanes.progress)
    lanes.engaged = lanes.engaged.masked_fill(who, number)
    begins = who & ~goes_on
    lanes.used_at = tuple(torch.where(begins, lanes.position[axis], old) for axis, old in enumerate(lanes.used_at))
    construct = coverage.use(affordance.name, "each tick")
    lanes.count(construct, who)
    run(affordance.each_tick, lanes, who, construct)
    done = who & (lanes.progress == duration)
    if duration > 0:
        construct = coverage.use(affordance.name, "on completion")
        lanes.count(construct, done)
        run(affordance.on_completion, lanes, done, construct)
    if affordance.together:
        written = (*affordance.each_tick, *affordance.on_completion)
        clamp_written(written, lanes, who, coverage.use(affordance.name, "together"), affordance.span)
    lanes.engaged = lanes.engaged.masked_fill(done, schema.NOWHERE)
    lanes.progress = lanes.progress.masked_fill(done, 0)


def remember_uses(lanes: Lanes, interacting: Tensor, used: Tensor) -> None:
    """Update last, streaks and seen; interacting: bool, used: the number of an affordance or -1; [worlds, agents]."""
    tracking = lanes.universe.tracking
    if tracking is None:
        return
    if tracking.by == "world":
        interacting = lanes.running & interacting.any(dim=1, keepdim=True)
    use = interacting & (used != schema.NOWHERE)
    again = use & (lanes.last == used)
    lanes.count(coverage.USED_AGAIN, again)
    lanes.count(coverage.USED_ANOTHER, use & ~again)
    for number, name in enumerate(lanes.streaks):
        this = use & (used == number)
        streak = torch.where(this, torch.where(again, lanes.streaks[name] + 1, 1), 0)
        lanes.streaks[name] = torch.where(use & (this | ~again), streak, lanes.streaks[name])
        lanes.seen[name] = lanes.seen[name] | this
    lanes.last = torch.where(interacting, used, lanes.last)
