"""Who acts in a tick: the others do WAIT, whatever they chose."""

from __future__ import annotations

import torch
from torch import Tensor

from hamlet.interpreter import coverage
from hamlet.interpreter.expressions import evaluate
from hamlet.interpreter.lanes import Lanes


def carried_out(lanes: Lanes, actions: Tensor) -> Tensor:
    """The actions that agents carry out in a tick that begins, of those that they chose; i32 [worlds, agents]."""
    if not lanes.universe.acting:
        return actions
    return torch.where(act_now(lanes), actions, lanes.constant.idle)


def act_now(lanes: Lanes) -> Tensor:
    """Who acts in the tick that comes, bool [worlds, agents]; told of those that run it."""
    acts = torch.ones_like(lanes.running)
    for item in lanes.universe.acting:
        condition = evaluate(item.condition, lanes) & torch.ones_like(acts)
        meant = torch.ones_like(acts) if item.who is None else evaluate(item.who, lanes) & torch.ones_like(acts)
        lanes.count(coverage.acting(item, "acts"), condition & meant & lanes.running)
        lanes.count(coverage.acting(item, "waits"), ~condition & meant & lanes.running)
        acts = acts & (condition | ~meant)
    return acts
