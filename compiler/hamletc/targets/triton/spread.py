"""The cells of a grid in kernels for GPUs: the lanes of a world take its cells in turns, in memory.

What neighbours sum is written behind the meters of the world, where there is room for it; between what lanes write and
what others read of it, and before meters change, they wait for each other. `spread.py.j2` has the functions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

from hamlet import schema
from hamlet.universe import Grid, Universe
from hamlet.universe.space import sides
from hamletc.ir.function import CELLS, NEAR, OVER, Program
from hamletc.kernel.body import Body, table_name
from hamletc.targets.printing import listing

FIELD = "cell_meters"


@dataclass(frozen=True, slots=True)
class Spread:
    """What kernels need for the cells of a universe.

    Attributes:
        count: of cells; `pitch`: the numbers from world to world.
        meters: their names; `near`: the outputs of the function of that name.
        joined: what agents on a cell have together: the result, the operation, the term.
        axes: per axis, the cells from one to the next, and how many there are.
        given: inputs of the functions of cells that are the same for all cells of a world: the names of parameters, by
            inputs.
        fetched: the arrays that functions fetch from, each with the number of its meter.
        sums: what is asked of all cells: the operation, and the meter of the world that has it.
    """

    count: int
    pitch: int
    meters: list[str]
    near: list[str]
    joined: list[tuple[str, str, str]]
    axes: list[tuple[int, int]]
    wraps: bool
    given: dict[str, str]
    fetched: list[tuple[str, int]]
    sums: list[tuple[str, str]]
    sides: tuple[tuple[int, ...], ...]

    @property
    def levels(self) -> int:
        """How often halves are joined where all cells are asked."""
        return (self.count - 1).bit_length()

    @property
    def asked(self) -> int:
        """Where the numbers of what is asked of all cells begin, from the world's first number on."""
        return (len(self.meters) + len(self.near)) * self.count

    def over(self, bodies: Mapping[str, Body], given: Mapping[str, str]) -> list[str]:
        """What the function of what is asked of all cells is passed, where the new meters of a cell are known."""
        known = {"cell": "cell"} | {f"cells.{name}": f"new_{number}" for number, name in enumerate(self.meters)}
        return [known.get(each.input) or given[each.input] for each in bodies[OVER].parameters]

    def inside(self, function: str, bodies: Mapping[str, Body]) -> list[str]:
        """What a function of cells is passed, where its parameters are known by `given`."""
        known = self.given | {"cell": "cell"}
        known |= {f"cells.{name}": f"old_{number}" for number, name in enumerate(self.meters)}
        known |= {name: f"beside_{number}" for number, name in enumerate(self.near)}
        known |= {result: f"joined_{number}" for number, (result, _, _) in enumerate(self.joined)}
        return [known[parameter.input] for parameter in bodies[function].parameters]

    def beside(self, number: int) -> list[tuple[str, str]]:
        """For each neighbour in order: where what it adds of this number is, from the world's first number on, and
        whether there is one."""
        begin = (len(self.meters) + number) * self.count
        return [self._side(begin, [(axis, by) for axis, by in enumerate(side) if by]) for side in self.sides]

    def _side(self, begin: int, across: list[tuple[int, int]]) -> tuple[str, str]:
        """The same of one side, which is so many cells further on these axes."""
        steps = [by * self.axes[axis][0] for axis, by in across]
        around = [-step * self.axes[axis][1] for step, (axis, _) in zip(steps, across, strict=True)]
        edges = [f"place_{axis} == {self.axes[axis][1] - 1 if by > 0 else 0}" for axis, by in across]
        there = f"{begin} + cell {_signed(sum(steps))}"
        if not self.wraps:
            return there, f"inside & ~({' | '.join(f'({edge})' for edge in edges)})"
        further = [f" + tl.where({edge}, {step}, 0)" for edge, step in zip(edges, around, strict=True)]
        return there + "".join(further), "inside"

    def loads(self, number: int) -> list[str]:
        """The sum over neighbours, a line for each."""
        lines: list[str] = []
        for where, there in self.beside(number):
            load = listing("tl.load(", [f"base + {where}", f"mask={there}", "other=0.0"], ")", 12)
            lines.append(f"beside_{number} = {load}" if not lines else f"beside_{number} = beside_{number} + {load}")
        return lines


def spread(program: Program, universe: Universe, bodies: Mapping[str, Body]) -> Spread | None:
    """What kernels need for the cells of a universe; `None` where they have nothing."""
    grid = universe.space
    if universe.cells is None or not isinstance(grid, Grid):
        return None
    (field,) = (each for each in schema.state_fields(universe) if each.name == FIELD)
    meters = [meter.name for meter in universe.cells.meters]
    near = [output.name for output in bodies[NEAR].outputs] if NEAR in bodies else []
    inputs = [each.input for name in (NEAR, CELLS, OVER) if name in bodies for each in bodies[name].parameters]
    own = {"cell", *near, *(f"cells.{name}" for name in meters)}
    own |= {reduction.result for reduction in program.stage("cells")}
    outer = [name for name in dict.fromkeys(inputs) if name not in own]
    tables = {table for printed in bodies.values() for table in printed.tables}
    arrays = [(f"cells.{name}", number) for number, name in enumerate(meters)]
    return Spread(
        schema.cells(grid),
        field.pitch,
        meters,
        near,
        [(each.result, each.op, f"term.{each.name}") for each in program.stage("cells")],
        [(prod(grid.sizes[:axis]), size) for axis, size in enumerate(grid.sizes)],
        grid.edges == "wrap",
        {name: name if name in ("seed_low", "seed_high") else f"given_{n}" for n, name in enumerate(outer)},
        [(table_name(array), number) for array, number in arrays if array in tables],
        [(each.op, f"world.{each.meter}") for each in universe.cells.sums],
        sides(len(grid.sizes), grid.metric),
    )


def _signed(number: int) -> str:
    """A number that is added, or taken away."""
    return f"{'-' if number < 0 else '+'} {abs(number)}"
