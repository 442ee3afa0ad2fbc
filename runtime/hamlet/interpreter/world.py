"""Steps of whole worlds: at the beginning of a tick claims, and between its agents' rules and their deaths the step in
which the world's own rules run.
"""

from __future__ import annotations

import torch

from hamlet.interpreter import among, coverage
from hamlet.interpreter.act import tried
from hamlet.interpreter.blocking import hold_back
from hamlet.interpreter.expressions import at, evaluate
from hamlet.interpreter.interact import can_use
from hamlet.interpreter.lanes import Lanes, as_they_are
from hamlet.interpreter.solid import facing
from hamlet.interpreter.statements import run


def begin(lanes: Lanes) -> None:
    """Find what agents have together in steps 1 to 4, which is of the state that the tick begins with, and grant
    claims. The actions are known."""
    if lanes.before is None:
        raise ValueError("a tick that did not begin")
    lanes.others = lanes.before.changed(action=lanes.action, before=lanes.before, coverage=lanes.coverage)
    trial = tried(lanes) if any(each.capacity for each in lanes.universe.affordances) else lanes
    for number, affordance in enumerate(lanes.universe.affordances):
        if affordance.capacity is None:
            continue
        then = lanes.others.changed(coverage=None)
        interacting = lanes.running & (lanes.action == lanes.constant.interact)
        if trial.walked is not None:
            interacting = interacting | trial.walked
        claims = interacting & at(facing(trial, then), affordance.name) & can_use(affordance, then)
        places = evaluate(affordance.capacity.places, then)
        priority = torch.zeros_like(lanes.age, dtype=torch.float32)
        if affordance.capacity.priority is not None:
            priority = evaluate(affordance.capacity.priority, lanes.others).expand(claims.shape)
        allowed = among.granted(claims, then.engaged == number, priority, places.expand(len(claims), 1))
        lanes.count(coverage.use(affordance.name, "granted"), allowed)
        lanes.count(coverage.use(affordance.name, "turned away"), claims & ~allowed)
        lanes.granted[affordance.name] = allowed
    hold_back(lanes)


def world(lanes: Lanes) -> None:
    """Run the rules of the world. From here on, what agents have together is of what they are now."""
    lanes.others = as_they_are(lanes, lanes.coverage)
    if lanes.universe.world is None:
        return
    everywhere = torch.ones_like(lanes.running[:, :1])
    # The same view for all rules: what one writes the next ones read.
    whole = lanes.changed(meters=lanes.world, sites=lanes.sites_of_world, running=everywhere)
    for rule in lanes.universe.world.rules:
        who = everywhere if rule.guard is None else evaluate(rule.guard, whole)[:, :1]
        lanes.count(coverage.rule(rule), who)
        run(rule.body, whole, who, coverage.rule(rule))
