"""Cells of a grid, and where affordances stand on it: at fixed places or on the free cells. Where places are many, the
tables that say so."""

from __future__ import annotations

from bisect import bisect_left
from math import prod

from hamlet import schema
from hamlet.frozen import dataclass
from hamlet.numbers.permutation import ROUND_MULTIPLIERS, Domain, domain, permuted_axes
from hamlet.universe import Grid, Universe
from hamletc.arrangements import every_arrangement
from hamletc.ir.builder import Builder
from hamletc.ir.function import Table
from hamletc.ir.ops import I32, Value

BEYOND = 2**31 - 1
"""Fills tables that are searched; larger than all cells."""


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


@dataclass(frozen=True, slots=True)
class Dealt:
    """Tables of the cells that a map leaves free, and of those where agents start on it.

    Attributes:
        cells: the free cells, in order.
        numbers: of every cell, how many free ones come before it; -1 where it is not free.
        starts: the cells on which agents start by a letter, or `anywhere` but on walls; `None` where they start on free
            cells.
        domain: of those by a letter; `None` where agents start anywhere.
    """

    cells: Table
    numbers: Table
    starts: Table | None
    domain: Domain | None


@dataclass(frozen=True, slots=True)
class Places:
    """The places of a universe's affordances, as far as they are cells that layouts permute.

    Attributes:
        fixed: (cell index, affordance number) of those at a fixed place, by cell; none where the grid is too large.
        random: the numbers of those at random, in file order: the j-th stands on free cell P(j).
        permuted: the number of axes, the first ones, that are permuted; the others are drawn.
        free: the domain of the free cells; of one where no axis is permuted.
        searched: the tables that replace comparisons with each fixed place; `None` where those are few.
        dealt: what there is on a map; `None` where it leaves cells as they are on other grids.
    """

    fixed: tuple[tuple[int, int], ...]
    random: tuple[int, ...]
    permuted: int
    free: Domain
    searched: Searched | None
    dealt: Dealt | None = None

    @property
    def taken(self) -> tuple[int, ...]:
        """The cells that have a fixed place, in order."""
        return tuple(dict.fromkeys(cell for cell, _ in self.fixed))

    def random_index(self, number: int) -> int:
        """The number, among those at random, of the affordance of this number."""
        return bisect_left(self.random, number)


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
            (_index_of(sizes, affordance.stands), number)
            for number, affordance in enumerate(universe.affordances)
            if affordance.stands is not None
        )
    )
    dealt = _dealt(universe.space, frozenset(cell for cell, _ in fixed))
    count = prod(sizes) - len({cell for cell, _ in fixed}) if dealt is None else len(dealt.cells.values)
    searched = _searched(fixed, random) if len(universe.affordances) > most_unrolled else None
    return Places(fixed, random, permuted, domain(max(count, 1)), searched, dealt)


def _dealt(grid: Grid, fixed: frozenset[int]) -> Dealt | None:
    drawn = grid.map
    if drawn is None or not (drawn.walls or drawn.starts):
        return None
    text, starts = "".join(drawn.rows), drawn.starts or ""
    free = [n for n, letter in enumerate(text) if letter not in drawn.walls + starts and n not in fixed]
    numbers = {cell: number for number, cell in enumerate(free)}
    begins = drawn.cells(starts)
    if grid.starts == "anywhere":
        begins = tuple(cell for cell, letter in enumerate(text) if letter not in drawn.walls)
    return Dealt(
        Table("free.cell", I32, tuple(free) or (0,)),
        Table("free.number", I32, tuple(numbers.get(cell, -1) for cell in range(len(text)))),
        Table("start.cell", I32, begins) if begins else None,
        domain(len(begins)) if starts else None,
    )


def arranged(universe: Universe) -> Table | None:
    """The cells of the affordances at random, in file order, in each arrangement."""
    grid = universe.space
    if not isinstance(grid, Grid) or not any(each.spread is not None for each in universe.affordances):
        return None
    cells = every_arrangement(grid, universe.affordances)
    return Table("places.arranged", I32, tuple(cell for each in cells for cell in each))


def _index_of(sizes: tuple[int, ...], cell: tuple[float, ...]) -> int:
    """The index of a cell: x + width * (y + height * z)."""
    index = 0
    for size, coordinate in zip(reversed(sizes), reversed(cell), strict=True):
        index = index * size + int(coordinate)
    return index


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
    below_key = builder.i32(0)
    step = len(table.values) // 2
    while step:
        beyond = builder.add(below_key, builder.i32(step))
        below = builder.less(builder.lookup(table, builder.add(below_key, builder.i32(step - 1))), key)
        below_key = builder.select(below, beyond, below_key)
        step //= 2
    return below_key


@dataclass(frozen=True, slots=True)
class DrawTable:
    """Tables with a row per axis of a large grid on which layouts draw coordinates.

    Attributes:
        words: the number of words of a cell.
        salt: what the axis adds to the draw (32 bits).
        size: of the axis.
        word: the one that the coordinate is part of.
        stride: what a step on the axis adds to that word.
    """

    words: int
    salt: Table
    size: Table
    word: Table
    stride: Table


def draw_table(universe: Universe, where: Places, most_unrolled: int) -> DrawTable | None:
    """The axes that are not permuted; `None` where the coordinates that are drawn on them are few."""
    grid = universe.space
    if not isinstance(grid, Grid) or (len(grid.sizes) - where.permuted) * len(where.random) <= most_unrolled:
        return None
    words = schema.cell_words(grid)
    rows = []
    for word, (begin, end) in enumerate(words):
        for axis in range(max(begin, where.permuted), end):
            salt = (axis + 1) * ROUND_MULTIPLIERS[1] % 2**32
            signed = salt - 2**32 if salt >= 2**31 else salt
            rows.append((signed, grid.sizes[axis], word, prod(grid.sizes[begin:axis])))
    named = zip(("salt", "size", "word", "stride"), zip(*rows, strict=True), strict=True)
    return DrawTable(len(words), *(Table(f"draws.{name}", I32, column) for name, column in named))


# --- cells as IR -----------------------------------------------------------------------------------------------------


def grid_of(universe: Universe) -> Grid:
    """The grid of a universe that has one."""
    if not isinstance(universe.space, Grid):
        raise ValueError(f"universe {universe.name} has no grid")
    return universe.space


def cell_index(builder: Builder, sizes: tuple[int, ...], position: tuple[Value, ...]) -> Value:
    """The index (I32) of the cell at this position (I32 per axis)."""
    index = position[-1]
    for size, coordinate in zip(reversed(sizes[:-1]), reversed(position[:-1]), strict=True):
        index = builder.add(builder.mul(index, builder.i32(size)), coordinate)
    return index


def cell_position(builder: Builder, sizes: tuple[int, ...], cell: Value) -> tuple[Value, ...]:
    """The position (I32 per axis) of the cell of this index (U32)."""
    position = []
    for size in sizes[:-1]:
        position.append(builder.to_i32(builder.rem(cell, builder.u32(size))))
        cell = builder.div(cell, builder.u32(size))
    return (*position, builder.to_i32(cell))


def cell_words(builder: Builder, grid: Grid, position: tuple[Value, ...]) -> tuple[Value, ...]:
    """The words (I32) of the cell at this position: `schema.cell_words`."""
    return tuple(
        cell_index(builder, grid.sizes[begin:end], position[begin:end]) for begin, end in schema.cell_words(grid)
    )
