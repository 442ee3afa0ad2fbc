"""Agents that keep each other from moving, and what they push."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import torch
from torch import Tensor

from hamlet.interpreter import coverage
from hamlet.interpreter.act import destination
from hamlet.interpreter.expressions import evaluate
from hamlet.interpreter.lanes import Lanes
from hamlet.interpreter.pushing import move_lines, outrun, unstuck


def hold_back(lanes: Lanes) -> None:
    """Find who stays in the tick that begins, since others or what lies there are in the way, and what is pushed."""
    blocking, pushing = lanes.universe.blocking, lanes.universe.pushing
    if blocking is None and pushing is None:
        return
    if lanes.others is None:
        raise ValueError("a tick that did not begin")
    priority = torch.zeros_like(lanes.age, dtype=torch.float32)
    if lanes.universe.order_of_moves is not None:
        priority = evaluate(lanes.universe.order_of_moves, lanes.others).expand(priority.shape)
    tried = destination(lanes)
    there = unstuck(lanes, tried)
    stuck = lanes.running & reduce(torch.logical_or, [to != x for to, x in zip(tried, there, strict=True)])
    lanes.count(coverage.STUCK, stuck)
    stays = torch.zeros_like(lanes.running)
    if blocking is not None:
        stays = blocked(lanes, there, priority)
        lanes.count(coverage.BLOCKED, stays)
    if pushing is not None:
        stays = stays | outrun(pushing, lanes, there, priority)
        move_lines(pushing, lanes, there, stays)
    lanes.blocked = stays | stuck


def blocked(lanes: Lanes, there: Sequence[Tensor], priority: Tensor) -> Tensor:
    """Whom agents that block each other keep from moving to the cells `there`, bool [worlds, agents]; those with the
    highest priority (f32) come first."""
    here = lanes.position
    numbers = torch.arange(lanes.age.shape[1], device=lanes.age.device)
    stays = torch.zeros_like(lanes.running)
    for agent in range(lanes.age.shape[1]):
        mine = slice(agent, agent + 1)
        goal = [x[:, mine] for x in there]
        comes_first = (priority > priority[:, mine]) | (priority == priority[:, mine]) & (numbers < agent)
        taken = _same(here, goal) | _same(there, goal) & comes_first
        others = lanes.running & (numbers != agent)
        goes = lanes.running[:, agent] & ~_same(goal, [x[:, mine] for x in here])[:, 0]
        stays[:, agent] = goes & (others & taken).any(dim=1)
    return stays


def _same(positions: Sequence[Tensor], others: Sequence[Tensor]) -> Tensor:
    """Which positions are one cell, bool."""
    return reduce(torch.logical_and, (x == y for x, y in zip(positions, others, strict=True)))
