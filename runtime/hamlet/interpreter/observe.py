"""What agents observe, and which actions would do something."""

from __future__ import annotations

import itertools
import math

import torch
from torch import Tensor

from hamlet import schema
from hamlet.interpreter.expressions import nowhere
from hamlet.interpreter.interact import is_open
from hamlet.interpreter.lanes import Lanes
from hamlet.interpreter.places import cell_index
from hamlet.interpreter.space import displaced
from hamlet.universe import (
    Observation,
    ObserveGrid,
    ObserveHere,
    ObserveLifetime,
    ObserveMeters,
    ObserveParams,
    ObservePosition,
    ObserveProgress,
    ObserveTime,
    ObserveWindow,
)


def observe(lanes: Lanes, out: Tensor) -> None:
    """Write all rows of the observation; out: f32 or bf16 (f32 rounded once) [rows, worlds, agents]."""
    row = 0
    for item in lanes.universe.observations:
        for value in rows_of(item, lanes):
            out[row] = value
            row += 1


def rows_of(item: Observation, lanes: Lanes) -> list[Tensor]:
    """The rows of one item of `observe`, each f32 and broadcasting to [worlds, agents]."""
    match item:
        case ObserveGrid():
            return grid(lanes)
        case ObserveWindow(radius=radius):
            return window(radius, lanes)
        case ObservePosition(encoding=encoding):
            sizes = [lanes.constant(float(size)) for size in lanes.universe.space.sizes]
            match encoding:
                case "absolute":
                    return [x.to(torch.float32) for x in lanes.position]
                case "relative":
                    return relative_position(lanes)
                case "scaled":
                    return relative_position(lanes) + sizes
        case ObserveMeters(meters=meters):
            return [lanes.meters[meter] for meter in meters]
        case ObserveHere():
            return [here.to(torch.float32) for here in [*map(lanes.here, lanes.places), nowhere(lanes)]]
        case ObserveTime():
            return time(lanes)
        case ObserveProgress(per=per):
            return [progress(per, lanes)]
        case ObserveLifetime():
            assert lanes.universe.lifespan is not None
            return [lanes.age.to(torch.float32) / lanes.constant(float(lanes.universe.lifespan.ticks))]
        case ObserveParams(params=params):
            return [lanes.params[param] for param in params]


def grid(lanes: Lanes) -> list[Tensor]:
    """Every cell: 1 where an affordance is, plus 1 where the agent is."""
    worlds, agents = lanes.age.shape
    occupied = torch.zeros((schema.cells(lanes.universe), worlds), device=lanes.age.device)
    for place in lanes.places.values():
        occupied.scatter_(0, place.long().expand(worlds, 1).T, 1.0)
    cells = occupied.unsqueeze(2).repeat(1, 1, agents)
    own = lanes.cell().long().unsqueeze(0)
    return list(cells.scatter_add_(0, own, torch.ones_like(own, dtype=torch.float32)))


def window(radius: int, lanes: Lanes) -> list[Tensor]:
    """The cells around the agent, x fastest: 1 where an affordance is, 0 beyond the edges."""
    sizes, own = lanes.universe.space.sizes, lanes.cell()
    deltas = range(-radius, radius + 1)
    inside = [
        {delta: (x + delta >= 0) & (x + delta < size) for delta in deltas}
        for x, size in zip(lanes.position, sizes, strict=True)
    ]
    rows = []
    for offset in (reverse[::-1] for reverse in itertools.product(deltas, repeat=len(sizes))):
        cell = own + cell_index(offset, sizes)
        seen = torch.zeros_like(lanes.alive)
        for place in lanes.places.values():
            seen = seen | (cell == place)
        for axis, delta in enumerate(offset):
            seen = seen & inside[axis][delta]
        rows.append(seen.to(torch.float32))
    return rows


def relative_position(lanes: Lanes) -> list[Tensor]:
    """x / (size - 1) per axis."""
    divisors = [lanes.constant(float(max(size - 1, 1))) for size in lanes.universe.space.sizes]
    return [x.to(torch.float32) / divisor for x, divisor in zip(lanes.position, divisors, strict=True)]


def time(lanes: Lanes) -> list[Tensor]:
    """sin and cos of the time of day, from tables made in binary64."""
    assert lanes.universe.clock is not None
    hours = lanes.universe.clock.hours
    angles = [2.0 * math.pi * hour / hours for hour in range(hours)]
    tables = [torch.tensor([f(angle) for angle in angles], dtype=torch.float32) for f in (math.sin, math.cos)]
    return [table.to(lanes.hour.device)[lanes.hour.long()] for table in tables]


def progress(per: int | None, lanes: Lanes) -> Tensor:
    """The ticks spent on the affordance that an agent is engaged in, divided by `per` or by its duration."""
    spent = lanes.progress.to(torch.float32)
    if per is not None:
        return spent / lanes.constant(float(per))
    result = torch.zeros_like(spent)
    for number, affordance in enumerate(lanes.universe.affordances):
        if affordance.duration is not None:
            share = spent / lanes.constant(float(affordance.duration))
            result = torch.where(lanes.engaged == number, share, result)
    return result


def mask(lanes: Lanes, out: Tensor) -> None:
    """Write which actions would do something; out: bool [actions, worlds, agents]. The dead may only WAIT."""
    universe, row = lanes.universe, 0
    for deltas in schema.move_deltas(universe):
        changes = torch.zeros_like(lanes.alive)
        for axis, delta in enumerate(deltas):
            x = lanes.position[axis]
            changes = changes | (displaced(x, delta, axis, universe.space) != x)
        out[row] = lanes.alive & changes
        row += 1
    usable = torch.zeros_like(lanes.alive)
    for affordance in universe.affordances:
        usable = usable | (lanes.here(affordance.name) & is_open(affordance.hours, lanes.hour))
    out[row] = lanes.alive & usable
    out[row + 1] = True
    for custom in range(row + 2, len(out)):
        out[custom] = lanes.alive
