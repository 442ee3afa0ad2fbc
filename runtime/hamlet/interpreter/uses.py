"""Memory of agents of their uses, brought up to date in step 2 of a tick."""

from __future__ import annotations

import torch
from torch import Tensor

from hamlet import schema
from hamlet.interpreter import coverage
from hamlet.interpreter.lanes import Lanes


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
