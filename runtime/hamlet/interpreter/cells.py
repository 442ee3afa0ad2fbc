"""The cells of a grid: their rules, which run once per tick for all of them, and how they begin.

Cells are worked on like agents: tensors are [worlds, cells], and the position of a cell is where it is.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from hamlet import schema
from hamlet.backend.buffers import Buffers
from hamlet.interpreter import coverage
from hamlet.interpreter.among import on_cells
from hamlet.interpreter.constants import Constants
from hamlet.interpreter.draws import Sites
from hamlet.interpreter.expressions import evaluate
from hamlet.interpreter.lanes import Lanes, load, store_cells
from hamlet.interpreter.places import Places
from hamlet.interpreter.pushing import push_cells
from hamlet.interpreter.space import clamp, larger, smaller
from hamlet.interpreter.statements import run
from hamlet.numbers.counters import CELL_SHIFT
from hamlet.schema.grid import coordinates
from hamlet.universe import CellCount, CellSum, Grid, Universe


def cell_sites(
    universe: Universe, worlds: Tensor, time: int | Tensor, stream: int, seed: tuple[int, int]
) -> Sites | None:
    """The random words of cells; `worlds` are the numbers among all shards' worlds, i64 [worlds, 1]."""
    if universe.cells is None:
        return None
    cell = torch.arange(_count(universe), device=worlds.device).view(1, -1)
    return Sites(worlds.expand(len(worlds), cell.shape[1]), time, (cell << CELL_SHIFT) | stream, seed)


def spread(lanes: Lanes) -> None:
    """Run the rules of cells."""
    cells = lanes.universe.cells
    if cells is None or lanes.before is None:
        return
    began = as_agents(lanes, dict(lanes.cells))
    before = began.changed(world=lanes.before.world, coverage=None)
    # The same view for all rules: what one writes the next ones read.
    whole = as_agents(lanes, lanes.cells).changed(before=before, nearby=began)
    if lanes.universe.pushing is not None:
        push_cells(lanes.universe.pushing, lanes, whole)
    for rule in cells.rules:
        who = whole.running
        if rule.guard is not None:
            who = who & evaluate(rule.guard, whole)
        lanes.count(coverage.rule(rule), who)
        run(rule.body, whole, who, coverage.rule(rule))
    lanes.world |= overall(whole)


def overall(whole: Lanes) -> dict[str, Tensor]:
    """Sums over all cells, by the meter of the world that has each, f32 [worlds, 1]. `whole`: the cells as they are."""
    cells = whole.universe.cells
    return {} if cells is None else {each.meter: _over(each, whole) for each in cells.sums}


def _over(each: CellSum, whole: Lanes) -> Tensor:
    """Halves of what is left are joined, until one number is left; walls do not count."""
    world = whole.universe.world
    (meter,) = (declared for declared in (world.meters if world else ()) if declared.name == each.meter)
    nothing = {"total": 0.0, "lowest": meter.high, "highest": meter.low}[each.op]
    values = evaluate(each.operand, whole).expand(whole.running.shape)
    x = torch.where(whole.running, values, whole.constant(nothing))
    half = (1 << (x.shape[1] - 1).bit_length()) // 2
    while half > 0:
        a, b = x[:, : x.shape[1] - half], x[:, half:]
        joined = a + b if each.op == "total" else smaller(a, b) if each.op == "lowest" else larger(a, b)
        x = torch.cat([joined, x[:, joined.shape[1] : half]], dim=1)
        half //= 2
    return x


def begin_cells(lanes: Lanes, state: dict[str, Tensor], worlds: Tensor) -> None:
    """Give the meters of cells their values in these worlds, which begin an episode; walls have what is next to 0."""
    cells = lanes.universe.cells
    if cells is None:
        return
    # The same view for all start values: what one gives the next ones read.
    whole = as_agents(lanes, lanes.cells)
    beginning = torch.zeros(len(lanes.age), dtype=torch.bool, device=worlds.device)
    beginning[worlds] = True
    open_cells, beginning = whole.running, beginning.unsqueeze(1)
    whole.running = open_cells & beginning
    for meter in cells.meters:
        value = lanes.constant(meter.start) if isinstance(meter.start, float) else evaluate(meter.start, whole)
        nothing = lanes.constant(0.0)
        value = torch.where(open_cells, value, nothing)
        value = clamp(value, lanes.constant(meter.low), lanes.constant(meter.high))
        lanes.cells[meter.name] = torch.where(beginning, value, lanes.cells[meter.name])
    store_cells(lanes.cells, state)
    _store_sums(lanes, state, worlds)


def count_on_cells(lanes: Lanes, state: dict[str, Tensor], worlds: Tensor) -> None:
    """Find anew what the agents on each cell come to, in these worlds (i64 [n]). `lanes`: views of the state as it
    is."""
    if not lanes.universe.counts:
        return
    counted = lanes.running | _came_to_lifespan(lanes)
    (cell,) = lanes.cell()
    for each in lanes.universe.counts:
        values, many = evaluate(each.operand, lanes).expand(counted.shape), _count(lanes.universe)
        if each.extreme is None:
            totals = on_cells("total", values, counted, cell.long(), many)
        else:
            totals = _extreme_on_cells(each, values, counted, cell.long(), lanes)
        lanes.cells[each.meter] = lanes.cells[each.meter].index_copy(0, worlds, totals[worlds])
    store_cells(lanes.cells, state)


def _extreme_on_cells(each: CellCount, values: Tensor, counted: Tensor, standing: Tensor, lanes: Lanes) -> Tensor:
    """The least or the greatest number of the agents on each cell, f32 [worlds, cells], found in the order of agents;
    where there is nobody it is the bound of the meter that none is beyond."""
    cells = lanes.universe.cells
    (meter,) = (declared for declared in (cells.meters if cells else ()) if declared.name == each.meter)
    nobody = meter.high if each.extreme == "lowest" else meter.low
    joined = lanes.constant(nobody).expand(len(standing), _count(lanes.universe)).clone()
    for agent in range(standing.shape[1]):
        cell, value = standing[:, agent : agent + 1], values[:, agent : agent + 1]
        before = joined.gather(1, cell)
        better = torch.where(before < value, before, value) if each.extreme == "lowest" else larger(before, value)
        joined.scatter_(1, cell, torch.where(counted[:, agent : agent + 1], better, before))
    return joined


def _came_to_lifespan(lanes: Lanes) -> Tensor:
    """Whose age is the lifespan, bool [worlds, agents]; nobody's where the world has one."""
    lifespan = lanes.universe.lifespan
    if lifespan is None or lifespan.of_world is not None:
        return torch.zeros_like(lanes.alive)
    return lanes.age >= lifespan.ticks


def find_of_cells(universe: Universe, buffers: Buffers) -> None:
    """Find the sums over cells of all worlds anew, and what the agents on each cell come to, where there are some, on
    the state as it is."""
    if universe.cells is not None and (universe.cells.sums or universe.cells.counts):
        device = buffers.state["age"].device
        lanes = load(universe, buffers, Places(universe, device), Constants(universe, device))
        worlds = torch.arange(buffers.shape.worlds, device=device)
        count_on_cells(lanes, buffers.state, worlds)
        _store_sums(lanes, buffers.state, worlds)


def _store_sums(lanes: Lanes, state: Mapping[str, Tensor], worlds: Tensor) -> None:
    """Find the sums over cells of these worlds (i64 [n]), and write them into the state."""
    sums, world = overall(as_agents(lanes, lanes.cells).changed(nearby=None)), lanes.universe.world
    for row, total in enumerate(() if world is None else world.meters):
        if total.name in sums:
            state["world_meters"][row, worlds] = sums[total.name][worlds, 0]


def as_agents(lanes: Lanes, meters: dict[str, Tensor]) -> Lanes:
    """All cells with these meters, as if they were agents."""
    worlds, count = len(lanes.age), _count(lanes.universe)
    index = torch.arange(count, dtype=torch.int32, device=lanes.age.device).expand(worlds, count)
    there = torch.ones_like(index, dtype=torch.bool)
    if lanes.constant.ground is not None:
        there = ~lanes.constant.ground.walls.expand(worlds, count)
    return lanes.changed(
        meters=meters,
        cells=meters,
        position=coordinates(index, lanes.grid.sizes),
        running=there,
        sites=lanes.sites_of_cells,
        trace=None,
    )


def _count(universe: Universe) -> int:
    """The number of cells."""
    if not isinstance(universe.space, Grid):
        raise ValueError(f"universe {universe.name} has cells and no grid")
    return schema.cells(universe.space)
