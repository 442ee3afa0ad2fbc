"""The cells of a grid, as kernels for CPUs work on them: world by world, on vectors of cells.

A world's meters are copied into room of the thread, a row of `room` numbers for each, and back when all its cells have
run their rules. What neighbours sum has as much room before its row and behind it, so that vectors reach beside the
cells; what stands there at an edge is not taken.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from math import prod
from operator import add, or_

from hamlet import schema
from hamlet.frozen import dataclass
from hamlet.universe import Grid, Universe
from hamlet.universe.space import sides
from hamletc.ir.function import CELLS, NEAR, OVER, PAST, PUSHED, PUSHES, Program
from hamletc.ir.ops import Input, Type
from hamletc.kernel.expressions import Expression, Name, Operand, Typed, call, expression
from hamletc.targets.c.arrays import Array, heap
from hamletc.targets.c.bindings import Bindings
from hamletc.targets.c.lanes import LANES, SEEDED, agents, first, first_world, now, world
from hamletc.targets.c.together import Reduced

VECTOR = 64
"""The most lanes of a vector on any machine: rows are whole vectors."""
FIELD = "cell_meters"


@dataclass(frozen=True, slots=True)
class Row:
    """A meter of cells, and where its row is in the room of a thread; in memory it is the `number`th."""

    number: int
    element: Expression


@dataclass(frozen=True, slots=True)
class Over:
    """What is asked of all cells: the operation, its row in the room of a thread, and the meter of the world that has
    it."""

    number: int
    op: str
    element: Expression


@dataclass(frozen=True, slots=True)
class CellStep:
    """What kernels need for the cells of a universe.

    Attributes:
        count: of cells; `room`: the numbers of a row; `pitch`: from world to world in memory.
        meters: in file order.
        near: for each that neighbours sum, the element of what a cell adds, and the sum.
        arrays: what is made for them.
        sums: of what agents on cells have together.
        edges: per axis, the cells from one to the next, and how many there are.
        arrays_of: the variables of arrays that `Fetch` reads, and the number of the meter.
        over: what is asked of all cells.
        past: the variables of arrays that rules of cells read, and the number of the meter.
    """

    functions: Bindings
    count: int
    room: int
    pitch: int
    meters: list[Row]
    near: list[tuple[Expression, Expression]]
    arrays: dict[str, Array]
    sums: list[Reduced]
    edges: list[tuple[int, int]]
    arrays_of: list[tuple[str, int]]
    over: list[Over]
    past: list[tuple[str, int]]

    @property
    def pushes(self) -> Reduced | None:
        """What agents take away from the cells from which they push something; `None` where they push nothing."""
        return next((each for each in self.sums if each.reduction.name == f"{PUSHED}.0"), None)

    @property
    def changed(self) -> list[Row]:
        """The meters that rules of cells may change."""
        spread = self.functions.bodies[CELLS]
        left = {o.name for o in spread.outputs if isinstance(op := spread.op(o.value), Input) and op.name == o.name}
        outputs = self.functions.program.function(CELLS).outputs
        return [row for row, output in zip(self.meters, outputs, strict=True) if output.name not in left]

    @property
    def half(self) -> int:
        """How many numbers are joined first where all cells are asked, and one more: half a power of two."""
        return (1 << (self.count - 1).bit_length()) // 2

    @property
    def over_elements(self) -> list[Expression]:
        """What each cell adds, where all cells are asked."""
        return [_at("over_cells", each.number * self.room) for each in self.over]

    @property
    def asked(self) -> list[Row]:
        """The meters of which it is asked what they come to in all cells."""
        read = {each.input for each in self.functions.bodies[OVER].parameters}
        universe = self.functions.universe
        meters = () if universe.cells is None else universe.cells.meters
        return [row for row, meter in zip(self.meters, meters, strict=True) if f"cells.{meter.name}" in read]

    def given(self, lane: Operand = "index") -> dict[str, Operand]:
        """What functions of cells are given, by the names of inputs; what they read of the world is its element for
        `lane`."""
        program, universe = self.functions.program, self.functions.universe
        names = [meter.name for meter in (() if universe.cells is None else universe.cells.meters)]
        given: dict[str, Operand] = {f"cells.{name}": row.element for name, row in zip(names, self.meters, strict=True)}
        given |= {each.reduction.result: Name(each.shared)["cell"] for each in self.sums}
        if program.has(NEAR):
            outputs = program.function(NEAR).outputs
            given |= {output.name: f"beside_{number}" for number, output in enumerate(outputs)}
        given |= {PUSHES: "pushes", "cell": "number", "tick": call("u32", now), "cells_at": call("i32", 0), **SEEDED}
        given["agents"] = call("i32", agents)
        return given | {"world": call("u32", first_world + world + lane)}

    def passing(self, function: str, lane: Operand = "index") -> list[Expression]:
        """What is passed to a function of cells."""
        return self.functions.passing(function, self.given(lane))

    def passing_one(self, function: str, elements: Sequence[Expression], cell: Expression) -> list[Expression]:
        """What is passed to a function of cells for a single cell, whose meters are these elements."""
        universe = self.functions.universe
        names = [f"cells.{meter.name}" for meter in (() if universe.cells is None else universe.cells.meters)]
        given = self.given() | dict(zip(names, elements, strict=True)) | {"cell": cell}
        return self.functions.passing(function, given)


def cell_step(program: Program, universe: Universe, functions: Bindings) -> CellStep | None:
    """What kernels need for the cells of a universe; `None` where they have nothing."""
    grid = universe.space
    if universe.cells is None or not isinstance(grid, Grid):
        return None
    count = schema.cells(grid)
    room = -(-count // VECTOR) * VECTOR
    meters = [Row(number, _at("own_cells", number * room)) for number in range(len(universe.cells.meters))]
    (field,) = (each for each in schema.state_fields(universe) if each.name == FIELD)
    edges = [(prod(grid.sizes[:axis]), size) for axis, size in enumerate(grid.sizes)]
    sums = functions.together.stages.get("cells", [])
    # Of a world of several tiles the later ones observe the end of an episode when the first one has begun anew.
    arrays = {"own_cells": heap("f32", len(meters) * room), "ended_cells": heap("f32", len(meters) * count)}
    near: list[tuple[Expression, Expression]] = []
    if program.has(NEAR):
        several = len(program.function(NEAR).outputs)
        arrays |= {"near_cells": heap("f32", 3 * several * room), "at_edge": heap("bool", 2 * len(edges) * room)}
        near = [
            (_at("near_cells", begin), _sum(begin, edges, room, grid))
            for begin in range(room, 3 * several * room, 3 * room)
        ]
    arrays |= {each.shared: heap("f32", room) for each in sums}
    asked = enumerate(universe.cells.sums)
    over = [Over(number, each.op, functions.held[f"world.{each.meter}"].of_lane) for number, each in asked]
    if over:
        arrays |= {"over_cells": heap("f32", len(over) * room), "over_worlds": heap("f32", len(over) * LANES)}
    read, past = (_fetched(functions, prefix) for prefix in ("cells.", PAST))
    return CellStep(functions, count, room, field.pitch, meters, near, arrays, sums, edges, read, over, past)


def _fetched(functions: Bindings, prefix: str) -> list[tuple[str, int]]:
    """The arrays that functions fetch from, whose names begin so, each with the number of its meter."""
    universe = functions.universe
    tables = {table for name in functions.bodies for table in functions.bodies[name].tables}
    meters = () if universe.cells is None else universe.cells.meters
    names = [(f"{prefix}{meter.name}", number) for number, meter in enumerate(meters)]
    return [(functions.passed_tables([name])[0], number) for name, number in names if name in tables]


def _at(array: str, begin: int) -> Expression:
    """The vector of an array that is `first` numbers behind what begins there."""
    return Name(array)[call("wide", expression(begin) + first)]


def _sum(begin: int, edges: list[tuple[int, int]], room: int, grid: Grid) -> Expression:
    """The sum over neighbours of what begins there, side by side."""
    return reduce(add, _summed(begin, edges, room, grid))


def _summed(begin: int, edges: list[tuple[int, int]], room: int, grid: Grid) -> Iterator[Expression]:
    for side in sides(len(grid.sizes), grid.metric):
        across = [(axis, by) for axis, by in enumerate(side) if by]
        flags = [_at("at_edge", (2 * axis + (by > 0)) * room) for axis, by in across]
        steps = [by * edges[axis][0] for axis, by in across]
        if grid.edges == "wrap":
            around = [-step * edges[axis][1] for step, (axis, _) in zip(steps, across, strict=True)]
            yield _around(begin + sum(steps), list(zip(flags, around, strict=True)))
        else:
            beyond = reduce(or_, flags)
            yield call("where", beyond, Typed(Type.F32, 0.0), _at("near_cells", begin + sum(steps)))


def _around(begin: int, edges: list[tuple[Expression, int]]) -> Expression:
    """What begins there; of cells at an edge, whose flags these are, what is so much further."""
    if not edges:
        return _at("near_cells", begin)
    (flag, further), *rest = edges
    return call("where", flag, _around(begin + further, rest), _around(begin, rest))
