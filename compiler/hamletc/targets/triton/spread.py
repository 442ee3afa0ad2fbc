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
from hamlet.universe.space import is_hexagonal
from hamletc.ir.function import CELLS, NEAR, OVER, Program
from hamletc.targets.body import Body, table_name
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
    hexagonal: bool

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
        found = []
        for axis, (stride, size) in enumerate(self.axes):
            place = f"place_{axis}"
            for step, last in ((-stride, 0), (stride, size - 1)):
                there = f"{begin} + cell {'-' if step < 0 else '+'} {abs(step)}"
                if self.wraps:
                    beyond = f"{begin} + cell {'+' if step < 0 else '-'} {abs(step) * (size - 1)}"
                    found.append((f"tl.where({place} == {last}, {beyond}, {there})", "inside"))
                else:
                    found.append((there, f"inside & ({place} != {last})"))
        if self.hexagonal:
            found += [self._diagonal(begin, right) for right in (1, -1)]
        return found

    def _diagonal(self, begin: int, right: int) -> tuple[str, str]:
        """The same of the hexagon that is so many further right and as many less down."""
        (_, width), (_, height) = self.axes
        edges = [(0, width - 1), (1, 0)] if right > 0 else [(0, 0), (1, height - 1)]
        at_edge = [f"(place_{axis} == {last})" for axis, last in edges]
        step = right - right * width
        if not self.wraps:
            return f"{begin + step} + cell", f"inside & ~({at_edge[0]} | {at_edge[1]})"
        across = f"tl.where({at_edge[0]}, {-right * width}, 0)"
        return f"{begin + step} + cell + {across} + tl.where({at_edge[1]}, {right * width * height}, 0)", "inside"

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
        is_hexagonal(grid),
    )
