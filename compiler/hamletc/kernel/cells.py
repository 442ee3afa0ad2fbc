"""The cells of grids, with numpy: functions of cells computed for all cells of all worlds at once, and what neighbours,
the agents on a cell, and all cells of a world come to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np

from hamlet import schema
from hamlet.frozen import dataclass
from hamlet.universe import Grid, Universe
from hamlet.universe.space import sides
from hamletc.ir.evaluate import Array
from hamletc.ir.function import Reduction, ReductionOp
from hamletc.kernel.statements import OF_WORLD, SHARED


@dataclass(frozen=True, slots=True)
class Cells:
    """The cells of a universe: their meters by name, none where there are no cells, and how many there are."""

    meters: tuple[str, ...]
    count: int
    grid: Grid | None

    @classmethod
    def of(cls, universe: Universe) -> Cells:
        """Those of a universe."""
        grid = universe.space if isinstance(universe.space, Grid) else None
        if universe.cells is None or grid is None:
            return cls((), 0, None)
        return cls(tuple(meter.name for meter in universe.cells.meters), schema.cells(grid), grid)

    def shared(self, registers: Mapping[str, Array], worlds: int, agents: int) -> dict[str, Array]:
        """What a function of cells reads that is no register of cells: [worlds * cells]."""
        given = {
            name: np.repeat(values[::agents], self.count)
            for name, values in registers.items()
            if name in OF_WORLD or name.startswith(SHARED)
        }
        begin = np.repeat(np.arange(worlds, dtype=np.int32) * np.int32(self.count), self.count)
        return given | {"cell": np.tile(np.arange(self.count, dtype=np.int32), worlds), "cells_at": begin}

    def beside(self, values: Array) -> Array:
        """The sums of values [worlds * cells] over the neighbours of each cell, side by side."""
        assert self.grid is not None, "cells are on a grid"
        laid = values.reshape(-1, *self.grid.sizes[::-1])
        total = np.zeros(())
        for number, side in enumerate(sides(len(self.grid.sizes), self.grid.metric)):
            across = [(laid.ndim - 1 - axis, by) for axis, by in enumerate(side) if by]
            each = np.roll(laid, [-by for _, by in across], [dimension for dimension, _ in across])
            for dimension, by in across if self.grid.edges != "wrap" else ():
                each.swapaxes(0, dimension)[-1 if by > 0 else 0] = 0
            total = total + each if number else each
        return total.reshape(-1)

    def overall(self, op: ReductionOp, values: Array) -> Array:
        """What values [worlds * cells] of all cells of each world come to, [worlds]."""
        rows = np.array(values.reshape(-1, self.count).T)
        half = (1 << (self.count - 1).bit_length()) >> 1
        while half:
            rows = np.concatenate((_joined(op, rows[: len(rows) - half], rows[half:]), rows[len(rows) - half : half]))
            half >>= 1
        result: Array = rows[0]
        return result


def _joined(op: ReductionOp, left: Array, right: Array) -> Array:
    match op:
        case "total":
            result: Array = left + right
            return result
        case "lowest":
            return np.where(left < right, left, right)
        case "highest":
            return np.where(right < left, left, right)
        case _:
            raise ValueError(f"cells have no {op}")


def on_cells(reduction: Reduction, term: Array, cell: Array, runs: Array, count: int) -> Array:
    """What those lanes of each of `count` cells that do so have together, f32, one lane after the other; `cell` is the
    cell of each lane among those of all worlds, `term` what it adds."""
    result, reached = np.zeros(count, np.float32), np.zeros(count, np.bool_)
    for lane in np.flatnonzero(runs):
        at, value = cell[lane], term[lane]
        before = result[at]
        match reduction.op:
            case "count":
                result[at] = before + np.float32(value)
            case "total":
                result[at] = before + value
            case "lowest":
                result[at] = before if reached[at] and before < value else value
            case "last":
                result[at] = value
            case _:
                result[at] = before if reached[at] and value < before else value
        reached[at] = True
    return result


def joined_on_cells(
    op: Literal["lowest", "highest"] | None, nobody: float, term: Array, cell: Array, counted: Array, count: int
) -> Array:
    """What the lanes that are counted give, f32 [lanes], joined on each of `count` cells, one lane after the other:
    summed, or the least or the greatest. `cell` is the cell of each lane among those of all worlds, `nobody` the number
    to which they are joined."""
    result = np.full(count, nobody, np.float32)
    for lane in np.flatnonzero(counted):
        at, value = cell[lane], term[lane]
        match op:
            case None:
                result[at] += value
            case "lowest":
                result[at] = result[at] if result[at] < value else value
            case "highest":
                result[at] = result[at] if value < result[at] else value
    return result
