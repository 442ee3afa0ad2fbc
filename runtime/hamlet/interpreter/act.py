"""Step 1 of a tick: moves and custom actions."""

from __future__ import annotations

import torch
from torch import Tensor

from hamlet import schema
from hamlet.interpreter import coverage
from hamlet.interpreter.expressions import evaluate
from hamlet.interpreter.lanes import Lanes
from hamlet.interpreter.space import displace, leaves_grid
from hamlet.interpreter.statements import run, subtract
from hamlet.universe import Action


def act(lanes: Lanes, actions: Tensor) -> None:
    """Move and run custom actions; actions: i32 [worlds, agents]."""
    universe = lanes.universe
    before = list(lanes.position)
    for number, (name, deltas) in enumerate(
        zip(schema.move_names(universe), schema.move_deltas(universe), strict=True)
    ):
        who = lanes.alive & (actions == number)
        lanes.count(coverage.action(name), who)
        if lanes.coverage is not None:
            lanes.count(coverage.action(name, "at the edge"), who & leaves_grid(lanes, deltas))
        displace(lanes, deltas, who)
    for number, action in enumerate(universe.actions, start=schema.interact_action(universe) + 2):
        custom(action, lanes, lanes.alive & (actions == number))
    disengage(lanes, before)
    moving = lanes.alive & (actions < len(schema.move_names(universe)))
    for meter in universe.meters:
        if meter.move is not None:
            subtract(meter.name, meter.move, lanes, moving, f"meter {meter.name}: move", meter.span)


def custom(action: Action, lanes: Lanes, who: Tensor) -> None:
    """A custom action of the agents `who`: statements, then displacement, then teleport, where its `needs` holds."""
    if action.needs is not None:
        able = evaluate(action.needs, lanes)
        lanes.count(coverage.action(action.name, "refused"), who & ~able)
        who = who & able
    construct = coverage.action(action.name)
    lanes.count(construct, who)
    run(action.body, lanes, who, construct)
    if action.move is not None:
        displace(lanes, action.move, who)
    if action.teleport is not None:
        for axis, x in enumerate(action.teleport):
            lanes.position[axis] = lanes.position[axis].masked_fill(who, x)


def disengage(lanes: Lanes, before: list[Tensor]) -> None:
    """Agents who have left the cell they were on lose their progress."""
    moved = torch.zeros_like(lanes.alive)
    for old, new in zip(before, lanes.position, strict=True):
        moved = moved | (old != new)
    lanes.engaged = lanes.engaged.masked_fill(moved, schema.NOWHERE)
    lanes.progress = lanes.progress.masked_fill(moved, 0)
