"""Numbers of the cells of a world, as terms over the variable `cell`, which stands for the number of any of them.

A term of the number of a cell says all numbers of a row at once: that of another cell is the same term with another
number in its place. So a loop over cells is one turn of it, for any cell.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import prod

import numpy as np

from hamlet import schema
from hamlet.schema.bounds import number_bounds
from hamlet.universe import Grid, Universe
from hamlet.universe.space import sides
from hamlet_lab.proof.bounds import Bounds
from hamlet_lab.proof.meanings import CELL, meaning
from hamlet_lab.proof.overall import Halved, Overalls, Sum
from hamlet_lab.proof.sums import multiples
from hamlet_lab.proof.term import Term
from hamlet_lab.proof.terms import Arena

NUMBER = "cell"
"""The variable that stands for the number of a cell."""
OF_LAUNCH = frozenset(("ctaid", "worlds", "first_world", "seed_low", "seed_high", "tick", "waits", NUMBER))
"""Variables that are the same for all threads of a world."""
TURN = "turn"
"""The variable that stands for the number of a turn in which agents of a world take its cells."""
HALF = 1 << 31


@dataclass(frozen=True, slots=True)
class Cells:
    """The cells of the worlds of a universe.

    Attributes:
        rows: how many numbers there are for each cell: those of meters, and room behind them.
        bounds: of each meter, as words.
    """

    meters: tuple[str, ...]
    bounds: tuple[tuple[int, int], ...]
    rows: int
    grid: Grid
    sums: tuple[Sum, ...] = ()

    @property
    def count(self) -> int:
        """How many cells a world has."""
        return prod(self.grid.sizes)

    @classmethod
    def of(cls, universe: Universe) -> Cells | None:
        """The cells of a universe, if it has some."""
        if universe.cells is None or not isinstance(universe.space, Grid):
            return None
        grid, meters = universe.space, universe.cells.meters
        ends = tuple((_word(each.low), _word(each.high)) for each in number_bounds(meters))
        (pitch,) = (each.pitch for each in schema.state_fields(universe) if each.name == schema.CELL_METERS)
        rows = pitch // prod(grid.sizes)
        meters_of_world = universe.world.meters if universe.world is not None else ()
        names = (each.name for each in meters_of_world)
        of_world = dict(zip(names, number_bounds(meters_of_world), strict=True))
        asked = ((each.op, of_world[each.meter]) for each in universe.cells.sums)
        sums = tuple(Sum(op, _word(of.low), _word(of.high)) for op, of in asked)
        return cls(tuple(each.name for each in meters), ends, rows, grid, sums)

    def before(self, arena: Arena) -> list[Term]:
        """Of each meter what a cell has before the kernel runs."""
        return [
            arena.make(CELL, 32, (arena.variable(f"cells.{name}"), arena.variable(NUMBER)), ends)
            for name, ends in zip(self.meters, self.bounds, strict=True)
        ]

    def sampled(self, arena: Arena, state: int) -> Iterator[tuple[str, int]]:
        """Each number of the cells of a sampled state, by its name in memory."""
        cells = np.arange(self.count, dtype=np.uint32)
        for row, (name, ends) in enumerate(zip(self.meters, self.bounds, strict=True)):
            world = arena.variables[f"cells.{name}"].samples[[state]]
            for number, word in enumerate(meaning(CELL, (world, cells), 32, ends).tolist(), row * self.count):
                yield f"{schema.CELL_METERS}[{number}]", word

    def beside(self, arena: Arena, values: Term) -> Term:
        """The sum of what neighbours have, one after the other; beyond an edge is nothing, unless edges wrap."""
        cell, total = arena.variable(NUMBER), None
        for side in sides(len(self.grid.sizes), self.grid.metric):
            index, there = cell, arena.constant(1, 1)
            for axis, by in enumerate(side):
                if by:
                    step, size = prod(self.grid.sizes[:axis]), self.grid.sizes[axis]
                    last = arena.op("eq", self._along(arena, axis), arena.constant(0 if by < 0 else size - 1, 32))
                    ahead = arena.constant(by * step, 32)
                    if self.grid.edges == "wrap":
                        ahead = arena.select(last, arena.constant(-by * step * (size - 1), 32), ahead)
                    else:
                        there = arena.op("and", there, arena.no(last))
                    index = arena.op("add", index, ahead)
            each = arena.select(there, at(arena, values, index), arena.constant(0, 32))
            total = each if total is None else arena.op("fadd", total, each)
        assert total is not None, "each cell of a grid has sides"
        return total

    def _along(self, arena: Arena, axis: int) -> Term:
        """The number of a cell along an axis."""
        step, size = prod(self.grid.sizes[:axis]), self.grid.sizes[axis]
        result = arena.variable(NUMBER)
        if step > 1:
            result = arena.op("udiv", result, arena.constant(step, 32))
        return arena.op("urem", result, arena.constant(size, 32)) if axis + 1 < len(self.grid.sizes) else result


def _word(number: float) -> int:
    return int(np.float32(number).view(np.uint32))


def at(arena: Arena, values: Term, index: Term) -> Term:
    """The number of another cell, by what any cell has."""
    cell = arena.variable(NUMBER)
    return values if index is cell else arena.copy(values, instead={cell.number: index})


def mentions(root: Term, part: Term) -> bool:
    """Whether a term is made of another."""
    seen, stack = set[int](), [root]
    while stack:
        term = stack.pop()
        if term is part:
            return True
        if term.number not in seen:
            seen.add(term.number)
            stack += term.operands
    return False


@dataclass(slots=True)
class CellMemory:
    """The numbers of the cells of the lane's world, in memory.

    Attributes:
        array, base: where numbers of all worlds begin, and those of the lane's world; there is no such world for a
            thread without a lane.
        content: of each row what a cell has, as far as it is known.
        elsewhere: how often a cell of a world was loaded that is not the lane's.
        agent, agents: the number of the thread's agent, and how many agents have the same world.
        everywhere: the terms that are the same for all agents of a world, though they are made of a thread's number:
            the world; and that the thread has a lane, which is so of one agent if it is of another.
        arrays: those that have a word for each world.
        overalls: the numbers of all cells that the schedule asks for.
        halved: the rows of which halves are joined.
    """

    cells: Cells
    array: Term
    base: Term | None
    content: list[Term | None]
    elsewhere: int = field(default=0)
    agent: Term | None = None
    agents: int = 1
    everywhere: tuple[Term | None, ...] = ()
    arrays: frozenset[str] = frozenset()
    overalls: Overalls = field(default_factory=Overalls)
    halved: dict[int, Halved] = field(default_factory=dict)

    def place(self, arena: Arena, bounds: Bounds, address: Term, where: Term) -> tuple[int, Term, bool] | None:
        """The row and the cell of a number at an address where a condition holds, if it is one of a cell; and whether
        it is of the lane's world."""
        address = assumed(arena, address, where)
        for base, own in ((self.base, True), (self.array, False)):
            offset = None if base is None else _offset(arena, bounds, address, base)
            if offset is None:
                continue
            index, numbers = offset
            for row in range(self.cells.rows):
                cell = arena.op("add", index, arena.constant(numbers - row * self.cells.count, 32))
                if self._is_inside(arena, cell, where):
                    return row, cell, own
        return None

    def own(self, arena: Arena) -> tuple[Term, Term, int]:
        """The number of a turn in which agents take the cells of a world, one each; of the cell that a thread takes in
        it; and of the last turn."""
        if self.agents == 1:
            cell = arena.variable(NUMBER)
            return cell, cell, self.cells.count - 1
        turn, agents = arena.variable(TURN), arena.constant(self.agents, 32)
        assert self.agent is not None
        own = arena.op("add", arena.op("mul", turn, agents), self.agent)
        return turn, own, (self.cells.count - 1) // self.agents

    def is_of_world(self, root: Term) -> bool:
        """Whether a term is the same for all agents of a world."""
        seen, stack = set[int](), [root]
        while stack:
            term = stack.pop()
            if term.number not in seen and term not in self.everywhere:
                seen.add(term.number)
                stack += term.operands
                name = str(term.attribute)
                common = name in OF_LAUNCH or name.startswith(("&", "cells.")) or name.partition("[")[0] in self.arrays
                if term.op == "variable" and not common:
                    return False
        return True

    def _is_inside(self, arena: Arena, index: Term, where: Term) -> bool:
        """Whether an index is that of a cell where a condition holds."""
        inside = arena.op("ult", index, arena.constant(self.cells.count, 32))
        return arena.op("and", where, arena.no(inside)).value == 0


def assumed(arena: Arena, term: Term, condition: Term) -> Term:
    """A term as it is where a condition holds."""
    if condition.value is not None:
        return term
    held, stack = dict[int, Term](), [condition]
    while stack:
        each = stack.pop()
        held |= {arena.no(each).number: arena.constant(0, 1), each.number: arena.constant(1, 1)}
        stack += each.operands if each.op == "and" else ()
    return arena.copy(term, instead=held)


def _offset(arena: Arena, bounds: Bounds, address: Term, base: Term) -> tuple[Term, int] | None:
    """How many numbers an address is behind another: a word of less than 2^31, or with a sign, with what choices add,
    and so many more. These are less than 2^30."""
    times = multiples(arena, address, bounds.words)
    for term, count in multiples(arena, base, bounds.words).items():
        times[term] = (times.get(term, 0) - count) % (1 << 64)
    rest, chosen, wide = _signed(times.pop(None, 0)), list[Term](), list[tuple[Term, int]]()
    most = abs(rest)
    for term, count in ((term, count) for term, count in times.items() if term is not None and count):
        sides = [_signed(count * each.value) for each in term.operands[1:] if each.value is not None]
        if term.op == "ite" and len(sides) == 2 and not any(each % 4 for each in sides):
            chosen.append(arena.select(term.operands[0], *(arena.constant(each // 4, 32) for each in sides)))
            most += max(map(abs, sides))
        else:
            wide.append((term, count))
    if rest % 4 or most >= HALF or len(wide) > 1:
        return None
    index, numbers = arena.constant(0, 32), rest // 4
    for term, count in wide:
        if count != 4 or term.op not in ("zext", "sext") or term.operands[0].bits != 32:
            return None
        (index,) = term.operands
        # A word with a sign is what it is modulo 2^32, as cells are few.
        if term.op == "zext" and bounds.words(index)[1] >= HALF:
            return None
    while index.op == "add" and (more := index.operands[1].value) is not None:
        if bounds.words(index.operands[0])[1] + more >= HALF:
            break
        index, numbers = index.operands[0], numbers + more
    if most // 4 + abs(numbers) >= HALF // 2:
        return None
    for each in chosen:
        index = arena.op("add", index, each)
    return index, numbers


def _signed(word: int) -> int:
    word %= 1 << 64
    return word - (word >> 63 << 64)
