"""Moving on the grid."""

from __future__ import annotations

import torch
from torch import Tensor

from hamlet.interpreter.lanes import Lanes
from hamlet.universe import Grid


def displaced(x: Tensor, delta: int, axis: int, space: Grid) -> Tensor:
    """The coordinate after a displacement along an axis, with the edges of the space; i32."""
    size = space.sizes[axis]
    moved = x + delta
    match space.edges:
        case "clamp":
            return moved.clamp(0, size - 1)
        case "wrap":
            return moved.remainder(size)
        case "sticky":
            return torch.where((moved < 0) | (moved >= size), x, moved)
        case "bounce":
            moved = torch.where(moved < 0, -moved, moved)
            moved = torch.where(moved >= size, 2 * (size - 1) - moved, moved)
            return moved.clamp(0, size - 1)


def displace(lanes: Lanes, deltas: tuple[int, ...], who: Tensor) -> None:
    """Displace the agents `who`, axis by axis."""
    for axis, delta in enumerate(deltas):
        if delta != 0:
            x = lanes.position[axis]
            lanes.position[axis] = torch.where(who, displaced(x, delta, axis, lanes.universe.space), x)


def leaves_grid(lanes: Lanes, deltas: tuple[int, ...]) -> Tensor:
    """Whose displacement meets an edge, bool [worlds, agents]."""
    meets = torch.zeros_like(lanes.alive)
    for x, delta, size in zip(lanes.position, deltas, lanes.universe.space.sizes, strict=True):
        meets = meets | (x + delta < 0) | (x + delta >= size)
    return meets
