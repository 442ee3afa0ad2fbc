"""Windows of expressions, which turn with the heading of agents, and what walls hide in them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import torch
from torch import Tensor

from hamlet.interpreter.cells import as_agents
from hamlet.interpreter.expressions import evaluate
from hamlet.interpreter.lanes import Lanes
from hamlet.schema.grid import cell_index
from hamlet.universe import ObserveView
from hamlet.universe.space import cells


def view(item: ObserveView, lanes: Lanes, occupied: Callable[[], Tensor]) -> list[Tensor]:
    """The rows of a window, f32 [worlds, agents] each. `occupied`: where affordances are, f32 [cells, worlds]."""
    cell, inside = _every_cell(lanes) if item.whole else _places(item, lanes)
    if item.value is None:
        values = occupied().T
    else:
        whole = replace(as_agents(lanes, lanes.cells), nearby=None, coverage=None)
        values = evaluate(item.value, whole).expand(whole.running.shape)
    beyond = lanes.constant(item.beyond)
    rows = list(torch.where(inside, of_cells(values, cell), beyond))
    if item.own is not None and item.whole:
        (here,), own = lanes.cell(), evaluate(item.own, lanes)
        rows = [torch.where(here == number, own, row) for number, row in enumerate(rows)]
    elif item.own is not None and (0, 0) in item.places:
        rows[item.places.index((0, 0))] = evaluate(item.own, lanes).expand(lanes.age.shape)
    if item.within is None:
        return rows
    opaque = list(torch.where(inside, of_cells(walls(lanes), cell), lanes.grid.edges != "wrap"))
    if item.hexagonal:
        seen = _spread_outwards(item, opaque)
    else:
        seen = _on_lines(item, opaque) if item.within == "sight" else _spread(item, opaque)
    return [torch.where(sees, row, torch.zeros_like(row)) for sees, row in zip(seen, rows, strict=True)]


def walls(lanes: Lanes) -> Tensor:
    """Which cells are walls, bool [worlds, cells]."""
    if lanes.walls is not None:
        return lanes.walls
    if lanes.constant.ground is None:
        return torch.zeros((len(lanes.age), cells(lanes.grid)), dtype=torch.bool, device=lanes.age.device)
    return lanes.ground.walls.expand(len(lanes.age), -1)


def _every_cell(lanes: Lanes) -> tuple[Tensor, Tensor]:
    """The cells of the grid, i64 [cells, worlds, agents], and that there is each of them."""
    numbers = torch.arange(cells(lanes.grid), device=lanes.age.device).reshape(-1, 1, 1).expand(-1, *lanes.alive.shape)
    return numbers, torch.ones_like(numbers, dtype=torch.bool)


def _places(item: ObserveView, lanes: Lanes) -> tuple[Tensor, Tensor]:
    """Of each row the cell, and whether there is one; see `cells_at`."""
    facing = torch.zeros((1, 1), dtype=torch.int64, device=lanes.age.device)
    if item.heading is not None:
        facing = lanes.meters[item.heading].to(torch.int64)
    by_option = [item.offsets(option) for option in range(len(item.steps))]
    offsets = torch.tensor(by_option, device=lanes.age.device).permute(2, 1, 0)
    return cells_at(lanes, offsets[:, :, facing])


def cells_at(lanes: Lanes, offsets: Tensor) -> tuple[Tensor, Tensor]:
    """The cells at these offsets from each agent, i64 [rows, worlds, agents], of those beyond the edges the first one;
    and whether there is one, bool.

    Args:
        offsets: i64 [axes, rows, worlds or 1, agents or 1].
    """
    there = [along + offset for along, offset in zip(lanes.position, offsets, strict=True)]
    inside = torch.ones_like(lanes.alive)
    for along, size in zip(there, lanes.grid.sizes, strict=True):
        inside = inside & (along >= 0) & (along < size)
    return torch.where(inside, cell_index(there, lanes.grid.sizes), 0).long(), inside


def of_cells(values: Tensor, cell: Tensor) -> Tensor:
    """The values [worlds, cells] of cells [rows, worlds, agents]."""
    return values.expand(len(cell), *values.shape).gather(2, cell)


def _on_lines(item: ObserveView, opaque: list[Tensor]) -> list[Tensor]:
    """Which cells are seen: those with no wall on the straight line to them."""
    rows, seen = dict(zip(item.places, opaque, strict=True)), []
    for right, ahead in item.places:
        hidden = torch.zeros_like(opaque[0])
        for across in range(min(right, 0), max(right, 0) + 1):
            for along in range(min(ahead, 0), max(ahead, 0) + 1):
                between = (across, along) not in ((0, 0), (right, ahead))
                if between and 2 * abs(right * along - ahead * across) < abs(right) + abs(ahead):
                    hidden = hidden | rows[across, along]
        seen.append(~hidden)
    return seen


def _spread(item: ObserveView, opaque: list[Tensor]) -> list[Tensor]:
    """Which cells are seen: the agent's own, and what is beside or before a seen cell that is no wall, found line by
    line from the agent on, each from left to right and back. Nothing behind the agent is seen."""
    clear = {place: ~wall for place, wall in zip(item.places, opaque, strict=True)}
    clear[0, 0] = torch.ones_like(clear[0, 0])
    seen = {place: torch.zeros_like(clear[0, 0]) for place in item.places}
    seen[0, 0] = torch.ones_like(seen[0, 0])
    for ahead in range(item.ahead + 1):
        for step, line in ((1, range(-item.left, item.right)), (-1, range(item.right, -item.left, -1))):
            for right in line:
                on = seen[right, ahead] & clear[right, ahead]
                seen[right + step, ahead] = seen[right + step, ahead] | on
                if ahead < item.ahead:
                    for beside in (right, right + step):
                        seen[beside, ahead + 1] = seen[beside, ahead + 1] | on
    return [seen[place] for place in item.places]


def _spread_outwards(item: ObserveView, opaque: list[Tensor]) -> list[Tensor]:
    """Which hexagons are seen: the agent's own, and those beside a seen one that is no wall and is one nearer."""
    clear = {place: ~wall for place, wall in zip(item.places, opaque, strict=True)}
    clear[0, 0] = torch.ones_like(clear[0, 0])
    seen = {(0, 0): clear[0, 0]}
    for away in range(1, item.ahead + 1):
        for right, ahead in item.places:
            if _away(right, ahead) == away:
                seen[right, ahead] = torch.zeros_like(clear[0, 0])
                for across, along in ((1, 0), (0, 1), (1, 1), (-1, 0), (0, -1), (-1, -1)):
                    beside = right + across, ahead + along
                    if beside in seen and _away(*beside) == away - 1:
                        seen[right, ahead] = seen[right, ahead] | seen[beside] & clear[beside]
    return [seen[place] for place in item.places]


def _away(right: int, ahead: int) -> int:
    """How many moves a hexagon is away."""
    return max(abs(right), abs(ahead), abs(right - ahead))
