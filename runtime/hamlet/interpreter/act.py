"""Step 1 of a tick: moves and custom actions."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from hamlet import schema
from hamlet.interpreter import coverage
from hamlet.interpreter.expressions import evaluate
from hamlet.interpreter.lanes import Lanes, as_they_are
from hamlet.interpreter.solid import go
from hamlet.interpreter.space import drift, has_walls, leaves_space, length, meets_wall, push, stops
from hamlet.interpreter.statements import run, subtract
from hamlet.universe import Action
from hamlet.universe.space import has_momentum


def act(lanes: Lanes, actions: Tensor) -> None:
    """Move and run custom actions; actions: i32 [worlds, agents]."""
    universe, before = lanes.universe, lanes.position
    # Whoever runs no tick may have chosen anything.
    chosen = torch.where(lanes.running, actions, 0).long()
    of_space = lanes.running & ~lanes.constant.custom[chosen]
    by = displacements(lanes, torch.where(of_space, chosen, 0))
    if lanes.coverage is not None:
        count_moves(lanes, actions, by, lanes.coverage)
    keeping = torch.zeros_like(lanes.running)
    if has_momentum(universe.space):
        nothing = torch.zeros((), dtype=torch.float32, device=actions.device)
        push(lanes, [torch.where(of_space, delta, nothing) for delta in by], lanes.running)
        pushing = [custom(each, lanes, lanes.running & (actions == number)) for number, each in lanes.constant.own]
        for axis, met in zip(schema.axes(universe), drift(lanes, lanes.running), strict=True):
            lanes.count(coverage.edge(axis), met)
        for (number, action), who in zip(lanes.constant.own, pushing, strict=True):
            teleport(action, lanes, who)
            keeping = keeping | (lanes.running & (actions == number) & action.keeps_progress)
    else:
        keeping = walk(lanes, actions, by, of_space)
    disengage(lanes, before, keeping)
    for meter in universe.meters:
        if meter.move is not None:
            moving = lanes.running & lanes.constant.going[chosen]
            subtract(meter.name, meter.move, lanes, moving, f"meter {meter.name}: move", meter.span)


def walk(lanes: Lanes, actions: Tensor, by: Sequence[Tensor], of_space: Tensor) -> Tensor:
    """Move without momentum: actions displace agents. Who keeps progress on the way, bool."""
    before = lanes.position
    go(lanes, by, of_space)
    stay(lanes, before, of_space)
    if lanes.universe.velocity:
        # No agent with a custom action has been displaced yet.
        lanes.velocity = tuple(
            torch.where(lanes.running, (x - old).to(torch.float32), v)
            for x, old, v in zip(lanes.position, before, lanes.velocity, strict=True)
        )
    if lanes.speed is not None:
        lanes.speed = torch.where(lanes.running, length(lanes.velocity, lanes.age), lanes.speed)
    keeping = torch.zeros_like(lanes.running)
    for number, action in lanes.constant.own:
        who = lanes.running & (actions == number)
        able = custom(action, lanes, who)
        stay(lanes, before, who)
        teleport(action, lanes, able)
        if action.keeps_progress:
            keeping = keeping | who
    return keeping


def stay(lanes: Lanes, before: tuple[Tensor, ...], who: Tensor) -> None:
    """Leave those of the agents `who` where they were whom others block."""
    if lanes.blocked is not None:
        stays = lanes.blocked & who
        lanes.position = tuple(torch.where(stays, old, x) for old, x in zip(before, lanes.position, strict=True))


def destination(lanes: Lanes) -> tuple[Tensor, ...]:
    """The cells to which agents would move in the tick that begins if nobody were in their way, i32 [worlds, agents]
    per axis. The actions are known."""
    return tried(lanes).position


def tried(lanes: Lanes) -> Lanes:
    """The lanes as step 1 would leave them if nobody were in the way, without teleports. The actions are known."""
    if lanes.action is None:
        raise ValueError("a tick that did not begin")
    trial, chosen = as_they_are(lanes), torch.where(lanes.running, lanes.action, 0).long()
    of_space = lanes.running & ~lanes.constant.custom[chosen]
    go(trial, displacements(lanes, torch.where(of_space, chosen, 0)), of_space)
    for number, action in lanes.constant.own:
        custom(action, trial, lanes.running & (lanes.action == number))
    return trial


def displacements(lanes: Lanes, actions: Tensor) -> tuple[Tensor, ...]:
    """Displacements of agents by actions of the space (i64 [worlds, agents]), per axis."""
    if lanes.constant.leads is not None:
        return (lanes.constant.leads[lanes.index(), actions],)
    return tuple(lanes.constant.displacements[:, actions])


def custom(action: Action, lanes: Lanes, who: Tensor) -> Tensor:
    """A custom action of the agents `who`: statements, then displacement, where its `needs` holds; for whom, bool."""
    if action.needs is not None:
        able = evaluate(action.needs, lanes)
        lanes.count(coverage.action(action.name, "refused"), who & ~able)
        who = who & able
    construct = coverage.action(action.name)
    lanes.count(construct, who)
    run(action.body, lanes, who, construct)
    if action.move is not None:
        move = push if has_momentum(lanes.universe.space) else go
        move(lanes, vector(action.move, lanes), who)
    return who


def teleport(action: Action, lanes: Lanes, who: Tensor) -> None:
    """The last that a custom action does: it sets the position."""
    if action.teleport is not None:
        there = vector(action.teleport, lanes)
        who = who & ~meets_wall(lanes, there) if has_walls(lanes) else who
        lanes.position = tuple(torch.where(who, to, x) for to, x in zip(there, lanes.position, strict=True))
    run(action.after, lanes, who, coverage.action(action.name))


def vector(numbers: tuple[float, ...], lanes: Lanes) -> list[Tensor]:
    """A displacement or a place, of the type of positions."""
    return [lanes.constant(x).to(of.dtype) for x, of in zip(numbers, lanes.position, strict=True)]


def disengage(lanes: Lanes, before: tuple[Tensor, ...], keeping: Tensor) -> None:
    """Agents who are no longer where they were lose their progress, except those who keep it."""
    if lanes.position is before or not schema.has_progress(lanes.universe):
        return
    moved = torch.zeros_like(lanes.alive)
    for old, new in zip(before, lanes.position, strict=True):
        moved = moved | (old != new)
    lanes.count(coverage.KEEPS_PROGRESS, moved & keeping & (lanes.engaged != schema.NOWHERE))
    left = moved & ~keeping
    lanes.engaged = lanes.engaged.masked_fill(left, schema.NOWHERE)
    lanes.progress = lanes.progress.masked_fill(left, 0)


def count_moves(lanes: Lanes, actions: Tensor, by: Sequence[Tensor], told: coverage.Coverage) -> None:
    """Tell who moves, who moves into an edge, who into a wall; `by` has the displacement of every agent per axis."""
    every, running = len(lanes.constant.actions), lanes.running
    taken = torch.bincount(actions[running], minlength=every).tolist()
    stopped = torch.bincount(actions[running & leaves_space(lanes, by)], minlength=every).tolist()
    refused = torch.bincount(actions[running & stops(lanes, by)], minlength=every).tolist()
    stays = torch.zeros_like(running) if lanes.constant.leads is None else by[0] == 0
    stuck = torch.bincount(actions[running & stays], minlength=every).tolist()
    for number, move in lanes.constant.moves:
        told.add(coverage.action(move.name), taken[number])
        told.add(coverage.action(move.name, "at the edge"), stopped[number])
        told.add(coverage.action(move.name, "at a wall"), refused[number])
        told.add(coverage.action(move.name, "without an edge"), stuck[number])
