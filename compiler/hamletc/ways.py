"""Ways on a grid of two dimensions: from which cells one gets to which, and in how many steps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hamlet.frozen import dataclass
from hamlet.universe import Edges


@dataclass(frozen=True, slots=True)
class Ways:
    """Ways from cell to cell, by index.

    Attributes:
        sizes: width and height.
        walls: cells that nobody enters.
        between: pairs of cells with a thin wall between them, in both orders.
        steps: displacements.
        jumps: cells to which one gets from everywhere.
    """

    sizes: tuple[int, int]
    edges: Edges
    walls: frozenset[int]
    between: frozenset[tuple[int, int]]
    steps: tuple[tuple[int, int], ...]
    jumps: frozenset[int] = frozenset()

    @property
    def open_cells(self) -> int:
        """How many cells are no walls."""
        return self.sizes[0] * self.sizes[1] - len(self.walls)

    @property
    def count(self) -> int:
        """How many ways there are."""
        return self.open_cells * len(self.steps)

    def from_cells(self, cells: frozenset[int], *, both_ways: bool = False) -> frozenset[int]:
        """The cells reached from these, and these; with `both_ways` also those from which these are reached."""
        steps = (*self.steps, *((-right, -down) for right, down in self.steps)) if both_ways else self.steps
        reached = set(cells) | (self.jumps if cells else frozenset())
        pending = list(reached)
        while pending:
            for there in self._next(pending.pop(), steps):
                if there not in reached:
                    reached.add(there)
                    pending.append(there)
        return frozenset(reached)

    def steps_to(self, target: int) -> list[int]:
        """The fewest steps to a cell from each; the number of cells where none lead there. Jumps are no steps."""
        cells = self.sizes[0] * self.sizes[1]
        origins: list[list[int]] = [[] for _ in range(cells)]
        for cell in range(cells):
            for there in self._next(cell, self.steps) if cell not in self.walls else ():
                origins[there].append(cell)
        steps = [cells] * cells
        steps[target] = 0
        frontier = [target]
        for cell in frontier:
            for origin in origins[cell]:
                if steps[origin] == cells and origin != target:
                    steps[origin] = steps[cell] + 1
                    frontier.append(origin)
        return steps

    def _next(self, cell: int, steps: Iterable[tuple[int, int]]) -> Iterator[int]:
        """The cells to which these steps lead from one that is no wall."""
        width, height = self.sizes
        x, y = cell % width, cell // width
        for right, down in steps:
            there = _along(x, right, width, self.edges) + width * _along(y, down, height, self.edges)
            if there != cell and there not in self.walls and (cell, there) not in self.between:
                yield there


def _along(x: int, by: int, size: int, edges: Edges) -> int:
    """The coordinate after a displacement and after the edges."""
    moved = x + by
    match edges:
        case "wrap":
            return moved % size
        case "sticky" if not 0 <= moved < size:
            return x
        case "bounce":
            moved = abs(moved)
            moved = moved if moved < size else 2 * (size - 1) - moved
        case _:
            pass
    return min(max(moved, 0), size - 1)
