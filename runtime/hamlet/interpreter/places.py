"""Where the affordances of each world are, and where its agents start (docs/semantics.md, "Layouts")."""

from __future__ import annotations

import torch
from torch import Tensor

from hamlet.permutation import Domain, domain
from hamlet.random import WORD, permute
from hamlet.schema import cells
from hamlet.universe import Universe


def cell_index(cell: tuple[int, ...], sizes: tuple[int, ...]) -> int:
    """The index of a cell: x + width * (y + height * z)."""
    index = 0
    for x, size in zip(reversed(cell), reversed(sizes), strict=True):
        index = x + size * index
    return index


def coordinates(index: Tensor, sizes: tuple[int, ...]) -> list[Tensor]:
    """The coordinates of cells, one tensor per axis."""
    axes = []
    for size in sizes:
        axes.append(index % size)
        index = index // size
    return axes


class Places:
    """Computes places from layouts. Remembers those of the last layouts it saw: they change only with an episode."""

    def __init__(self, universe: Universe, device: torch.device) -> None:
        sizes = universe.space.sizes
        fixed = {item.name: cell_index(item.cell, sizes) for item in universe.affordances if item.cell is not None}
        free = sorted(set(range(cells(universe))) - set(fixed.values()))
        self._free_cells = torch.tensor(free, dtype=torch.int32, device=device)
        self._domain: Domain | None = domain(len(free)) if free else None
        self._names = tuple(item.name for item in universe.affordances)
        self._fixed = {name: torch.tensor([[index]], dtype=torch.int32, device=device) for name, index in fixed.items()}
        self._at_random = tuple(item.name for item in universe.affordances if item.cell is None)
        self._layout = torch.zeros(0, dtype=torch.int32, device=device)
        self._cells = torch.zeros((len(self._at_random), 0), dtype=torch.int32, device=device)

    def of(self, layout: Tensor) -> dict[str, Tensor]:
        """The cell index of each affordance, in file order: i32 [worlds, 1], or [1, 1] at a fixed place.

        layout: i32 [worlds].
        """
        if layout.shape != self._layout.shape:
            self._layout = layout.clone()
            self._cells = self._random_cells(layout, 0, len(self._at_random))
        elif self._at_random:
            changed = (layout != self._layout).nonzero().squeeze(1)
            if len(changed) > 0:
                self._layout[changed] = layout[changed]
                self._cells[:, changed] = self._random_cells(layout[changed], 0, len(self._at_random))
        at_random = {name: self._cells[row].unsqueeze(1) for row, name in enumerate(self._at_random)}
        return {name: at_random[name] if name in at_random else self._fixed[name] for name in self._names}

    def start_cells(self, layout: Tensor, agents: int) -> Tensor:
        """The cell index on which each agent starts, i32 [agents, worlds]; agents follow the random affordances."""
        return self._random_cells(layout, len(self._at_random), agents)

    def _random_cells(self, layout: Tensor, first: int, count: int) -> Tensor:
        """The free cells at indices first .. first + count - 1 of the permutation of each layout: [count, worlds]."""
        if self._domain is None or count == 0:
            return torch.zeros((count, len(layout)), dtype=torch.int32, device=layout.device)
        index = torch.arange(first, first + count, device=layout.device).unsqueeze(1).expand(count, len(layout))
        return self._free_cells[permute(index, layout.long() & WORD, self._domain)]
