"""Observations of agents, and masks of the actions that would do something."""

from __future__ import annotations

import torch
from torch import Tensor

from hamlet import schema, universe
from hamlet.interpreter import coverage
from hamlet.interpreter.acting import act_now
from hamlet.interpreter.expressions import at, at_one_of, evaluate, is_there, nowhere
from hamlet.interpreter.interact import is_open
from hamlet.interpreter.lanes import Lanes
from hamlet.interpreter.pushing import unstuck
from hamlet.interpreter.space import clamp, displaced
from hamlet.interpreter.views import cells_at, of_cells, view
from hamlet.interpreter.ways import in_sight, in_sight_now
from hamlet.schema.grid import cell_index
from hamlet.schema.observed import STEPS, Scale
from hamlet.schema.roles import members
from hamlet.universe.actions import WAIT
from hamlet.universe.space import around


def observe(lanes: Lanes, out: Tensor) -> None:
    """Write all rows of the observation; out: f32, bf16 (f32 rounded once) or u8 (`hamlet.schema.observed`) [rows,
    worlds, agents]."""
    rows = [value for item in lanes.universe.observations for value in rows_of(item, lanes)]
    rows += rows_of_roles(lanes)
    if out.dtype is torch.uint8:
        rows = [encode(value, scale, lanes) for value, scale in zip(rows, scales_of_rows(lanes), strict=True)]
    if rows:
        out.copy_(torch.stack(torch.broadcast_tensors(*rows)))  # type: ignore[no-untyped-call]  # it has no types


def rows_of_roles(lanes: Lanes) -> list[Tensor]:
    """The rows behind those that all agents observe: each is what the role of the agent has there, or 0."""
    agents, rows = lanes.age.shape[1], list[Tensor]()
    for role in lanes.universe.roles or ():
        numbers = members(role, agents)
        number = torch.arange(agents, device=lanes.age.device)
        belongs = (number >= numbers.start) & (number < numbers.stop)
        for index, value in enumerate(own for item in role.observations for own in rows_of(item, lanes)):
            if index == len(rows):
                rows.append(lanes.constant(0.0))
            rows[index] = torch.where(belongs, value, rows[index])
    return rows


def scales_of_rows(lanes: Lanes) -> list[Scale]:
    """How each row becomes bytes."""
    segments = schema.observation_segments(lanes.universe)
    return [segment.scale for segment in segments for _ in range(segment.count)]


def encode(value: Tensor, scale: Scale, lanes: Lanes) -> Tensor:
    """A row as bytes: the nearest of 255 steps from the low end of its range to the high end."""
    steps = (value - lanes.constant(scale.low)) * lanes.constant(scale.scale)
    return clamp(steps, lanes.constant(0.0), lanes.constant(STEPS)).round().to(torch.uint8)


def rows_of(item: universe.Observation, lanes: Lanes) -> list[Tensor]:
    """The rows of one item of `observe`, each f32 and broadcasting to [worlds, agents]."""
    match item:
        case universe.ObserveGrid():
            return grid(lanes)
        case universe.ObserveWindow(radius=radius, within=within):
            rows = window(radius, lanes)
            return rows if within is None else seen_of(rows, radius, lanes)
        case universe.ObserveRegion(radius=reach, region=region, within=within):
            if reach is None:
                return list(ground_of(region, lanes).to(torch.float32).T.unsqueeze(2))
            rows = window_of(region, reach, lanes)
            return rows if within is None else seen_of(rows, reach, lanes)
        case universe.ObserveCells(radius=reach, meter=meter, only=only):
            values = lanes.cells[meter] if only is None else (lanes.cells[meter] == only).to(torch.float32)
            return list(values.T.unsqueeze(2)) if reach is None else cells_around(values, reach, lanes)
        case universe.ObserveView():
            return view(item, lanes, lambda: occupied_cells(lanes))
        case universe.ObserveHere(affordances=affordances):
            here = [nowhere(lanes) if name is None else at_one_of(lanes, name) for name in affordances]
            return [who.to(torch.float32) for who in here]
        case universe.ObserveValue(value=value):
            return [evaluate(value, lanes)]
        case universe.ObserveOneHot(value=value, options=options):
            chosen = evaluate(value, lanes)
            return [(chosen == number).to(torch.float32) for number in range(len(options))]
        case universe.ObserveHot(value=value, values=values):
            chosen = evaluate(value, lanes)
            return [(chosen == number).to(torch.float32) for number in values]
        case universe.ObservePairs(meter=meter, agents=agents):
            return [lanes.pairs[meter][:, :, other] for other in range(agents)]
        case universe.ObserveBlank(count=count):
            return [lanes.constant(0.0)] * count
        case universe.ObserveConstant(values=values):
            return [lanes.constant(value) for value in values]


def grid(lanes: Lanes) -> list[Tensor]:
    """Every cell: 1 where an affordance is, plus 1 where the agent is."""
    cells = occupied_cells(lanes).unsqueeze(2).repeat(1, 1, lanes.age.shape[1])
    (cell,) = lanes.cell()
    own = cell.long().unsqueeze(0)
    return list(cells.scatter_add_(0, own, torch.ones_like(own, dtype=torch.float32)))


def occupied_cells(lanes: Lanes) -> Tensor:
    """1 where an affordance is, else 0: f32 [cells, worlds]."""
    occupied = torch.zeros((schema.cells(lanes.grid), len(lanes.age)), device=lanes.age.device)
    if standing := stands(lanes):
        place, there = (torch.cat(parts, dim=1).T for parts in zip(*standing, strict=True))
        occupied.scatter_reduce_(0, place.long(), there.float(), "amax")
    return occupied


def stands(lanes: Lanes) -> list[tuple[Tensor, Tensor]]:
    """The cell of each affordance, i32 [worlds, 1], and in which worlds it is there, bool [worlds, 1]."""
    worlds, pairs = len(lanes.age), []
    everywhere = torch.ones_like(lanes.alive[:, :1])
    for affordance in lanes.universe.affordances:
        (cell,), there = lanes.place_of(affordance.name), is_there(affordance, lanes)
        pairs.append((cell.expand(worlds, 1), everywhere if there is None else there))
    return pairs


def window(radius: int, lanes: Lanes) -> list[Tensor]:
    """The cells around the agent, x fastest: 1 where an affordance is, 0 beyond the edges."""
    sizes, (own,) = lanes.grid.sizes, lanes.cell()
    deltas = range(-radius, radius + 1)
    inside = [
        {delta: (x + delta >= 0) & (x + delta < size) for delta in deltas}
        for x, size in zip(lanes.position, sizes, strict=True)
    ]
    worlds, standing = len(lanes.age), stands(lanes)
    occupied = torch.stack([place for place, _ in standing]) if standing else own.new_empty((0, worlds, 1))
    shown = torch.stack([there for _, there in standing]) if standing else lanes.alive.new_empty((0, worlds, 1))
    rows = []
    for offset in around(lanes.grid, radius):
        seen = ((occupied == own + cell_index(offset, sizes)) & shown).any(dim=0)
        for axis, delta in enumerate(offset):
            seen = seen & inside[axis][delta]
        rows.append(seen.to(torch.float32))
    return rows


def cells_around(values: Tensor, radius: int, lanes: Lanes) -> list[Tensor]:
    """Values of the cells around each agent, x fastest, from values [worlds, cells]; 0 beyond the edges."""
    cell, inside = cells_at(lanes, offsets_around(lanes, radius))
    return list(torch.where(inside, of_cells(values, cell), lanes.constant(0.0)))


def offsets_around(lanes: Lanes, radius: int) -> Tensor:
    """The cells of a window, as seen from its middle: i64 [axes, rows, 1, 1]."""
    return lanes.constant.whole(tuple(around(lanes.grid, radius))).T[:, :, None, None]


def ground_of(region: str | None, lanes: Lanes) -> Tensor:
    """Which cells are in a region, or walls; bool [worlds or 1, cells]."""
    if region is None and lanes.walls is not None:
        return lanes.walls
    return (lanes.ground.walls if region is None else lanes.ground.regions[region]).unsqueeze(0)


def window_of(region: str | None, radius: int, lanes: Lanes) -> list[Tensor]:
    """The cells around the agent, x fastest: 1 where they are in the region or walls; beyond the edges are walls, but
    not where edges wrap."""
    ground = ground_of(region, lanes).expand(len(lanes.age), -1)
    beyond = torch.full_like(lanes.alive, region is None and lanes.grid.edges != "wrap")
    cell, inside = cells_at(lanes, offsets_around(lanes, radius))
    return list(torch.where(inside, of_cells(ground, cell), beyond).to(torch.float32))


def seen_of(rows: list[Tensor], radius: int, lanes: Lanes) -> list[Tensor]:
    """The rows of a window, 0 where walls hide the cell from the agent."""
    visible = in_sight_now(lanes, radius) if lanes.walls is not None else in_sight(lanes, radius)[:, lanes.index()]
    return [torch.where(seen, row, torch.zeros_like(row)) for seen, row in zip(visible, rows, strict=True)]


def mask(lanes: Lanes, out: Tensor) -> None:
    """Write which actions are allowed; out: bool [actions, worlds, agents]. Who runs no tick may take one action
    only, `idle_action`."""
    names, idle = lanes.constant.actions, lanes.constant.idle
    allowed = [torch.ones_like(lanes.alive)] * len(names)
    for (number, _), changes in zip(lanes.constant.moves, moves_somewhere(lanes), strict=True):
        allowed[number] = changes
    if lanes.constant.interact != schema.NOWHERE:
        allowed[lanes.constant.interact] = usable(lanes)
    for item in lanes.universe.masks:
        condition = evaluate(item.allowed, lanes) & torch.ones_like(lanes.alive)
        said = torch.ones_like(lanes.alive) if item.who is None else evaluate(item.who, lanes) & lanes.running
        lanes.count(coverage.allow(item), condition & said & lanes.running)
        for name in item.actions:
            number = names.index(name)
            allowed[number] = torch.where(said, condition, allowed[number]) if item.who is not None else condition
    every = torch.stack(allowed)
    for item in lanes.universe.masks:
        if not item.actions:
            condition = evaluate(item.allowed, lanes)
            every = every & (condition if item.who is None else condition | ~evaluate(item.who, lanes))
    if lanes.universe.acting:
        acts, wait = act_now(lanes), names.index(WAIT)
        every = every & acts
        every[wait] = ~acts if WAIT not in schema.choices(lanes.universe) else every[wait] | ~acts
    out.copy_(every & lanes.running)
    out[idle] = every[idle] | ~lanes.running


def moves_somewhere(lanes: Lanes) -> Tensor:
    """Whose position each move changes, bool [moves, worlds, agents]; all, of one that goes nowhere and in a continuous
    space."""
    moves = [number for number, _ in lanes.constant.moves]
    if not isinstance(lanes.universe.space, universe.Grid):
        return torch.ones((len(moves), *lanes.alive.shape), dtype=torch.bool, device=lanes.alive.device)
    if lanes.constant.leads is not None:
        return lanes.constant.leads[lanes.index()][..., moves].permute(2, 0, 1) != 0
    by = lanes.constant.displacements[:, moves].view(len(lanes.position), len(moves), 1, 1)
    changes = (by == 0).all(dim=0).expand(len(moves), *lanes.alive.shape)
    ways = tuple(there.expand(changes.shape) for there in displaced(lanes, tuple(by)))
    if lanes.universe.pushing is not None:
        possible = [unstuck(lanes, [there[number] for there in ways]) for number in range(len(moves))]
        ways = tuple(map(torch.stack, zip(*possible, strict=True))) if moves else ways
    for x, there in zip(lanes.position, ways, strict=True):
        changes = changes | (there != x)
    return changes


def usable(lanes: Lanes) -> Tensor:
    """Who is at an open affordance."""
    possible = torch.zeros_like(lanes.alive)
    for affordance in lanes.universe.affordances:
        possible = possible | (at(lanes, affordance.name) & is_open(affordance, lanes))
    return possible
