"""Walks around walls and sight past them: how many moves lead to a place, and which cells an agent sees."""

from __future__ import annotations

from functools import reduce
from math import prod

import torch
from torch import Tensor

from hamlet.interpreter.lanes import Lanes
from hamlet.interpreter.space import displaced_from
from hamlet.schema.actions import moves_of
from hamlet.schema.grid import coordinates
from hamlet.universe import Grid


def walking_distance(lanes: Lanes, affordance: str) -> Tensor:
    """The fewest moves from each agent's cell to an affordance; the number of cells where none lead there. f32."""
    (place,) = lanes.place_of(affordance)
    own = lanes.index()
    to, there = torch.unique(place.long(), return_inverse=True)
    walks = lanes.constant.walks
    new = [cell for cell in to.tolist() if cell not in walks]
    walks |= zip(new, walks_to(lanes, new), strict=True)
    rows = torch.stack([walks[cell] for cell in to.tolist()])
    return rows[there.expand_as(own), own].to(torch.float32)


def walks_to(lanes: Lanes, goals: list[int]) -> Tensor:
    """The fewest moves from every cell to each of these, i32 [goals, cells]; from walls and to walls none lead.

    Each round lets every cell know what its neighbours by a move knew before; the last one changes nothing.
    """
    cells = prod(lanes.grid.sizes)
    leads = landings(lanes)
    steps = torch.full((len(goals), cells), cells, dtype=torch.int32, device=lanes.age.device)
    steps[range(len(goals)), goals] = 0
    while True:
        nearer = torch.minimum(steps, (steps[:, leads] + 1).amin(dim=1)) if len(leads) else steps
        if torch.equal(nearer, steps):
            return steps if lanes.constant.ground is None else steps.masked_fill(lanes.ground.walls, cells)
        steps = nearer


def landings(lanes: Lanes) -> Tensor:
    """The cell to which each move leads from each cell, i64 [moves, cells]."""
    sizes, moves = lanes.grid.sizes, [number for number, _ in moves_of(lanes.universe)]
    every = torch.arange(prod(sizes), device=lanes.age.device)
    if lanes.constant.leads is not None:
        return every + lanes.constant.leads[:, moves].T
    position = [x.to(torch.int32) for x in coordinates(every, sizes)]
    by = lanes.constant.displacements[:, moves].unsqueeze(2)
    there = displaced_from(lanes, position, tuple(by))
    strides = [prod(sizes[:axis]) for axis in range(len(sizes))]
    return reduce(torch.add, [x.long() * stride for x, stride in zip(there, strides, strict=True)])


def in_sight(lanes: Lanes, radius: int) -> Tensor:
    """Whether an agent on each cell sees the cells around it, bool [rows of a window, cells]; those beyond the edges
    are walls, or nothing where edges wrap."""
    if radius not in lanes.constant.sights:
        lanes.constant.sights[radius] = _seen_from(lanes.ground.walls, lanes.grid, radius)
    return lanes.constant.sights[radius]


def in_sight_now(lanes: Lanes, radius: int) -> Tensor:
    """Whether each agent sees the cells around it past walls of which cells decide, bool [rows of a window, worlds,
    agents]."""
    if lanes.walls is None:
        raise ValueError(f"universe {lanes.universe.name} has no walls of which cells decide")
    seen = _seen_from(lanes.walls, lanes.grid, radius)
    return seen.gather(-1, lanes.index().expand(len(seen), *lanes.age.shape))


def _seen_from(walls: Tensor, grid: Grid, radius: int) -> Tensor:
    """Whether the cells around are seen from each cell, bool [rows of a window, ..., cells] for walls [..., cells]."""
    side = range(-radius, radius + 1)
    return torch.stack([_sees(walls, grid, right, down) for down in side for right in side])


def _sees(walls: Tensor, grid: Grid, right: int, down: int) -> Tensor:
    """From which cells one sees the cell at this offset: where no wall lies between, bool [..., cells]."""
    hidden = torch.zeros_like(walls)
    for across in range(min(right, 0), max(right, 0) + 1):
        for along in range(min(down, 0), max(down, 0) + 1):
            between = (across, along) not in ((0, 0), (right, down))
            if between and 2 * abs(right * along - down * across) < abs(right) + abs(down):
                hidden = hidden | walls_at(walls, grid, across, along)
    return ~hidden


def walls_at(walls: Tensor, grid: Grid, right: int, down: int) -> Tensor:
    """Whether there is a wall at this offset from each cell, bool [..., cells]."""
    width, height = grid.sizes
    x, y = coordinates(torch.arange(width * height, device=walls.device), grid.sizes)
    x, y = x + right, y + down
    inside = (x >= 0) & (x < width) & (y >= 0) & (y < height)
    there = walls[..., torch.where(inside, x + width * y, 0)]
    return torch.where(inside, there, torch.full_like(there, grid.edges != "wrap"))
