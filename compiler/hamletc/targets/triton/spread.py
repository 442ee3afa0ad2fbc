"""What kernels for GPUs need to know of the cells of a universe."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

from hamlet import schema
from hamlet.frozen import dataclass
from hamlet.schema.bounds import number_bounds
from hamlet.universe import Grid, Universe
from hamlet.universe.space import sides
from hamletc.ir.function import CELLS, NEAR, OVER, PAST, Program
from hamletc.kernel.body import Body, identifier, table_name
from hamletc.targets.triton.slots import nearest_to_zero

FIELD = "cell_meters"


@dataclass(frozen=True, slots=True)
class Spread:
    """What kernels need for the cells of a universe.

    Attributes:
        count: of cells; `pitch`: the numbers from world to world.
        meters: their names; `beyond`: of each, what lanes without a cell hold, within its bounds.
        near: the outputs of the function of that name.
        joined: what agents on a cell have together: the result, the operation, the term, the cell of an agent.
        axes: per axis, the cells from one to the next, and how many there are.
        given: inputs of the functions of cells that are the same for all cells of a world: the names of parameters, by
            inputs.
        fetched: the arrays that functions fetch from, each with the number of its meter.
        sums: what is asked of all cells: the operation, and the meter of the world that has it.
        past: the arrays that rules of cells read, each with the number of its meter: copies behind all other rows.
    """

    count: int
    pitch: int
    meters: list[str]
    beyond: list[float]
    near: list[str]
    joined: list[tuple[str, str, str, str]]
    axes: list[tuple[int, int]]
    wraps: bool
    given: dict[str, str]
    fetched: list[tuple[str, int]]
    sums: list[tuple[str, str]]
    sides: tuple[tuple[int, ...], ...]
    past: list[tuple[str, int]]

    @property
    def standing(self) -> list[str]:
        """The variables of the cells to which agents add something."""
        return list(dict.fromkeys(identifier(cell) for *_, cell in self.joined))

    @property
    def first_past(self) -> int:
        """The row of the first copy of what rules of cells read of the past."""
        return len(self.meters) + len(self.near) + len(self.sums)

    @property
    def levels(self) -> int:
        """How often halves are joined where all cells are asked."""
        return (self.count - 1).bit_length()

    def over(self, bodies: Mapping[str, Body], given: Mapping[str, str]) -> list[str]:
        """What the function of what is asked of all cells is passed, where the new meters of a cell are known."""
        known = {"cell": "cell"} | {f"cells.{name}": f"new_{number}" for number, name in enumerate(self.meters)}
        return [known.get(each.input) or given[each.input] for each in bodies[OVER].parameters]

    def inside(self, function: str, bodies: Mapping[str, Body]) -> list[str]:
        """What a function of cells is passed, where its parameters are known by `given`."""
        known = self.given | {"cell": "cell", "cells_at": "cells_at"}
        known |= {f"cells.{name}": f"old_{number}" for number, name in enumerate(self.meters)}
        known |= {name: f"beside_{number}" for number, name in enumerate(self.near)}
        known |= {result: f"joined_{number}" for number, (result, *_) in enumerate(self.joined)}
        return [known[parameter.input] for parameter in bodies[function].parameters]


def spread(program: Program, universe: Universe, bodies: Mapping[str, Body]) -> Spread | None:
    """What kernels need for the cells of a universe; `None` where they have nothing."""
    grid = universe.space
    if universe.cells is None or not isinstance(grid, Grid):
        return None
    (field,) = (each for each in schema.state_fields(universe) if each.name == FIELD)
    meters = [meter.name for meter in universe.cells.meters]
    near = [output.name for output in bodies[NEAR].outputs] if NEAR in bodies else []
    inputs = [each.input for name in (NEAR, CELLS, OVER) if name in bodies for each in bodies[name].parameters]
    own = {"cell", "cells_at", *near, *(f"cells.{name}" for name in meters)}
    own |= {reduction.result for reduction in program.stage("cells")}
    outer = [name for name in dict.fromkeys(inputs) if name not in own]
    tables = {table for printed in bodies.values() for table in printed.tables}

    def fetched(prefix: str) -> list[tuple[str, int]]:
        arrays = [(f"{prefix}{name}", number) for number, name in enumerate(meters)]
        return [(table_name(array), number) for array, number in arrays if array in tables]

    return Spread(
        schema.cells(grid),
        field.pitch,
        meters,
        [nearest_to_zero(bounds) for bounds in number_bounds(universe.cells.meters)],
        near,
        [(each.result, each.op, f"term.{each.name}", each.standing) for each in program.stage("cells")],
        [(prod(grid.sizes[:axis]), size) for axis, size in enumerate(grid.sizes)],
        grid.edges == "wrap",
        {name: name if name in ("seed_low", "seed_high") else f"given_{n}" for n, name in enumerate(outer)},
        fetched("cells."),
        [(each.op, f"world.{each.meter}") for each in universe.cells.sums],
        sides(len(grid.sizes), grid.metric),
        fetched(PAST),
    )
