"""Where affordances at random and agents begin an episode (docs/semantics.md, "Layouts")."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import torch
from torch import Tensor

from hamlet.numbers.permutation import Domain, domain, permuted_axes
from hamlet.numbers.random import WORD, draw, mix, multiply_high, permute
from hamlet.schema.grid import cell_index, coordinates
from hamlet.universe import Continuous, Grid, NoSpace, Universe
from hamlet.universe.space import letters_of

TRIES = 64
"""Cells that an agent or an affordance tries, where cells decide which are walls."""


class Layouts:
    """Turns layouts (i32 [worlds]) and indices into positions: one tensor [count, worlds] per axis, i32 or f32."""

    def __init__(self, universe: Universe, device: torch.device) -> None:
        self._space = universe.space
        self._device = device
        self._permuted: tuple[int, ...] = ()
        self._free = torch.zeros(0, dtype=torch.int32, device=device)
        if isinstance(universe.space, Grid):
            self._permuted = universe.space.sizes[: permuted_axes(universe.space.sizes)]
            self._free = free_cells(universe, universe.space).to(device)
        self._domain: Domain | None = domain(len(self._free)) if len(self._free) > 0 else None
        self._letters = letters_of(universe.space)

    def apart(self, layout: Tensor, first: int, count: int) -> list[Tensor]:
        """The positions with the indices first .. first + count - 1: on a grid no two are on the same cell."""
        if not isinstance(self._space, Grid) or self._domain is None:
            return self.anywhere(layout, first, count)
        word, index = layout.long() & WORD, self._indices(layout, first, count)
        cell = self._free[permute(index, word, self._domain)]
        rest = range(len(self._permuted), len(self._space.sizes))
        return [*coordinates(cell, self._permuted), *(self._drawn(word, index, axis) for axis in rest)]

    def starting(self, layout: Tensor, letters: str, agents: int) -> list[Tensor]:
        """The positions of agents on cells with these letters of the map, no two on the same cell."""
        cells = self._cells(letters)
        word, index = mix(layout.long() & WORD), self._indices(layout, 0, agents)
        return list(coordinates(cells[permute(index, word, domain(len(cells)))], self._permuted))

    def anywhere(self, layout: Tensor, first: int, count: int) -> list[Tensor]:
        """The positions with the indices first .. first + count - 1, drawn coordinate by coordinate; with walls one of
        the other cells is drawn."""
        word, index = layout.long() & WORD, self._indices(layout, first, count)
        if self._letters is not None and self._letters.walls:
            letters = "".join(self._letters.rows)
            cells = self._cells("".join(each for each in set(letters) if each not in self._letters.walls))
            return list(coordinates(cells[multiply_high(draw(word, index, 0), len(cells))], self._permuted))
        match self._space:
            case Grid(sizes=axes) | Continuous(axes=axes):
                return [self._drawn(word, index, axis) for axis in range(len(axes))]
            case NoSpace():
                return []

    def open_apart(self, layout: Tensor, walls: Tensor, indices: range, stride: int) -> list[Tensor]:
        """The positions of these indices, [indices, worlds] per axis, each on the first of its own free cells that is
        no wall of these (bool [worlds, cells])."""
        if self._domain is None:
            raise ValueError("there are no free cells")
        return self._open(self._free, self._domain, layout.long() & WORD, walls, indices, stride)

    def open_letters(self, layout: Tensor, walls: Tensor, letters: str, agents: int) -> list[Tensor]:
        """The positions of agents likewise, on cells with these letters of the map."""
        cells = self._cells(letters)
        return self._open(cells, domain(len(cells)), mix(layout.long() & WORD), walls, range(agents), agents)

    def _open(
        self, cells: Tensor, over: Domain, word: Tensor, walls: Tensor, indices: range, stride: int
    ) -> list[Tensor]:
        """Each index has the cells of the permutation that come every `stride` cells, and takes the first of them that
        is no wall; the very first where all are walls."""
        index = self._indices(word, indices.start, len(indices))
        chosen = cells[permute(index, word, over)]
        blocked = _is_wall(chosen, walls)
        for _ in range(1, TRIES):
            index = index + stride
            there = index < over.size
            if not (blocked & there).any():
                break
            cell = cells[permute(torch.where(there, index, 0), word, over)]
            taken = blocked & there & ~_is_wall(cell, walls)
            chosen, blocked = torch.where(taken, cell, chosen), blocked & ~taken
        return list(coordinates(chosen, self._permuted))

    def open_anywhere(self, layout: Tensor, walls: Tensor, first: int, count: int) -> list[Tensor]:
        """The positions with the indices first .. first + count - 1, each drawn until it is no wall; the very first
        where all are walls."""
        word, index = layout.long() & WORD, self._indices(layout, first, count)
        cells = torch.arange(prod(self._permuted), dtype=torch.int32, device=self._device)
        if self._letters is not None and self._letters.walls:
            letters = "".join(self._letters.rows)
            cells = self._cells("".join(each for each in set(letters) if each not in self._letters.walls))
        chosen = cells[multiply_high(draw(word, index, 0), len(cells))]
        blocked = _is_wall(chosen, walls)
        for number in range(1, TRIES):
            if not blocked.any():
                break
            cell = cells[multiply_high(draw(word, index, number), len(cells))]
            taken = blocked & ~_is_wall(cell, walls)
            chosen, blocked = torch.where(taken, cell, chosen), blocked & ~taken
        return list(coordinates(chosen, self._permuted))

    def sought(self, layout: Tensor, sought: Sequence[Tensor], first: int, agents: int) -> list[Tensor]:
        """The positions of agents, [agents, worlds] per axis: each has the next of the free cells, in the order of the
        layout, that are among those sought (bool [worlds, cells]); the last of them where they are too few. Where none
        of them is free, those sought next count; where there are no others, agents have the cells of the indices from
        `first` on."""
        if self._domain is None:
            raise ValueError("there are no free cells")
        word = layout.long() & WORD
        order = self._free[permute(self._indices(word, 0, self._domain.size), word, self._domain)]
        chosen = self._free[permute(self._indices(word, first, agents), word, self._domain)]
        here = torch.zeros_like(order, dtype=torch.bool)
        for cells in sought:
            here = torch.where(here.any(dim=0), here, cells.gather(1, order.T.long()).T)
        place, count = here.cumsum(0), here.sum(0)
        for agent in range(agents):
            turn = here & (place == torch.clamp(count, max=agent + 1))
            cell = order.gather(0, turn.to(torch.uint8).argmax(0, keepdim=True)).squeeze(0)
            chosen[agent] = torch.where(count > 0, cell, chosen[agent])
        return list(coordinates(chosen, self._permuted))

    def _cells(self, letters: str) -> Tensor:
        """The indices of the cells of the map with these letters, i32."""
        numbers = () if self._letters is None else self._letters.cells(letters)
        return torch.tensor(numbers, dtype=torch.int32, device=self._device)

    def _indices(self, layout: Tensor, first: int, count: int) -> Tensor:
        return torch.arange(first, first + count, device=self._device).unsqueeze(1).expand(count, len(layout))

    def _drawn(self, word: Tensor, index: Tensor, axis: int) -> Tensor:
        """A coordinate of its own, drawn from a layout (i64 words) for an index."""
        drawn = draw(word, index, axis)
        match self._space:
            case Grid(sizes=sizes):
                return multiply_high(drawn, sizes[axis]).to(torch.int32)
            case Continuous(axes=axes):
                low, high, size = (self._number(x) for x in (axes[axis].low, axes[axis].high, axes[axis].size))
                x = low + size * ((drawn >> 8).to(torch.float32) * self._number(2.0**-24))
                return torch.where(x < high, x, high)
            case NoSpace():
                raise ValueError("there are no axes without a space")

    def _number(self, value: float) -> Tensor:
        return torch.tensor(value, dtype=torch.float32, device=self._device)


def _is_wall(cells: Tensor, walls: Tensor) -> Tensor:
    """Whether these cells (i32 [count, worlds]) are walls (bool [worlds, cells])."""
    return walls.gather(1, cells.T.long()).T


def free_cells(universe: Universe, grid: Grid) -> Tensor:
    """The indices of the cells that layouts permute, i32: those without an affordance at a fixed place, without a wall,
    and on which no agents start by a letter; on a grid of more cells than can be permuted, all those of its first
    axes."""
    permuted = permuted_axes(grid.sizes)
    free = torch.ones(prod(grid.sizes[:permuted]), dtype=torch.bool)
    if permuted == len(grid.sizes):
        for affordance in universe.affordances:
            if affordance.stands is not None:
                free[cell_index([int(x) for x in affordance.stands], grid.sizes)] = False
    if grid.map is not None:
        free[list(grid.map.cells(grid.map.walls + (grid.map.starts or "")))] = False
    return free.nonzero().squeeze(1).to(torch.int32)
