"""Births within an episode: what follows step 9 of a tick (docs/semantics.md, "Births")."""

from __future__ import annotations

import torch
from torch import Tensor

from hamlet.backend.buffers import Buffers
from hamlet.interpreter import coverage
from hamlet.interpreter.episode import Starts, within
from hamlet.interpreter.expressions import evaluate
from hamlet.interpreter.lanes import Lanes
from hamlet.universe import Pool


def living_at_first(pool: Pool, lanes: Lanes) -> Tensor:
    """Who of a pool is alive when an episode begins, bool [worlds, agents]; others are not looked at."""
    number = _numbers(lanes) - pool.first
    if pool.begin is None:
        return torch.ones_like(lanes.alive)
    return number.to(torch.float32) < evaluate(pool.begin, lanes)


def of_pool(pool: Pool, lanes: Lanes) -> Tensor:
    """The agents of a pool, bool [worlds, agents]."""
    number, agents = _numbers(lanes), lanes.age.shape[1]
    beyond = agents if pool.agents is None else pool.first + pool.agents
    return (pool.first <= number) & (number < beyond)


def births(lanes: Lanes, buffers: Buffers, ran: Tensor, constant: Starts) -> None:
    """Give the agents that are born in this tick the state that they begin with; who comes back stays where it was.

    Args:
        lanes: views of the state after step 9; draws are those of births.
        ran: bool [worlds, agents], who ran the tick.
    """
    for pool in lanes.universe.pools:
        waiting = of_pool(pool, lanes) & ~ran
        born = torch.zeros_like(waiting)
        if pool.asks is not None:
            born, mothers = _children(waiting, ran & evaluate(pool.asks, lanes), lanes.alive)
            lanes.count(coverage.born(pool), born)
            handed = {each.meter: evaluate(each.value, lanes).gather(1, mothers) + 0.0 for each in pool.handed}
            _begin(lanes, buffers, born, handed, constant)
            there = [x.gather(1, mothers) for x in lanes.position]
            for x, to in zip(lanes.position, there, strict=True):
                x.copy_(torch.where(born, to, x))
        if pool.after is not None and pool.waits is not None:
            waited = torch.where(waiting & ~born, lanes.meters[pool.waits] + 1.0, lanes.constant(0.0))
            lanes.meters[pool.waits] = waited.clamp(max=float(pool.after))
            alone = waiting & ~born & (waited >= pool.after) & lanes.alive.any(dim=1, keepdim=True)
            lanes.count(coverage.returned(pool), alone)
            _begin(lanes, buffers, alone, {}, constant)
    for pool in lanes.universe.pools:
        if pool.asked is not None:
            lanes.meters[pool.asked] = torch.zeros_like(lanes.meters[pool.asked])
    for row, value in zip(buffers.state["meters"], lanes.meters.values(), strict=True):
        row.copy_(value.reshape(-1))


def _children(waiting: Tensor, asking: Tensor, alive: Tensor) -> tuple[Tensor, Tensor]:
    """Who of those that wait is born, bool, and of whom, the number of the mother i64: the first one that waits of the
    first mother that asks, and so on; mothers that have died in this tick have no child after all."""
    mothers = torch.argsort((~asking).to(torch.int32), dim=1, stable=True)
    place = waiting.to(torch.int64).cumsum(dim=1) - waiting.to(torch.int64)
    mother = mothers.gather(1, place)
    return waiting & (place < asking.sum(dim=1, keepdim=True)) & alive.gather(1, mother), mother


def _begin(lanes: Lanes, buffers: Buffers, who: Tensor, handed: dict[str, Tensor], constant: Starts) -> None:
    """The state of agents that are born, but for their position: that of an episode's start, and the values (f32
    [worlds, agents]) of meters that they are handed."""
    universe, state, chosen = lanes.universe, buffers.state, who.reshape(-1)
    lanes.running = who
    for meter in universe.meters:
        if meter.name in handed:
            value = within(meter, handed[meter.name], lanes)
        elif isinstance(meter.start, float):
            value = lanes.constant(meter.start)
        else:
            value = within(meter, evaluate(meter.start, lanes), lanes)
        lanes.meters[meter.name] = torch.where(who, value, lanes.meters[meter.name])
    for field, start in constant:
        if field.per == "lane":
            state[field.name].view(-1, buffers.shape.lanes)[:, chosen] = start
    if universe.start is not None:
        for axis, begin in enumerate(universe.start.velocity):
            state["velocity"][axis, chosen] = begin
        if universe.start.speed is not None:
            state["speed"][chosen] = universe.start.speed


def _numbers(lanes: Lanes) -> Tensor:
    """The number of each agent in its world, i64 [worlds, agents]."""
    return torch.arange(lanes.age.shape[1], device=lanes.age.device).expand(lanes.age.shape)
