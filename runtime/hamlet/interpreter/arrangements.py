"""Where affordances at random stand together where some of them say where they may (docs/semantics.md,
"Arrangements")."""

from __future__ import annotations

import torch
from torch import Tensor

from hamlet.interpreter.layouts import free_cells
from hamlet.numbers.permutation import GOLDEN, domain
from hamlet.numbers.random import WORD, mix, multiply_high, permute
from hamlet.schema.grid import between, cell_index, coordinates
from hamlet.universe import Affordance, Graph, Grid, Universe

MOST_ARRANGEMENTS = 1024
MOST_TRIED = 256


class Arrangements:
    """All arrangements of a universe that has some, made when they are first asked for."""

    def __init__(self, universe: Universe, device: torch.device) -> None:
        self._universe = universe
        self._device = device
        self._arrangements: Tensor | None = None

    def cells(self, layout: Tensor) -> list[Tensor]:
        """The cells of the affordances at random, i32 [worlds] each, for layouts (i32 [worlds])."""
        if self._arrangements is None:
            self._arrangements = self._make()
        chosen = multiply_high(mix(layout.long() & WORD), self._arrangements.shape[1])
        return list(self._arrangements[:, chosen])

    def _make(self) -> Tensor:
        """The cells, i32 [affordances at random, arrangements]."""
        universe, grid = self._universe, self._universe.space
        if not isinstance(grid, Grid):
            raise ValueError(f"universe {universe.name} has no grid")
        free = free_cells(universe, grid).to(self._device)
        keys = torch.arange(MOST_ARRANGEMENTS, device=self._device)
        complete = torch.ones_like(keys, dtype=torch.bool)
        stands: dict[str, Tensor] = {}
        for item in universe.affordances:
            if item.stands is not None:
                fixed = cell_index([int(x) for x in item.stands], grid.sizes)
                stands[item.name] = torch.full_like(keys, fixed)
        at_random = [(number, item) for number, item in enumerate(universe.affordances) if item.place is None]
        for number, item in at_random:
            fits, cell = self._first(grid, stands, item, keys + (number + 1) * GOLDEN, _where(free, grid, item))
            complete &= fits
            stands[item.name] = cell
        rows = torch.stack([stands[item.name] for _, item in at_random])
        return rows[:, complete].to(torch.int32)

    def _first(
        self, grid: Grid, stands: dict[str, Tensor], item: Affordance, key: Tensor, cells: Tensor
    ) -> tuple[Tensor, Tensor]:
        """For every key whether some cell that is tried fits, and the first of those."""
        placed, cell = torch.zeros_like(key, dtype=torch.bool), torch.zeros_like(key)
        layout = mix(key & WORD)
        for index in range(min(len(cells), MOST_TRIED)):
            if placed.all():
                break
            tried = cells[permute(torch.full_like(key, index), layout, domain(len(cells)))].long()
            here = ~placed & self._fits(grid, stands, item, tried)
            cell = torch.where(here, tried, cell)
            placed = placed | here
        return placed, cell

    def _fits(self, grid: Grid, stands: dict[str, Tensor], item: Affordance, cell: Tensor) -> Tensor:
        fits = torch.ones_like(cell, dtype=torch.bool)
        affordances = {each.name: each for each in self._universe.affordances}
        for name, there in stands.items():
            fits = fits & (there != cell)
            mine, theirs = item.spread, affordances[name].spread
            if mine is None:
                continue
            if mine.near == name and mine.within is not None:
                fits = fits & (_apart(grid, cell, there) <= _measure(grid, mine.within))
            if mine.apart is not None and theirs is not None and theirs.apart is not None:
                least = _measure(grid, max(mine.apart, theirs.apart))
                fits = fits & (_apart(grid, cell, there) >= least) & (_apart(grid, there, cell) >= least)
        return fits


def _where(free: Tensor, grid: Grid, item: Affordance) -> Tensor:
    """The cells that an affordance tries."""
    if item.spread is None or item.spread.region is None or grid.map is None:
        return free
    inside = torch.tensor(grid.map.cells(grid.map.region(item.spread.region)), device=free.device)
    return free[torch.isin(free, inside)]


def _measure(grid: Grid, distance: int) -> int:
    return distance * distance if grid.metric == "euclidean" else distance


def _apart(grid: Grid, one: Tensor, other: Tensor) -> Tensor:
    """The distance from cells to others, of the euclidean metric its square; i64."""
    if grid.graph is not None:
        return _edges(grid.graph)[one, other]
    return between(coordinates(one, grid.sizes), coordinates(other, grid.sizes), grid)


def _edges(graph: Graph) -> Tensor:
    """The fewest edges from each node (row) to each, i64; as many as there are nodes where no way leads."""
    count = len(graph.nodes)
    far = torch.full((count, count), count)
    for number, node in enumerate(graph.nodes):
        far[number, number] = 0
        far[number, [graph.number(name) for name in node.leads]] = 1
    for middle in range(count):
        far = torch.minimum(far, far[:, middle : middle + 1] + far[middle])
    return far
