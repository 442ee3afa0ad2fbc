"""Where affordances stand: at fixed places or on the free cells, and the tables that say so where they are many."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from math import prod

from hamlet.numbers.permutation import Domain, domain, permuted_axes
from hamlet.universe import Grid, Universe
from hamletc.ir.builder import Builder
from hamletc.ir.function import Table
from hamletc.ir.ops import I32, Value

BEYOND = 2**31 - 1
"""Fills tables that are searched; larger than all cells."""


@dataclass(frozen=True, slots=True)
class Places:
    """The places of a universe's affordances, as far as they are cells that layouts permute.

    Attributes:
        fixed: (cell index, affordance number) of those at a fixed place, by cell; none where the grid is too large.
        random: the numbers of those at random, in file order: the j-th stands on free cell P(j).
        permuted: so many axes, the first ones, are permuted; the others are drawn.
        free: the domain of the free cells; of one where no axis is permuted.
        searched: the tables that replace comparisons with each fixed place; `None` where those are few.
    """

    fixed: tuple[tuple[int, int], ...]
    random: tuple[int, ...]
    permuted: int
    free: Domain
    searched: Searched | None

    @property
    def taken(self) -> tuple[int, ...]:
        """The cells that have a fixed place, in order."""
        return tuple(dict.fromkeys(cell for cell, _ in self.fixed))

    def random_index(self, number: int) -> int:
        """The j of the affordance of this number, which is at random."""
        return bisect_left(self.random, number)


@dataclass(frozen=True, slots=True)
class Searched:
    """Sorted tables, filled up to a power of two.

    Attributes:
        cells: of the fixed places.
        free: the cell of each without the fixed places before it: how many free cells come first.
        fixed: the number of the affordance at each.
        random: the numbers of the affordances at random.
    """

    cells: Table
    free: Table
    fixed: Table
    random: Table

    @property
    def tables(self) -> tuple[Table, ...]:
        """All of them."""
        return (self.cells, self.free, self.fixed, self.random)


def places(universe: Universe, most_unrolled: int) -> Places:
    """Which affordances stand where. With more affordances than `most_unrolled` tables are searched."""
    random = tuple(number for number, affordance in enumerate(universe.affordances) if affordance.place is None)
    if not isinstance(universe.space, Grid):
        return Places((), random, 0, domain(1), None)
    sizes = universe.space.sizes
    permuted = permuted_axes(sizes)
    if permuted < len(sizes):
        return Places((), random, permuted, domain(prod(sizes[:permuted])), None)
    fixed = tuple(
        sorted(
            (index_of(sizes, affordance.place), number)
            for number, affordance in enumerate(universe.affordances)
            if affordance.place is not None
        )
    )
    free = domain(max(prod(sizes) - len({cell for cell, _ in fixed}), 1))
    searched = _searched(fixed, random) if len(universe.affordances) > most_unrolled else None
    return Places(fixed, random, permuted, free, searched)


def _searched(fixed: tuple[tuple[int, int], ...], random: tuple[int, ...]) -> Searched:
    room = 1 << len(fixed).bit_length()

    def table(name: str, values: list[int], filler: int) -> Table:
        return Table(name, I32, tuple(values + [filler] * (room - len(values))))

    return Searched(
        table("fixed.cell", [cell for cell, _ in fixed], BEYOND),
        table("fixed.free", [cell - before for before, (cell, _) in enumerate(fixed)], BEYOND),
        table("fixed.affordance", [number for _, number in fixed], 0),
        Table("random.affordance", I32, random or (0,)),
    )


def rank(builder: Builder, table: Table, key: Value) -> Value:
    """How many values of a searched table are below the key (I32), by bisection."""
    found = builder.i32(0)
    step = len(table.values) // 2
    while step:
        beyond = builder.add(found, builder.i32(step))
        below = builder.less(builder.lookup(table, builder.add(found, builder.i32(step - 1))), key)
        found = builder.select(below, beyond, found)
        step //= 2
    return found


def index_of(sizes: tuple[int, ...], cell: tuple[float, ...]) -> int:
    """The index of a cell: x + width * (y + height * z)."""
    index = 0
    for size, coordinate in zip(reversed(sizes), reversed(cell), strict=True):
        index = index * size + int(coordinate)
    return index
