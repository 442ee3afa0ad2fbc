"""How many moves lead from cell to cell, as tables: of the way to each affordance that always stands on one cell, and,
where somebody walks to another, of the ways between all cells without walls."""

from __future__ import annotations

from functools import cache
from math import prod
from typing import TypeAlias

from hamlet import schema
from hamlet.frozen import dataclass
from hamlet.universe import Grid, Move, Universe, WalkingDistance
from hamlet.universe.walk import nodes
from hamletc.ir.builder import Builder
from hamletc.ir.function import Table
from hamletc.ir.ops import I32, ShiftLeft, ShiftRight, Value
from hamletc.lowering.moves import WORD, whole_displacement
from hamletc.lowering.terrain import along, signed


@dataclass(frozen=True, slots=True)
class Ways:
    """The ways between all cells without walls.

    Attributes:
        numbers: of those cells, by cell, and one for all walls; `None` where there are none.
        count: of numbers.
        bits: that a way has in the table.
        table: row `count * to + from`, several in a word.
    """

    numbers: Table | None
    count: int
    bits: int
    table: Table


@dataclass(frozen=True, slots=True)
class Walks:
    """How far it is to walk.

    Attributes:
        fixed: the numbers of affordances that always stand on one cell.
        to: to each of them by cell.
        ways: what others need; `None` where there are none.
    """

    fixed: tuple[int, ...]
    to: tuple[Table, ...]
    ways: Ways | None


def walks(universe: Universe) -> Walks | None:
    """The walks that a universe asks for."""
    asked = {node.affordance for node in nodes(universe.undrawn()) if isinstance(node, WalkingDistance)}
    grid = universe.space
    if not asked or not isinstance(grid, Grid):
        return None
    targets = [(number, each) for number, each in enumerate(universe.affordances) if each.name in asked]
    stays = grid.places == "computed"
    taken = {move.name for _, move in schema.moves_of(universe)}
    moves = tuple(move if move.name in taken else None for move in universe.moves)
    fixed = tuple((number, each.place) for number, each in targets if each.place is not None and stays)
    origins = _origins(grid, moves)
    return Walks(
        tuple(number for number, _ in fixed),
        tuple(Table(f"walk.{number}", I32, tuple(_steps(origins, _index(grid, place)))) for number, place in fixed),
        _ways(grid, moves) if len(fixed) < len(targets) else None,
    )


def _index(grid: Grid, place: tuple[float, ...]) -> int:
    return sum(int(x) * prod(grid.sizes[:axis]) for axis, x in enumerate(place))


Moves: TypeAlias = tuple[Move | None, ...]
"""The moves of the space; `None` for one that is no action."""


@cache
def _origins(grid: Grid, moves: Moves) -> tuple[tuple[int, ...], ...]:
    """By cell, those from which a move leads there; none for walls."""
    walls = frozenset() if grid.map is None else frozenset(grid.map.cells(grid.map.walls))
    between = frozenset() if grid.map is None else grid.map.between
    leads: list[list[int]] = [[] for _ in range(prod(grid.sizes))]
    steps = dict.fromkeys(whole_displacement(grid, move.by) for move in moves if move is not None)
    for cell in range(len(leads)):
        if grid.graph is not None:
            for edge, move in zip(grid.graph.steps(cell), moves, strict=True):
                if edge and move is not None:
                    leads[cell + edge].append(cell)
        if cell in walls or grid.graph is not None:
            continue
        for by in steps:
            there, rest, stride = 0, cell, 1
            for axis, size in enumerate(grid.sizes):
                there += stride * along(grid, axis, rest % size, by[axis])
                rest, stride = rest // size, stride * size
            if there != cell and there not in walls and (cell, there) not in between:
                leads[there].append(cell)
    return tuple(map(tuple, leads))


def _steps(origins: tuple[tuple[int, ...], ...], target: int) -> list[int]:
    """The fewest moves to a cell from each; the number of cells where none lead there."""
    steps = [len(origins)] * len(origins)
    steps[target] = 0
    frontier, far = [target], 0
    while frontier:
        far += 1
        reached = []
        for cell in frontier:
            for origin in origins[cell]:
                if steps[origin] > far:
                    steps[origin] = far
                    reached.append(origin)
        frontier = reached
    return steps


@cache
def _ways(grid: Grid, moves: Moves) -> Ways:
    origins = _origins(grid, moves)
    walls = frozenset() if grid.map is None else frozenset(grid.map.cells(grid.map.walls))
    open_cells = [cell for cell in range(len(origins)) if cell not in walls]
    walled = [len(origins)] if walls else []
    rows = [number for target in open_cells for number in (*_among(open_cells, _steps(origins, target)), *walled)]
    rows += walled * (len(open_cells) + 1)
    longest = max(rows)
    bits = next(bits for bits in (8, 16, WORD) if longest < 1 << bits)
    count = WORD // bits
    words = (
        sum(row << bits * place for place, row in enumerate(rows[first : first + count]))
        for first in range(0, len(rows), count)
    )
    order = {cell: number for number, cell in enumerate(open_cells)}
    numbers = tuple(order.get(cell, len(open_cells)) for cell in range(len(origins)))
    return Ways(
        Table("walk.number", I32, numbers) if walls else None,
        len(open_cells) + len(walled),
        bits,
        Table("walk.ways", I32, tuple(map(signed, words))),
    )


def _among(cells: list[int], numbers: list[int]) -> list[int]:
    return [numbers[cell] for cell in cells]


def steps_between(builder: Builder, ways: Ways, own: Value, place: Value) -> Value:
    """The fewest moves (I32) from a cell (I32) to another (I32)."""
    if ways.numbers is not None:
        own, place = builder.lookup(ways.numbers, own), builder.lookup(ways.numbers, place)
    row = builder.add(builder.mul(place, builder.i32(ways.count)), own)
    count = WORD // ways.bits
    if count == 1:
        return builder.lookup(ways.table, row)
    index = builder.to_u32(row)
    number = builder.to_i32(builder.shift_right(index, count.bit_length() - 1))
    word = builder.to_u32(builder.lookup(ways.table, number))
    part = builder.and_(index, builder.u32(count - 1))
    by = builder.emit(ShiftLeft(part, builder.u32(ways.bits.bit_length() - 1)))
    bits = builder.and_(builder.emit(ShiftRight(word, by)), builder.u32((1 << ways.bits) - 1))
    return builder.to_i32(bits)
