"""The cells of grids, as programs say: functions of cells evaluated for all cells of all worlds at once."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from hamlet import schema
from hamlet.backend.buffers import Buffers
from hamlet.universe import Grid, Universe
from hamlet.universe.space import sides
from hamletc.ir.evaluate import Array, evaluate
from hamletc.ir.function import BEGIN_CELLS, CELLS, NEAR, OVER, Program, Reduction, reducer

FIELD = "cell_meters"
SHARED = ("world.", "before.world.", "param.")
"""What a world has: the beginnings of names of inputs."""
OF_WORLD = ("hour", "tick", "seed_low", "seed_high", "world", "episode", "agents")


class Spreading:
    """The cells of a universe; `meters` is empty where it has none. Values of cells are [worlds * cells]."""

    def __init__(self, universe: Universe, program: Program) -> None:
        self._program = program
        self._grid = universe.space if isinstance(universe.space, Grid) else None
        self.meters = () if universe.cells is None else tuple(meter.name for meter in universe.cells.meters)
        self._sums = () if universe.cells is None else universe.cells.sums
        self._count = schema.cells(self._grid) if self._grid is not None and self.meters else 0

    def gather(self, buffers: Buffers) -> dict[str, Array]:
        """The meters of cells, [worlds, cells], and where those of the lane's world begin."""
        if not self.meters:
            return {}
        shape = buffers.shape
        values = buffers.state[FIELD].numpy().reshape(len(self.meters), self._count, shape.worlds)
        found = {f"cells.{name}": values[row].T.copy() for row, name in enumerate(self.meters)}
        return found | {"cells_at": (np.arange(shape.lanes) // shape.agents * self._count).astype(np.int32)}

    def spread(self, buffers: Buffers, given: Mapping[str, Array], runs: Array) -> dict[str, Array]:
        """The step Cells. `given`: the lanes after the rules of their worlds. The new meters, as `gather` has them, and
        meters of the world that have what all cells come to, per lane."""
        if not self.meters:
            return {}
        inputs = self._inputs(buffers, given)
        if self._program.has(NEAR):
            beside = {name: self._beside(values) for name, values in self._evaluate(NEAR, inputs).items()}
            inputs |= beside
        if reductions := self._program.stage("cells"):
            program = self._program
            terms = evaluate(program.function(reducer("cells")), dict(given), program.tables, program.functions)
            place = given["cells_at"] + terms["standing"]
            inputs |= {each.result: self._joined(each, terms, place, runs, len(inputs["cell"])) for each in reductions}
        results = self._evaluate(CELLS, inputs)
        written = self._write(buffers, results, np.ones(buffers.shape.worlds, np.bool_))
        return written | self._over(inputs | results, buffers)

    def begin(self, buffers: Buffers, given: Mapping[str, Array], worlds: Array) -> dict[str, Array]:
        """A new episode in these worlds (bool); the meters of the world that have what all cells come to, per lane."""
        if not self.meters:
            return {}
        inputs = self._inputs(buffers, given)
        results = self._evaluate(BEGIN_CELLS, inputs)
        self._write(buffers, results, worlds)
        return self._over(inputs | results, buffers)

    def _over(self, inputs: dict[str, Array], buffers: Buffers) -> dict[str, Array]:
        """What all cells come to: halves of what is left are joined, until one number is left."""
        if not self._program.has(OVER):
            return {}
        found = {}
        for each, terms in zip(self._sums, self._evaluate(OVER, inputs).values(), strict=True):
            values = np.array(terms.reshape(-1, self._count).T)
            half = (1 << (self._count - 1).bit_length()) >> 1
            while half:
                a, b = values[: len(values) - half], values[half:]
                match each.op:
                    case "total":
                        joined = a + b
                    case "lowest":
                        joined = np.where(a < b, a, b)
                    case "highest":
                        joined = np.where(b < a, a, b)
                values = np.concatenate((joined, values[len(joined) : half]))
                half >>= 1
            found[f"world.{each.meter}"] = np.repeat(values[0], buffers.shape.agents)
        return found

    def _inputs(self, buffers: Buffers, given: Mapping[str, Array]) -> dict[str, Array]:
        agents = buffers.shape.agents
        known = {
            name: np.repeat(values[::agents], self._count)
            for name, values in given.items()
            if name in OF_WORLD or name.startswith(SHARED)
        }
        number = np.arange(buffers.shape.worlds) + buffers.shape.first_world
        known["world"] = np.repeat(number, self._count).astype(np.uint32)
        known["cell"] = np.tile(np.arange(self._count, dtype=np.int32), buffers.shape.worlds)
        return known | {f"cells.{name}": given[f"cells.{name}"].reshape(-1) for name in self.meters}

    def _evaluate(self, function: str, inputs: dict[str, Array]) -> dict[str, Array]:
        return evaluate(self._program.function(function), inputs, self._program.tables, self._program.functions)

    def _beside(self, values: Array) -> Array:
        """The sums over neighbours, side by side."""
        assert self._grid is not None, "cells are on a grid"
        laid = values.reshape(-1, *self._grid.sizes[::-1])
        count, total = len(self._grid.sizes), np.zeros(())
        for number, side in enumerate(sides(count, self._grid.metric)):
            across = [(laid.ndim - 1 - axis, by) for axis, by in enumerate(side) if by]
            each = np.roll(laid, [-by for _, by in across], [dimension for dimension, _ in across])
            for dimension, by in across if self._grid.edges != "wrap" else ():
                each.swapaxes(0, dimension)[-1 if by > 0 else 0] = 0
            total = total + each if number else each
        return total.reshape(-1)

    def _joined(self, reduction: Reduction, terms: Mapping[str, Array], place: Array, runs: Array, size: int) -> Array:
        """What the agents on each cell have together, one after the other."""
        term = terms[f"term.{reduction.name}"]
        found, reached = np.zeros(size, np.float32), np.zeros(size, np.bool_)
        for lane in np.flatnonzero(runs):
            cell, value = place[lane], term[lane]
            before = found[cell]
            match reduction.op:
                case "count":
                    found[cell] = before + np.float32(value)
                case "total":
                    found[cell] = before + value
                case "lowest":
                    found[cell] = before if reached[cell] and before < value else value
                case _:
                    found[cell] = before if reached[cell] and value < before else value
            reached[cell] = True
        return found

    def _write(self, buffers: Buffers, results: Mapping[str, Array], worlds: Array) -> dict[str, Array]:
        state, after = buffers.state[FIELD].numpy(), {}
        for row, name in enumerate(self.meters):
            values = results[f"cells.{name}"].reshape(-1, self._count)
            state[row * self._count : (row + 1) * self._count, worlds] = values[worlds].T
            after[f"cells.{name}"] = values
        return after
