"""Solid affordances: no displacement leads to their cells, and who walks into one uses it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import torch
from torch import Tensor

from hamlet.interpreter.expressions import at
from hamlet.interpreter.lanes import Lanes
from hamlet.interpreter.space import displaced


def go(lanes: Lanes, by: Sequence[Tensor], who: Tensor) -> None:
    """Displace the agents `who` on every axis, but for those whom that would lead to a solid affordance; `by` has a
    displacement per axis, of the type of positions."""
    there, here = displaced(lanes, by), lanes.position
    stays = ~who
    solid = [affordance.name for affordance in lanes.universe.affordances if affordance.solid]
    if solid:
        seen = lanes.changed(position=there, coverage=None)
        changes = reduce(torch.logical_or, map(torch.ne, there, here))
        met = who & changes & reduce(torch.logical_or, [at(seen, name) for name in solid])
        before, walked = lanes.reached or here, torch.zeros_like(met) if lanes.walked is None else lanes.walked
        lanes.walked = walked | met
        lanes.reached = tuple(torch.where(met, to, x) for to, x in zip(there, before, strict=True))
        stays = stays | met
    lanes.position = tuple(torch.where(stays, x, moved) for moved, x in zip(there, here, strict=True))


def facing(lanes: Lanes, then: Lanes) -> Lanes:
    """The lanes `then`, with who walked into a solid affordance where that is."""
    if lanes.walked is None:
        return then
    ways = zip(lanes.reached, then.position, strict=True)
    return then.changed(position=tuple(torch.where(lanes.walked, to, x) for to, x in ways))
