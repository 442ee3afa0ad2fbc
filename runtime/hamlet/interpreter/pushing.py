"""Pushes: who pushes what lies on the cell that a move leads to, and whom a line that does not give way keeps from
moving (docs/semantics.md, "Pushes")."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import torch
from torch import Tensor

from hamlet.interpreter import coverage
from hamlet.interpreter.expressions import at
from hamlet.interpreter.lanes import Lanes
from hamlet.interpreter.space import crosses, has_walls, meets_wall
from hamlet.schema.grid import cell_index
from hamlet.universe import Pushing

NO_CELL = -1


@dataclass(frozen=True, slots=True)
class Lines:
    """The lines in the way of agents, each from the cell on that a move leads to.

    Attributes:
        cells: i64 [worlds, agents] for each cell of the longest line and the one behind it; meaningless beyond edges.
        values: f32 likewise, what lies there.
        length: i64 [worlds, agents], how many cells of the line move; 0 where an agent pushes nothing.
        stuck: bool [worlds, agents], who meets a line that does not give way.
    """

    cells: tuple[Tensor, ...]
    values: tuple[Tensor, ...]
    length: Tensor
    stuck: Tensor


def lines(pushing: Pushing, lanes: Lanes, there: Sequence[Tensor]) -> Lines:
    """The lines in the way of agents that move to the cells `there` (i32 [worlds, agents] per axis)."""
    step = [to - x for to, x in zip(there, lanes.position, strict=True)]
    moves = reduce(torch.logical_or, [by != 0 for by in step])
    before, inside = tuple(there), moves
    cells, values = [], []
    length, line = torch.zeros_like(moves, dtype=torch.int64), moves
    for number in range(pushing.most + 1):
        place = tuple(to + number * by for to, by in zip(there, step, strict=True))
        place, inside = _in_space(lanes, place)
        index = cell_index(place, lanes.grid.sizes).long()
        value = torch.where(inside, lanes.cells[pushing.state].gather(1, index), 0.0)
        lies = value != 0
        if number:
            line = line & inside & ~crosses(lanes, before, place) & _free(lanes, place)
            length = torch.where(line & ~lies, number, length)
        line, before = line & lies, place
        cells.append(index)
        values.append(value)
    met = moves & (values[0] != 0)
    return Lines(tuple(cells), tuple(values), length, met & (length == 0))


def _in_space(lanes: Lanes, place: tuple[Tensor, ...]) -> tuple[tuple[Tensor, ...], Tensor]:
    """Coordinates of a cell, and whether (bool) there is one; beyond an edge of the last one before it."""
    sizes, edges = lanes.grid.sizes, lanes.grid.edges
    if edges == "wrap":
        around = tuple(x.remainder(size) for x, size in zip(place, sizes, strict=True))
        return around, torch.ones_like(lanes.alive)
    inside = reduce(torch.logical_and, [(x >= 0) & (x < size) for x, size in zip(place, sizes, strict=True)])
    return tuple(x.clamp(0, size - 1) for x, size in zip(place, sizes, strict=True)), inside


def _free(lanes: Lanes, place: tuple[Tensor, ...]) -> Tensor:
    """Whether (bool) walls, solid affordances and the agent itself leave room on a cell."""
    free = reduce(torch.logical_or, [x != own for x, own in zip(place, lanes.position, strict=True)])
    if has_walls(lanes):
        free = free & ~meets_wall(lanes, place)
    seen = lanes.changed(position=place, coverage=None)
    for affordance in lanes.universe.affordances:
        if affordance.solid:
            free = free & ~at(seen, affordance.name)
    return free


def unstuck(lanes: Lanes, there: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """The cells to which agents move (i32 [worlds, agents] per axis): who meets a line that does not give way stays."""
    pushing = lanes.universe.pushing
    if pushing is None:
        return tuple(there)
    stuck = lines(pushing, lanes, there).stuck
    return tuple(torch.where(stuck, x, to) for x, to in zip(lanes.position, there, strict=True))


def outrun(pushing: Pushing, lanes: Lanes, there: Sequence[Tensor], order: Tensor) -> Tensor:
    """Who stays since another agent claims a cell, or stands behind the line, bool [worlds, agents]; `order` (f32) says
    who comes first. `there` is where agents move that are not stuck."""
    met, running = lines(pushing, lanes, there), lanes.running
    moves = running & reduce(torch.logical_or, [to != x for to, x in zip(there, lanes.position, strict=True)])
    pushes = moves & (met.length > 0)
    claims = [torch.where(moves & (number <= met.length), cell, NO_CELL) for number, cell in enumerate(met.cells)]
    behind = torch.stack(met.cells).gather(0, met.length.unsqueeze(0))[0]
    standing = cell_index(lanes.position, lanes.grid.sizes).long()
    numbers = torch.arange(running.shape[1], device=running.device)
    stays = torch.zeros_like(running)
    for agent in range(running.shape[1]):
        mine = slice(agent, agent + 1)
        first = (order > order[:, mine]) | (order == order[:, mine]) & (numbers < agent)
        shared = torch.zeros_like(running)
        for own in claims:
            for other in claims:
                shared = shared | (own[:, mine] == other) & (own[:, mine] != NO_CELL)
        taken = shared & first & (pushes | pushes[:, mine]) | pushes[:, mine] & (standing == behind[:, mine])
        stays[:, agent] = (running & (numbers != agent) & taken).any(dim=1)
    return stays


def move_lines(pushing: Pushing, lanes: Lanes, there: Sequence[Tensor], stays: Tensor) -> None:
    """Note what the agents that push add to cells, which they do not where they stay (bool [worlds, agents])."""
    met = lines(pushing, lanes, there)
    pushes = lanes.running & (met.length > 0) & ~stays
    lanes.count(coverage.PUSHED, pushes)
    added, before = [], torch.zeros_like(met.values[0])
    for number, (cell, value) in enumerate(zip(met.cells, met.values, strict=True)):
        part = pushes & (number <= met.length)
        added.append((torch.where(part, cell, 0), torch.where(part, before - value, 0.0)))
        before = value
    lanes.pushed = tuple(added)


def push_cells(pushing: Pushing, lanes: Lanes, whole: Lanes) -> None:
    """Move what agents push in the meters of all cells, `whole`; walls of a map have none."""
    state = whole.meters[pushing.state].clone()
    for index, value in lanes.pushed:
        state.scatter_add_(1, index, value)
    whole.meters[pushing.state] = torch.where(whole.running, state, whole.meters[pushing.state])
