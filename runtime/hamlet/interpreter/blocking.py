"""Agents that block each other: whose move would lead to a cell where somebody stands, or where another one goes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import torch
from torch import Tensor

from hamlet.interpreter.act import destination
from hamlet.interpreter.expressions import evaluate
from hamlet.interpreter.lanes import Lanes
from hamlet.universe import Blocking


def blocked(blocking: Blocking, lanes: Lanes) -> Tensor:
    """Whom others keep from moving in the tick that begins, bool [worlds, agents]."""
    if lanes.others is None:
        raise ValueError("a tick that did not begin")
    there, here = destination(lanes), lanes.position
    priority = torch.zeros_like(lanes.age, dtype=torch.float32)
    if blocking.priority is not None:
        priority = evaluate(blocking.priority, lanes.others).expand(priority.shape)
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
