"""Walls and solid cells of which conditions of cells decide, and where episodes begin (docs/semantics.md, "Drawn
walls")."""

from __future__ import annotations

import torch
from torch import Tensor

from hamlet.backend.buffers import Buffers
from hamlet.interpreter.cells import as_agents
from hamlet.interpreter.expressions import evaluate
from hamlet.interpreter.lanes import Lanes
from hamlet.interpreter.places import Places
from hamlet.universe import Grid


def find_walls(lanes: Lanes) -> None:
    """Note which cells are walls, and which ones nobody enters, on the state of these lanes, where conditions of cells
    decide it."""
    of_cells = lanes.universe.cells
    if of_cells is None or (of_cells.wall is None and of_cells.solid is None):
        return
    cells = as_agents(lanes, lanes.cells)
    walls = torch.zeros(cells.running.shape, dtype=torch.bool, device=lanes.age.device)
    if lanes.constant.ground is not None:
        walls = walls | lanes.constant.ground.walls
    if of_cells.wall is not None:
        walls = lanes.walls = walls | evaluate(of_cells.wall, cells)
    lanes.closed = walls if of_cells.solid is None else walls | evaluate(of_cells.solid, cells)


def begin_beside_walls(lanes: Lanes, buffers: Buffers, places: Places, worlds: Tensor) -> None:
    """Put agents, and affordances at random that stay, on cells that one can enter in these worlds (i64 [n]), which
    begin an episode and whose cells have begun; the others keep the places that the layout gave them."""
    find_walls(lanes)
    if lanes.closed is None or not isinstance(lanes.universe.space, Grid):
        return
    state, shape = buffers.state, buffers.shape
    layout, walls = state["layout"][worlds], lanes.closed[worlds]
    position = state["position"].view(-1, shape.worlds, shape.agents)
    for axis, x in enumerate(places.open_starts(layout, walls, shape.agents)):
        position[axis, worlds] = x.T
    for row, cell in places.open_places(layout, walls, shape.agents):
        state["places"][row, worlds] = cell


def begin_on_cells(lanes: Lanes, buffers: Buffers, places: Places, worlds: Tensor) -> None:
    """Put agents on cells for which the condition of a start holds in these worlds (i64 [n]), whose cells have begun,
    and whose affordances have their places, or on open ones where it holds for none; nothing where there is no such
    condition."""
    starting, grid = lanes.universe.starting, lanes.universe.space
    if starting is None or not isinstance(grid, Grid):
        return
    cells = as_agents(lanes, lanes.cells)
    holds, state, shape = evaluate(starting, cells).expand(cells.running.shape)[worlds], buffers.state, buffers.shape
    free = cells.running[worlds] if lanes.closed is None else (cells.running & ~lanes.closed)[worlds]
    for row, affordance in enumerate(lanes.universe.affordances):
        if affordance.place is None:
            free = free.scatter(1, state["places"][row, worlds].long().unsqueeze(1), False)
    sought = [holds & free] if lanes.closed is None else [holds & free, free]
    position = state["position"].view(-1, shape.worlds, shape.agents)
    for axis, x in enumerate(places.sought_starts(state["layout"][worlds], sought, shape.agents)):
        position[axis, worlds] = x.T
